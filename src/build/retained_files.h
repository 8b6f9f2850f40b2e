#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "storage/delta_table.h"

namespace ariadne::build {

/// Names (last part of the path) of the data files of a table that must stay: the live ones, and
/// those that a commit removed at or after `cutoff_ms` (milliseconds since the epoch), which a
/// reader that opened the table before still reads. Removals are taken from the commits in the log;
/// those that were cleaned up are older than the log's own retention of 30 days. Throws
/// StorageError.
std::set<std::string> RetainedFiles(const storage::DeltaTable& table, int64_t cutoff_ms);

}  // namespace ariadne::build
