#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scan/file_sets.h"
#include "sql/lake_table.h"

namespace duckdb {
class ClientContext;
}

namespace ariadne::sql {

/// Of each file, by its name as stored, the rows that are the newest version of their key in a
/// temporal column, among the rows of `files`; rows without a key are no version of anything and
/// are all among them. Of equal timestamps the first row of the first file counts, NULL being older
/// than any. Reads key and timestamp of all the files on a connection of its own; `sets` is where
/// its database finds them. Throws the engine's errors.
std::map<std::string, std::shared_ptr<scan::KeptRows>> NewestRows(
    duckdb::ClientContext& context, scan::FileSets& sets, const LakeTable& table,
    const IndexedColumn& column, std::vector<scan::ScanFile> files);

}  // namespace ariadne::sql
