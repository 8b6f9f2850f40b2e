#pragma once

#include <vector>

#include "ariadne/operations.h"
#include "build/update.h"
#include "storage/metadata.h"

namespace ariadne::build {

/// The whole of `Index::Stats`, see there: one pass over the main index, and one over the names of
/// each large index. Takes no lock and writes nothing.
std::vector<ColumnStatistics> ComputeStatistics(const UpdateTarget& target,
                                                const storage::IndexMetadata& metadata);

/// One digit behind the point, half up, on the shortest decimal that stands for the number, as
/// Spark's `round(x, 1)` has it.
double RoundToOneDigit(double value);

}  // namespace ariadne::build
