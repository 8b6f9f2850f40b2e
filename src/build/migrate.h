#pragma once

#include "build/workspace.h"
#include "storage/metadata.h"

namespace ariadne::build {

/// Brings the tables of an index to the storage version that we write (docs/operations.md, "Storage
/// versions"), under the update lock:
///
///   1 → 2  the main index and staging get `file_size`, from the store; null where the file is gone
///   2 → 3  columns of exploded fields, in the main index, in staging and as large indexes, are
///          called by `as_column`, no longer by `array_column`
///
///   3 → 4  the value column of a large index is called as the index; every file has a filter of a
///          column that has a large index. We go on writing version 3, which more readers know, so
///          the first half is made sure of each time, and the second by every update
///          (filter_backfill.h)
///
/// A step finds by itself what is left to do, so a run that was cut off is begun again, and the
/// version is written last. Nothing happens where the version is newer than ours. Opening and
/// asking never come here. Throws InvalidDeltaTable, InvalidFile, StorageError, LockLost.
void MigrateStorage(Workspace* workspace, storage::IndexMetadata* metadata);

}  // namespace ariadne::build
