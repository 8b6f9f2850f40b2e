#pragma once

#include "storage/delta_table.h"
#include "storage/layout.h"

namespace ariadne::build {

// Deleting a folder is many steps, and half a Delta table can neither be opened nor be told from
// somebody else's files. So before the first step a note is put into `native/` that lists the data
// files whose rows are all in the main index; what is found beside such a note may go.

/// Removes the staging table, whose rows must be committed to the main index.
void RemoveStaging(const storage::IndexLayout& layout, const storage::DeltaTable& staging);

/// Goes on with a removal that was cut off, if there was one. A staging table that somebody began
/// since then stays.
void FinishStagingRemoval(const storage::IndexLayout& layout);

}  // namespace ariadne::build
