#pragma once

#include "build/workspace.h"

namespace ariadne::build {

/// Gives a filter to every file of the main index that lacks one in a column with large files: made
/// of its array, or of its rows in the large table, without reading a data file. They go the way of
/// all rows, through staging. Killed at any point, the next call finds what is missing. Throws
/// InvalidFile, StorageError, LockLost, CommitConflict.
void BackfillFilters(Workspace* workspace);

/// Removes rows from the large tables whose file has its values in the main index, or has no row
/// there: what an update that was cut off left behind. Throws as above.
void RemoveStrayLargeRows(Workspace* workspace);

}  // namespace ariadne::build
