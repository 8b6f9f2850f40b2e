#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "source/file_uri.h"

namespace ariadne::scan {

/// What the log of a table says of one of its Parquet files.
struct TableFile {
  std::vector<source::PartitionValue> partition_values;  ///< By the names of the schema.
  std::vector<int64_t> deleted_rows;  ///< Places in the file, ascending: a deletion vector.
};

/// What the log of a table says of a set's files, in the set's order.
struct TableFiles {
  std::vector<TableFile> files;
  /// The set's schema as the files have it: the same columns in the same order, other names, at any
  /// depth (column mapping).
  std::shared_ptr<arrow::Schema> physical_schema;
};

}  // namespace ariadne::scan
