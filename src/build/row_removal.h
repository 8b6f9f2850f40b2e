#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ariadne/options.h"
#include "build/workspace.h"
#include "storage/delta_table.h"
#include "storage/layout.h"

namespace ariadne::build {

/// What a stored name is compared by when a caller names a file: its canonical form, with `s3a` and
/// `s3` taken for one scheme.
std::string FileKey(const std::string& stored);

/// The keys under which a caller's name may be stored: its own, and that of the name which
/// `path_map` maps to it, so that a file may be called by where it really is.
std::set<std::string> KeysOf(const std::string& name, const std::vector<PathMapping>& path_map);

/// Tables of an index that have a `filename` column, as they lie: the columns under
/// `large_indexes/` that hold a Delta table.
std::vector<std::string> LargeIndexColumns(const storage::IndexLayout& layout);

/// What was removed from one table.
struct RowRemoval {
  int64_t rows = 0;
  std::set<std::string> keys;  ///< FileKey of the files that had rows.
};

/// Removes the rows of some files from a table, in one commit: a data file that has such rows is
/// written again without them. Nothing happens where the table is absent. `with_lookups`: the table
/// is the main index, whose new data files get their lookup files before the commit. Throws
/// InvalidDeltaTable, InvalidFile, StorageError, LockLost, CommitConflict.
RowRemoval RemoveRows(Workspace* workspace, const storage::ObjectRef& folder,
                      const std::set<std::string>& keys, bool with_lookups);

}  // namespace ariadne::build
