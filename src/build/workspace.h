#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "build/column_plan.h"
#include "build/large_tables.h"
#include "build/update.h"
#include "index/column_index.h"
#include "storage/delta_table.h"
#include "storage/lock.h"
#include "storage/metadata.h"

namespace ariadne::build {

/// The update lock while an update runs: refreshed by time beside the refresh that batches ask for,
/// checked before each commit. One thread.
class LockKeeper {
 public:
  LockKeeper(storage::Lock* lock, const Options& options);
  /// Refreshes when a good part of the time after which others take the lock over has passed.
  /// Throws LockLost.
  void Tick();
  void Refresh();
  /// Marks a change as written under this lock. Throws LockLost.
  void Sign(storage::TableChange* change);
  [[nodiscard]] const std::string& correlation_id() const { return lock_->correlation_id(); }

 private:
  using Clock = std::chrono::steady_clock;
  storage::Lock* lock_;
  Clock::duration interval_;
  Clock::time_point refreshed_;
  int64_t commits_ = 0;
};

/// Memory that an operation may use, in bytes: what the options say, else a quarter of the
/// machine's.
int64_t OperationMemory(const Options& options);

/// What the steps of one operation share. One thread.
struct Workspace {
  const UpdateTarget& target;
  storage::IndexMetadata metadata;     ///< As read when the operation began.
  std::vector<IndexedColumn> columns;  ///< As declared.
  int64_t memory_bytes = 0;
  index::BuildContext context;
  LockKeeper* lock = nullptr;  ///< nullptr where another process holds it for us.
  // Where something is built (LockedIndex::PlanBuilding), else empty:
  std::vector<ColumnPlan> plans;          ///< Of the columns, in the same order.
  std::shared_ptr<arrow::Schema> schema;  ///< Of the data files.
  std::string main_schema_json;           ///< Of a main index made now.
  LargeTables* large = nullptr;
  /// Staged data files of this very run that may move to the main index as they are: sorted, of a
  /// good size, their lookup files written.
  std::set<std::string> adoptable;

  /// Fills in columns, memory and context from the metadata and the target's options.
  void Prepare();
  /// Fills in schema and plans. Throws ColumnNotFound, UnsupportedColumn.
  void PlanBuilding();
  /// Columns of the main index that get lookup files.
  [[nodiscard]] std::vector<std::string> LookupColumns() const;
  /// Columns whose files have filters: those that the metadata lists and those that the large
  /// tables have begun since, in this order.
  [[nodiscard]] std::vector<std::string> FilterColumns() const;
  /// LockKeeper::Tick where we hold the lock.
  void KeepLock() const {
    if (lock != nullptr) lock->Tick();
  }
  /// Makes `main_schema_json` of the metadata and FilterColumns.
  void MakeMainSchema();
};

/// Columns that staging has beside those of the main index: when and in which batch a row was
/// staged, by which consolidation ranks rows of one file.
inline constexpr char kStagedAt[] = "_ariadne_staged_at";
inline constexpr char kBatchId[] = "_ariadne_batch_id";

/// Arrow schema of rows to write: the table's columns (`main` may be nullptr), then those declared
/// since. `added_json`, if given: Spark fields of the latter, as `TableChange::add_columns_json`.
std::shared_ptr<arrow::Schema> MainRowSchema(const Workspace& workspace,
                                             const storage::DeltaTable* main,
                                             std::string* added_json = nullptr);
/// The same with the columns of staging.
std::shared_ptr<arrow::Schema> StagedRowSchema(const arrow::Schema& main_rows);

}  // namespace ariadne::build
