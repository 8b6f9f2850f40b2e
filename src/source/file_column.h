#pragma once

#include <memory>
#include <optional>
#include <string>

#include <arrow/type_fwd.h>

#include "source/data_file.h"
#include "source/parquet_file.h"

namespace ariadne::source {

/// Where a declared column is found in one Parquet file.
struct FileColumn {
  std::string name;                       ///< As declared.
  std::shared_ptr<arrow::DataType> type;  ///< As declared.
  int field = -1;                         ///< Place in the file's schema; -1: the file lacks it.
  int leaf = -1;                          ///< Its column chunk, for a primitive column.
  std::shared_ptr<arrow::DataType> leaf_type;  ///< Type of the file's values, for a leaf.

  [[nodiscard]] bool missing() const { return field < 0; }
};

/// Finds the declared column by its StoredName (exact first, then without regard to case). Throws
/// InvalidFile where two columns answer to it or its values cannot be read as declared.
FileColumn FindColumn(const ParquetFile& file, const arrow::Field& declared);

/// The column chunk of the values of a declared column's elements, its `field` that of it, where
/// the path leads to a primitive type that can be read as `type`; else nullopt.
std::optional<FileColumn> FindElements(const ParquetFile& file, const FileColumn& column,
                                       const ElementPath& path,
                                       const std::shared_ptr<arrow::DataType>& type);

/// Spark's reading of the whole file's schema, all columns nullable.
std::shared_ptr<arrow::Schema> SparkSchema(const ParquetFile& file);

}  // namespace ariadne::source
