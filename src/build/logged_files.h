#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "source/file_uri.h"
#include "storage/layout.h"
#include "storage/metadata.h"

namespace ariadne::build {

/// What a log gives to partition columns, by the names of the log; nullopt: NULL.
using LoggedValues = std::map<std::string, std::optional<std::string>>;

/// What the log of a Delta table that is the lake says of a file, and nothing else does.
struct LoggedFile {
  /// Places of rows that a deletion vector takes from the file, ascending. The index knows them, no
  /// row of an answer is one.
  std::vector<int64_t> deleted_rows;
  /// Of all partition columns; nullopt where the file's folders say the same.
  std::optional<LoggedValues> partition_values;

  friend bool operator==(const LoggedFile&, const LoggedFile&) = default;
};

/// By FileKey.
using LoggedFiles = std::map<std::string, LoggedFile>;

/// As of the last sync, from `native/deleted_rows.json`. Throws InvalidFile where the object cannot
/// be understood, StorageError.
LoggedFiles LoadLoggedFiles(const storage::IndexLayout& layout);

/// The same, without asking the store where the metadata says that there is nothing.
LoggedFiles LoadLoggedFiles(const storage::IndexLayout& layout,
                            const storage::IndexMetadata& metadata);

/// True where the store has such an object.
bool HasLoggedFiles(const storage::IndexLayout& layout);

/// Puts these down in place of those that are there. The metadata must not deny them any more.
void RecordLoggedFiles(const storage::IndexLayout& layout, const LoggedFiles& files);

/// Those of the values that a column of the schema has, by the names of the schema.
std::vector<source::PartitionValue> PartitionValuesOf(const LoggedValues& values,
                                                      const arrow::Schema& schema);

}  // namespace ariadne::build
