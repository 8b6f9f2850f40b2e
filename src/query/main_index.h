#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "index/lookup_file.h"
#include "storage/delta_table.h"

namespace ariadne::query {

/// Rows of the main index that lie together: one data file, or, where the table is not plain
/// Parquet, all of it. Immutable once loaded, so that a snapshot passes it on to the next one.
/// Thread-safe.
class MainIndexPart {
 public:
  struct RowGroup {
    int64_t first_row = 0;
    int64_t num_rows = 0;
  };

  virtual ~MainIndexPart() = default;

  [[nodiscard]] int64_t num_rows() const { return static_cast<int64_t>(file_sizes_.size()); }
  /// Stored name of the data file that a row describes.
  [[nodiscard]] std::string_view filename(int64_t row) const;
  /// Bytes; -1: unknown.
  [[nodiscard]] int64_t file_size(int64_t row) const { return file_sizes_[row]; }
  [[nodiscard]] const std::vector<RowGroup>& row_groups() const { return row_groups_; }

  /// False where the part was written before the column was declared: then nothing is known.
  [[nodiscard]] virtual bool HasColumn(const std::string& storage_column) const = 0;
  /// The cells of one row group as `type`. Throws InvalidFile, StorageError.
  [[nodiscard]] virtual std::shared_ptr<arrow::Array> ReadCells(
      const std::string& storage_column, size_t row_group,
      const std::shared_ptr<arrow::DataType>& type) const = 0;
  /// The part's lookup file of a regular column; nullptr where there is none that fits.
  [[nodiscard]] virtual std::shared_ptr<index::LookupFile> Lookup(
      const storage::ObjectRef& native_folder, const std::string& column) const = 0;

 protected:
  /// Names (string) and sizes (int64, or nullptr where none are kept) of all rows, cut into row
  /// groups of these lengths.
  void SetRows(const std::shared_ptr<arrow::Array>& names, const arrow::Array* sizes,
               const std::vector<int64_t>& group_rows);

 private:
  std::vector<RowGroup> row_groups_;
  std::shared_ptr<arrow::StringArray> names_;
  std::vector<int64_t> file_sizes_;
};

/// A snapshot of the main index with the names of its rows loaded. Thread-safe.
class MainIndex {
 public:
  /// Opens the parts on `threads` threads, taking those that `previous` has already loaded.
  /// A part that cannot be read is left out and named by `failure()`: its files then count as not
  /// indexed, which is "maybe". `only`: of a plain table, the data files to open; nullptr: all.
  static std::shared_ptr<const MainIndex> Load(std::shared_ptr<storage::DeltaTable> table,
                                               const MainIndex* previous, int threads,
                                               const std::set<std::string>* only = nullptr);

  [[nodiscard]] const storage::DeltaTable& table() const { return *table_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const MainIndexPart>>& parts() const {
    return parts_;
  }
  /// Why a part could not be read; empty where all were.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  std::shared_ptr<storage::DeltaTable> table_;
  std::vector<std::shared_ptr<const MainIndexPart>> parts_;
  std::map<std::string, std::shared_ptr<const MainIndexPart>> by_path_;
  std::string failure_;
};

}  // namespace ariadne::query
