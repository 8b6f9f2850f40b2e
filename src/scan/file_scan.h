#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "source/file_uri.h"

namespace ariadne::scan {

class DeletedRows;

/// A file to read.
struct ScanFile {
  std::string uri;    ///< As stored; its folders give partition values. Empty: they give none.
  std::string url;    ///< Decoded URL to read (after path mapping).
  int64_t size = -1;  ///< Bytes; -1: unknown.
  /// Of a Parquet file, rows that it holds and scans leave out; nullptr: none.
  std::shared_ptr<const DeletedRows> deleted_rows = nullptr;
  /// Partition values that a table's log gives, by the names of the schema, in place of those of
  /// the folders.
  std::optional<std::vector<source::PartitionValue>> partition_values = std::nullopt;
};

/// A set of files with one declared schema. Columns that a file lacks are NULL, narrower ones are
/// widened, Hive partition columns come from the path.
struct FileSet {
  std::vector<ScanFile> files;
  std::shared_ptr<arrow::Schema> schema;
  std::string format = "parquet";  ///< "parquet", "csv" or "json"; of all files.
  /// Of CSV and JSON, as Spark names them (text::ReadTextOptions). There columns are found as Spark
  /// finds them: in CSV by place, in JSON by their exact names.
  std::vector<std::pair<std::string, std::string>> read_options;
};

/// What scans of a set have read so far.
struct ScanMetrics {
  int64_t files_opened = 0;
  int64_t row_groups_read = 0;
  int64_t row_groups_skipped = 0;           ///< By statistics against pushed filters.
  int64_t row_groups_skipped_by_index = 0;  ///< By row-group indexes, before any statistics.
  int64_t rows_read = 0;
};

}  // namespace ariadne::scan
