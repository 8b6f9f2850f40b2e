#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rowgroup/index_store.h"
#include "storage/object_store.h"

namespace ariadne::rowgroup {

/// Row-group indexes kept as a Delta table: a row an index, with the bytes that it speaks of. Any
/// number of processes add to one table. It is derived: deleting it loses speed, never an answer.
class IndexTable {
 public:
  /// `folder`: of the table; it need not exist.
  explicit IndexTable(storage::ObjectRef folder) : folder_(std::move(folder)) {}
  /// `native/row_group_indexes` below a root.
  static storage::ObjectRef FolderBelow(const storage::ObjectRef& root);

  /// Adds the indexes whose key is not there yet, in one commit; returns how many. Files that have
  /// become many are merged on the way. Throws InvalidDeltaTable, StorageError, CommitConflict: a
  /// damaged file is named, with the way out.
  int64_t Append(const std::vector<StoredIndex>& indexes);

  /// What a read gave.
  struct ReadReport {
    int64_t indexes = 0;
    int64_t damaged = 0;  ///< Rows that are not what was written; left out.
    bool stopped = false;
  };
  /// Gives each index to `take` until that returns false; of two with one key the first counts. A
  /// missing table is empty. Throws InvalidDeltaTable, StorageError.
  [[nodiscard]] ReadReport Read(
      const std::function<bool(IndexKey key, RowGroupIndex index)>& take) const;

  /// Removes the indexes of which `drop` is true, and damaged rows; returns how many. Throws
  /// InvalidDeltaTable, StorageError, CommitConflict.
  int64_t Drop(const std::function<bool(const IndexKey&)>& drop);
  /// Removes them all without reading one, so that a damaged table goes too; where its log cannot
  /// be read, the whole folder. Returns how many by the log; nullopt: the folder was removed.
  /// Throws InvalidDeltaTable where a file lies in the folder's place, StorageError,
  /// CommitConflict.
  std::optional<int64_t> DropAll();

  /// Decoded URL of the folder: for messages.
  [[nodiscard]] std::string url() const { return folder_.store->base_url() + folder_.path; }

 private:
  storage::ObjectRef folder_;
};

}  // namespace ariadne::rowgroup
