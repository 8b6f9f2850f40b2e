#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "storage/object_store.h"

namespace ariadne::storage {

/// A live data file of a Delta table's snapshot.
struct DataFile {
  std::string path;  ///< Relative to the table's folder, decoded.
  int64_t size = 0;  ///< Bytes.
  int64_t modified_ms = 0;
  int64_t num_records = -1;  ///< -1: the log does not say.
  std::string stats_json;    ///< Delta statistics as logged; may be empty.
  bool has_deletion_vector = false;
};

/// One commit. `removes` are paths as `DataFile::path` gives them, live in the base snapshot.
struct TableChange {
  std::string operation;       ///< "WRITE", "MERGE", "DELETE", "OPTIMIZE", "ALTER TABLE"
  std::vector<DataFile> adds;  ///< path, size, modified_ms, num_records, stats_json are used.
  std::vector<std::string> removes;
  bool data_change = true;
  /// Nullable columns to add: a JSON array of Spark StructField objects; empty: none.
  std::string add_columns_json;
  /// Spark StructType JSON that replaces the table's schema; empty: it stays. All live files must
  /// be among `removes`, and `add_columns_json` empty.
  std::string schema_json;
  /// Delta transaction id of the writer (application, version); empty application: none.
  std::string app_id;
  int64_t app_version = 0;
};

/// An immutable snapshot of a Delta table. Thread-safe.
class DeltaTable {
 public:
  /// nullptr where the folder is absent or empty. Throws InvalidDeltaTable where it holds
  /// something else than a Delta table, StorageError.
  static std::shared_ptr<DeltaTable> Open(const ObjectRef& folder);
  /// Writes version 0 at reader 1 / writer 2 (3/7 with timestampNtz where the schema needs it),
  /// or opens the table that another writer created first. `schema_json`: Spark StructType JSON.
  static std::shared_ptr<DeltaTable> Create(const ObjectRef& folder,
                                            const std::string& schema_json);
  ~DeltaTable();

  [[nodiscard]] const ObjectRef& folder() const;
  [[nodiscard]] int64_t version() const;
  /// Spark StructType JSON.
  [[nodiscard]] const std::string& schema_json() const;
  /// True where every data file can be read as plain Parquet by column name: no column mapping,
  /// no deletion vectors, no partition columns.
  [[nodiscard]] bool is_plain() const;
  /// Live files, sorted by path.
  [[nodiscard]] const std::vector<DataFile>& files() const;
  [[nodiscard]] ObjectRef FileRef(const std::string& path) const;
  /// Version that `app_id` last committed, if any.
  [[nodiscard]] std::optional<int64_t> AppVersion(const std::string& app_id) const;
  /// Rows through the kernel (column mapping, deletion vectors, partition columns applied).
  [[nodiscard]] std::shared_ptr<arrow::RecordBatchReader> Read(
      const std::vector<std::string>& columns) const;

  /// Newest snapshot; this one where nothing was committed since. nullptr: the table is gone.
  [[nodiscard]] std::shared_ptr<DeltaTable> Refresh() const;
  /// Whether both are the very same snapshot, as where Refresh found nothing new.
  [[nodiscard]] bool SharesStateWith(const DeltaTable& other) const {
    return state_ == other.state_;
  }
  /// Commits on top of exactly this snapshot and returns the new one; writes a checkpoint every
  /// ten commits and then cleans the log up. Throws CommitConflict when any other commit came
  /// first; nothing was changed then.
  std::shared_ptr<DeltaTable> Commit(const TableChange& change) const;

  /// Opens (or creates, with `schema_json`) and commits what `make` computes from the snapshot,
  /// again from a newer snapshot with backoff on a conflict, `tries` times at most. `make` returns
  /// nullopt when nothing is left to do.
  static std::shared_ptr<DeltaTable> CommitWithRetry(
      const ObjectRef& folder, const std::string& schema_json,
      const std::function<std::optional<TableChange>(const DeltaTable&)>& make, int tries = 15);

 private:
  struct State;
  explicit DeltaTable(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace ariadne::storage
