#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "storage/object_store.h"

namespace ariadne::storage {

/// What the log of a Delta table says of a snapshot whose rows are read without the table.
struct DeltaLog {
  std::string schema_json;  ///< Spark StructType JSON.
  std::vector<std::string> partition_columns;
  std::vector<std::string> files;  ///< Live ones, relative to the folder, decoded.
  /// Places of the rows that deletion vectors take from live files, ascending, by file.
  std::map<std::string, std::vector<int64_t>> deleted_rows;
};

/// The newest snapshot; nullopt where the folder has no `_delta_log`. Throws InvalidDeltaTable
/// where the log cannot be read, StorageError.
std::optional<DeltaLog> ReadDeltaLog(const ObjectRef& folder);

}  // namespace ariadne::storage
