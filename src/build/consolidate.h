#pragma once

#include "build/workspace.h"

namespace ariadne::build {

/// Moves what staging holds into the main index in one commit, rows of the same file replaced, and
/// then removes staging. Nothing happens where there is no staging. Killed at any point, the next
/// call finishes: rows are in the main index before they leave staging, lookup files are written
/// before the commit that needs them, and a note under `native/` says when what is left of staging
/// is rubbish.
///
/// A batch of this run that is large enough, sorted and all new becomes a data file of the main
/// index as it is (it then still carries the two columns of staging, which the table's schema does
/// not name and readers skip). Everything else is merged row group by row group.
///
/// Throws InvalidDeltaTable where staging holds something that is no Delta table, InvalidFile,
/// StorageError, LockLost, CommitConflict.
void ConsolidateStaging(Workspace* workspace);

}  // namespace ariadne::build
