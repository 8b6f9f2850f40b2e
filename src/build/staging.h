#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "build/batches.h"
#include "build/workspace.h"
#include "index/token_zones.h"
#include "storage/delta_table.h"

namespace ariadne::build {

/// A batch whose files lie in the store while nothing refers to them: as long as no commit does,
/// its data files count as not visited.
struct StagedBatch {
  struct Row {
    std::string uri;  ///< Canonical.
    bool backfilled = false;
  };
  /// A data file of a column's large table; the column by its place among the declared ones.
  struct Large {
    int column = 0;
    std::string uri;
    storage::DataFile file;
  };
  storage::DataFile file;   ///< Of the staging table.
  std::string schema_json;  ///< Of that file.
  /// The file may become one of the main index as it is: sorted, of a good size, all rows new, its
  /// lookup files written.
  bool adoptable = false;
  std::vector<Row> rows;
  std::vector<Large> large;
  std::vector<index::TokenZones::Entry> token_zones;
};

/// Writes batches into the folder of the staging table, wherever they were built. Every staged row
/// is a whole row of the main index: a backfilled one carries the cells that it had, so that
/// whoever consolidates may replace rows by rows. One thread.
class BatchWriter {
 public:
  /// `main`: the main index, nullptr where there was no table. `old_files`: the data files of it in
  /// which the old rows of backfills have their places. `run`: with what the ids of the batches
  /// begin, unlike that of any other writer.
  BatchWriter(Workspace* workspace, std::shared_ptr<storage::DeltaTable> main,
              std::vector<storage::DataFile> old_files, std::string run);
  /// `adopt_small`: the file need not be large to become one of the main index. Throws InvalidFile,
  /// StorageError, LockLost.
  StagedBatch Write(Batch batch, bool adopt_small);

 private:
  [[nodiscard]] std::vector<index::TokenZones::Entry> TokenZonesOf(const Batch& batch) const;

  Workspace* workspace_;
  std::shared_ptr<storage::DeltaTable> main_;
  std::vector<storage::DataFile> old_files_;
  std::string run_;
  int64_t number_ = 0;
  int64_t last_staged_at_ = 0;
};

/// Commits the large pairs of the batches, a commit a column, and then their rows to staging, all
/// in one commit. Throws StorageError, LockLost.
void CommitBatches(Workspace* workspace, const std::vector<StagedBatch>& batches);

}  // namespace ariadne::build
