#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "build/column_plan.h"
#include "build/update.h"
#include "index/auto_bloom.h"
#include "storage/delta_table.h"

namespace ariadne::build {

class LockKeeper;

/// The tables `large_indexes/{column}` during one update: (filename, value) rows of the files that
/// have too many distinct values of a column for a cell of the main index.
///
/// A pair's rows are one data file, sorted by value, in one commit before the row of the main index
/// that points away from them; rows that the table had of the same file go in that very commit. So
/// a file's rows in a table are always whole, and a null cell beside them is built.
class LargeTables {
 public:
  /// `filtered`: columns whose filters the metadata lists. Opens the tables that there are.
  LargeTables(const UpdateTarget& target, const std::vector<ColumnPlan>& plans,
              const std::vector<std::string>& filtered);
  ~LargeTables();

  // Columns are meant by their place among the plans. Thread-safe:

  /// True from the column's first large file on, if filters of its type can be made.
  [[nodiscard]] bool HasFilters(int column) const;
  /// Writes a data file of all entries and puts them into `filter` (may be nullptr). Nothing is
  /// committed. Throws StorageError.
  storage::DataFile Write(int column, const std::string& uri, const index::ColumnBuilder& values,
                          index::AutoBloom* filter);
  /// Deletes what Write gave, as far as it can.
  void Discard(int column, const storage::DataFile& file) const;

  // One thread:

  /// Commits data files of these files (canonical URIs) and removes their earlier rows.
  void Commit(int column, const std::vector<storage::DataFile>& files,
              const std::unordered_set<std::string>& uris, LockKeeper* lock);
  /// Snapshot as of the last commit of this update; nullptr: no table.
  [[nodiscard]] std::shared_ptr<storage::DeltaTable> Table(int column) const;
  [[nodiscard]] bool HasRows(int column) const;
  /// Canonical URIs of the files that have rows.
  [[nodiscard]] std::unordered_set<std::string> Files(int column) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Name of the column of values in a large table, which older releases called otherwise than the
/// index's column. Throws InvalidDeltaTable where there is none, or several.
std::string LargeValueColumn(const storage::DeltaTable& table);

/// Canonical URIs of the files that have rows in a data file of a large table; reads a dictionary
/// page where there is one. `table` is plain.
std::unordered_set<std::string> FilesIn(const storage::DeltaTable& table,
                                        const storage::DataFile& file);

}  // namespace ariadne::build
