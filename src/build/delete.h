#pragma once

#include <set>
#include <string>
#include <vector>

#include "ariadne/operations.h"
#include "build/locked_index.h"
#include "build/update.h"

namespace ariadne::build {

// The order of a removal: staging before the main index, lest the next update brings the rows back;
// large tables before it too, since a row whose large values are gone is a candidate for every
// query; the file list last. A file that is tracked and has no row is a candidate as well, so a
// crash leaves no wrong answer: either the same call goes on, or an update indexes the file anew.

/// The whole of `Index::Delete`, see there.
DeleteReport Delete(const UpdateTarget& target, const std::vector<std::string>& files);

/// Removes all rows of some files and what is known of how they looked, and sums the total size
/// anew; the file list stays. `keys`: FileKey. Returns the keys that had rows.
std::set<std::string> RemoveFileRows(LockedIndex* index, const std::set<std::string>& keys);

/// Removes every spelling of some files from the file list; returns the keys that it had.
std::set<std::string> Untrack(const UpdateTarget& target, const std::set<std::string>& keys);

}  // namespace ariadne::build
