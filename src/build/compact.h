#pragma once

#include "ariadne/operations.h"
#include "build/locked_index.h"
#include "build/update.h"

namespace ariadne::build {

/// The whole of `Index::Compact`, see there.
CompactReport Compact(const UpdateTarget& target, const CompactOptions& options);

/// The same under a lock that is held already: packs the small data files of the main index and of
/// each large index into files of a good size, as many at a time as the memory allows, each table
/// in one commit a pass that says that no data changed. Rows keep their order by filename. The
/// lookup files of a new data file are written before the commit. `stopped` is asked between two
/// commits and may throw.
CompactReport CompactTables(Workspace* workspace, const std::function<void()>& stopped);

}  // namespace ariadne::build
