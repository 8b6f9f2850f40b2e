#pragma once

#include "ariadne/index.h"
#include "build/update.h"

namespace ariadne::build {

/// The whole of `Index::Sync`, see there. A file counts as unchanged where its size, time and ETag
/// are those that were put down before it was indexed (build/file_states.h); without such a record,
/// where its size is that in the main index and it was last written before it was tracked. Rows of
/// changed files go before anything else happens, so no query is answered from them any more.
SyncReport Sync(const UpdateTarget& target, const SyncOptions& options);

}  // namespace ariadne::build
