#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "storage/object_store.h"

namespace ariadne::storage {

/// A data file of a snapshot, for who reads it without the kernel.
struct DeltaScanFile {
  std::string path;  ///< Relative to the folder, decoded.
  int64_t size = 0;  ///< Bytes.
  /// By the names of the log, which column mapping tells from those of the schema. A column that is
  /// missing is NULL.
  std::vector<std::pair<std::string, std::string>> partition_values;
  std::vector<int64_t> deleted_rows;  ///< Places in the file, ascending: its deletion vector.
};

/// All that a reader has to know of a Delta table's newest snapshot.
struct DeltaScan {
  int64_t version = 0;
  std::string schema_json;  ///< Spark StructType JSON; fields' metadata holds the column mapping.
  bool column_mapping = false;                 ///< Files have the physical names of the columns.
  std::vector<std::string> partition_columns;  ///< By the names of the schema.
  std::vector<DeltaScanFile> files;            ///< Sorted by path.
};

/// Throws ObjectNotFound where the folder is absent or empty, InvalidDeltaTable where it holds
/// something else than a Delta table, StorageError.
DeltaScan ReadDeltaScan(const ObjectRef& folder);

}  // namespace ariadne::storage
