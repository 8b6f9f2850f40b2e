#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"

namespace ariadne::query {

/// One probe for each column of `on`, with all its values. Throws InvalidArgument where `on` is
/// empty or repeats a column, ColumnNotFound where the keys lack one.
std::vector<Probe> ProbesOf(const arrow::Table& keys, const std::vector<std::string>& on);

/// The keys as the engine joins them: `rid`, the row's number (int64, from 0), and `j0`, `j1`, …,
/// the join columns in the types of the lake, NULL where the type cannot hold the value. So the
/// engine compares like with like and never casts. `types` go with `on`.
std::shared_ptr<arrow::Table> TypedKeys(const arrow::Table& keys,
                                        const std::vector<std::string>& on,
                                        const std::vector<std::shared_ptr<arrow::DataType>>& types);

}  // namespace ariadne::query
