#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "storage/delta_table.h"

namespace ariadne::source {
class ParquetFile;
}

namespace ariadne::build {

/// Streams rows of one data file of an index table, whoever wrote it, as columns of a given schema:
/// columns that the file lacks are null, inner fields go by place or name whatever they are called,
/// INT96 is read as microseconds. Batches are small enough that rows which hold whole arrays stay
/// within a few dozen megabytes. One thread.
class TableRows {
 public:
  /// Throws InvalidFile, StorageError.
  TableRows(const storage::DeltaTable& table, const storage::DataFile& file,
            std::shared_ptr<arrow::Schema> schema);
  ~TableRows();

  [[nodiscard]] int64_t num_rows() const;
  /// Uncompressed bytes of one row on average, in all columns of the file.
  [[nodiscard]] int64_t bytes_per_row() const;
  [[nodiscard]] bool has_column(const std::string& column) const;
  /// (first row, rows) of each row group.
  [[nodiscard]] std::vector<std::pair<int64_t, int64_t>> row_groups() const;

  /// From now on Next gives only these row groups (ascending), from the first of them.
  void SelectRowGroups(const std::vector<int>& row_groups);
  /// nullptr at the end.
  std::shared_ptr<arrow::RecordBatch> Next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `array` as `type` where both are the same values under other labels (list element names,
/// timestamp zones), by exact widening otherwise. `where` names the input in messages.
std::shared_ptr<arrow::Array> ConformCells(const std::shared_ptr<arrow::Array>& array,
                                           const std::shared_ptr<arrow::DataType>& type,
                                           const std::string& where);

}  // namespace ariadne::build
