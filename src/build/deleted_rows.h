#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "storage/layout.h"

namespace ariadne::build {

/// Places of rows in a file, ascending, by FileKey of the file.
using DeletedRows = std::map<std::string, std::vector<int64_t>>;

/// Rows that a Delta table that is the lake has taken from its files with deletion vectors, as of
/// the last sync, in `native/deleted_rows.json`: the index knows them, no row of an answer is one.
/// Throws InvalidFile where the object cannot be understood, StorageError.
DeletedRows LoadDeletedRows(const storage::IndexLayout& layout);

/// Puts down what is taken from the files whose keys begin with `prefix`; what is known of others
/// stays.
void RecordDeletedRows(const storage::IndexLayout& layout, const std::string& prefix,
                       const DeletedRows& rows);

}  // namespace ariadne::build
