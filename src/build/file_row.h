#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "build/column_plan.h"
#include "build/lake_format.h"
#include "build/large_tables.h"
#include "build/plan.h"
#include "index/column_index.h"
#include "storage/delta_table.h"

namespace ariadne::build {

/// What a builder may hold before it spills, at least, in bytes.
inline constexpr int64_t kSmallestBuilder = 1 << 20;

/// What one visit of a file found: its row of the main index, or the cells that its row lacked.
struct FileRow {
  std::string uri;
  int64_t file_size = 0;
  /// A cell (array of length 1) for each declared column that was built, nullptr for the others.
  /// Null only where the values are in `large`.
  std::vector<std::shared_ptr<arrow::Array>> cells;
  /// Filters of columns with large files (binary, length 1) by declared column; nullptr: none made.
  std::vector<std::shared_ptr<arrow::Array>> filters;
  /// Written to the column's large table, and not committed there.
  struct Large {
    int column = 0;
    storage::DataFile file;
  };
  std::vector<Large> large;
  /// Distinct values of the column that has the most, of those that keep values.
  int64_t distinct = 0;
  std::optional<RowPlace> old_row;
  int64_t bytes = 0;  ///< Memory that the cells take.
};

/// Where values go.
struct Placement {
  /// Distinct values of a (file, column) from which on they go to the large table.
  int64_t large_limit = 0;
  double filter_fpr = 0.01;
  LargeTables* large = nullptr;
};

/// A file that is opened and not read yet, so that its memory can be asked for first.
class OpenedFile {
 public:
  /// Reads the footer, where the format has one. Throws InvalidFile, ObjectNotFound, StorageError.
  OpenedFile(const FileJob& job, const std::vector<ColumnPlan>& columns, const LakeFormat& format);
  ~OpenedFile();

  /// Upper bound of the memory that building takes, in bytes.
  [[nodiscard]] int64_t memory_bound() const;
  /// Reads each column once (all in one pass where the format has rows), and not at all where the
  /// footer proves its range. Values that are too many for a cell are written to the column's large
  /// table. Throws InvalidFile, StorageError; then nothing of it stays.
  FileRow Build(const index::BuildContext& context, const Placement& placement) const;

 private:
  /// Reads these columns in one go and adds their cells.
  void BuildColumns(const std::vector<int>& columns, const index::BuildContext& context,
                    const Placement& placement, FileRow* row) const;
  /// Adds what the builder holds to the row.
  void AddBuilt(int column, index::ColumnBuilder& builder, const index::BuildContext& context,
                const Placement& placement, FileRow* row) const;
  void AddCell(int column, const std::shared_ptr<arrow::Array>& cell, FileRow* row) const;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::build
