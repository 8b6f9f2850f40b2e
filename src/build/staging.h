#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "build/batches.h"
#include "build/workspace.h"

namespace ariadne::build {

/// Appends batches to the staging table. Every staged row is a whole row of the main index: a
/// backfilled one carries the cells that it had, so that whoever consolidates may replace rows by
/// rows.
class Stager {
 public:
  /// `main`: the snapshot from which the jobs were planned; nullptr where there was no table.
  Stager(Workspace* workspace, std::shared_ptr<storage::DeltaTable> main);
  /// Commits the large pairs of the batch, then writes its data file and commits that. Throws
  /// InvalidFile, StorageError, LockLost.
  void Stage(Batch batch);
  /// Batches staged since the last consolidation.
  [[nodiscard]] int staged() const { return staged_; }
  void Consolidated() { staged_ = 0; }

 private:
  void CommitLarge(const Batch& batch) const;
  void RecordTokenZones(const Batch& batch) const;

  Workspace* workspace_;
  std::shared_ptr<storage::DeltaTable> main_;
  std::shared_ptr<arrow::Schema> row_schema_;  ///< Of the main index.
  int staged_ = 0;
  int64_t number_ = 0;
  int64_t last_staged_at_ = 0;
};

}  // namespace ariadne::build
