#pragma once

#include "build/workspace.h"
#include "storage/metadata.h"

namespace ariadne::build {

/// Brings the tables of an index to the storage version that we write (docs/storage-format.md,
/// "Storage versions"), under the update lock:
///
///   1 → 2  the main index and staging get `file_size`, from the store; null where the file is gone
///   2 → 3  columns of exploded fields, in the main index, in staging and as large indexes, are
///          called by `as_column`, no longer by `array_column`
///
/// A step finds by itself what is left to do, so a run that was cut off is begun again, and the
/// version is written last. Nothing happens where the version is ours or newer. Opening and asking
/// never come here. Throws InvalidDeltaTable, InvalidFile, StorageError, LockLost.
void MigrateStorage(Workspace* workspace, storage::IndexMetadata* metadata);

}  // namespace ariadne::build
