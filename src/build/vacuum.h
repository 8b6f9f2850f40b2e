#pragma once

#include "ariadne/operations.h"
#include "build/update.h"

namespace ariadne::build {

/// The whole of `Index::Vacuum`, see there.
VacuumReport Vacuum(const UpdateTarget& target, const VacuumOptions& options);

}  // namespace ariadne::build
