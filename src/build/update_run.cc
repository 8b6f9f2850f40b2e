#include "build/update_run.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/compact.h"
#include "build/consolidate.h"
#include "build/filter_backfill.h"
#include "build/folder_entries.h"
#include "build/large_tables.h"
#include "build/main_rows.h"
#include "build/row_removal.h"

namespace ariadne::build {

namespace {

using Clock = std::chrono::steady_clock;

/// Cells of a batch: enough that its data file is a good size for the main index.
constexpr int64_t kBatchBytes = 128 << 20;
constexpr auto kProgressInterval = std::chrono::milliseconds(100);

int Threads(const Options& options) {
  if (options.threads > 0) return options.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Total size from what is in the main index, the columns whose files all have filters by now,
/// whether there are LoggedFiles, and the counter of batches since the last compaction, which goes
/// on from one update to the next, as the JVM library keeps it. Returns the counter.
int64_t WriteTotals(const LockedIndex& index, int64_t batches,
                    const std::vector<std::string>& filter_columns) {
  storage::IndexMetadata metadata = ReadMetadataOf(index.layout());
  const auto main = storage::DeltaTable::Open(index.layout().main_index());
  const int64_t total = main == nullptr ? metadata.total_indexed_file_size : SumFileSizes(*main);
  const int64_t counter = metadata.batches_since_compact + batches;
  if (total != metadata.total_indexed_file_size || counter != metadata.batches_since_compact ||
      filter_columns != metadata.auto_bloom || index.metadata().delta_lake != metadata.delta_lake) {
    metadata.auto_bloom = filter_columns;
    metadata.delta_lake = index.metadata().delta_lake;
    metadata.total_indexed_file_size = total;
    metadata.batches_since_compact = counter;
    metadata.Write(index.layout().metadata());
  }
  return counter;
}

/// Compacts where as many batches as were asked for have come since the last time.
void CompactIfDue(Workspace* workspace, int64_t batches_since, const UpdateOptions& options) {
  const UpdateTarget& target = workspace->target;
  const int64_t threshold = target.options.auto_compact_threshold;
  if (threshold <= 0 || batches_since < threshold) return;
  CompactTables(workspace, [&] {
    if (!options.stop.stop_requested()) return;
    throw Cancelled("the compaction of index '" + target.layout.name() +
                    "' was stopped; its files are indexed, and the next update compacts again");
  });
  storage::IndexMetadata metadata = ReadMetadataOf(target.layout);
  metadata.batches_since_compact = 0;
  workspace->lock->Refresh();
  metadata.Write(target.layout.metadata());
}

std::map<std::string, FileState> LooksOf(const Plan& plan) {
  std::map<std::string, FileState> looks;
  for (const FileJob& job : plan.jobs) {
    // A file that has a row keeps the record of when that row was made.
    if (job.old_row || job.size < 0 || job.modified_ms == 0) continue;
    looks[job.uri] = {.size = job.size, .modified_ms = job.modified_ms, .etag = job.etag};
  }
  return looks;
}

}  // namespace

void ProgressTeller::Tell(bool always) {
  if (!options_.progress) return;
  const auto now = Clock::now();
  if (!always && now - told_ < kProgressInterval) return;
  told_ = now;
  options_.progress(state);
}

void ProgressTeller::Enter(const char* phase) {
  state.phase = phase;
  Tell(true);
}

UpdateRun::UpdateRun(const UpdateTarget& target, const UpdateOptions& options)
    : target_(target),
      options_(options),
      begin_(Clock::now()),
      before_(target.stores->counters()),
      progress_(options),
      index_((progress_.Enter("plan"), target), options.stop) {
  index_.PlanBuilding();
  format_ =
      LakeFormatOf(index_.metadata().format, workspace().schema, index_.metadata().read_options);
  format_.logged = LoadLoggedFiles(target.layout, index_.metadata());
  ConsolidateStaging(&workspace());
  main_ = storage::DeltaTable::Open(target.layout.main_index());
  plan_ = MakePlan(target, workspace().columns, main_.get(), *workspace().large);
  if (ReplaceFolderEntries(target, plan_)) {
    plan_ = MakePlan(target, workspace().columns, main_.get(), *workspace().large);
  }
  lock().Tick();
  progress_.state.files_total = static_cast<int64_t>(plan_.jobs.size());
  progress_.state.bytes_total = plan_.bytes;
  looks_ = LooksOf(plan_);
}

void UpdateRun::Commit(const std::vector<StagedBatch>& batches) {
  CommitBatches(&workspace(), batches);
  for (const StagedBatch& batch : batches) {
    for (const StagedBatch::Row& row : batch.rows) {
      ++(row.backfilled ? report_.files_backfilled : report_.files_indexed);
      const auto look = looks_.find(row.uri);
      if (look != looks_.end()) indexed_.emplace(FileKey(row.uri), look->second);
    }
    ++staged_;
    ++report_.batches;
    if (report_.batches % std::max(1, target_.options.lock_refresh_interval) == 0) {
      lock().Refresh();
    }
  }
}

bool UpdateRun::ConsolidationIsDue() const {
  return staged_ >= std::max(1, target_.options.staging_consolidation_threshold);
}

void UpdateRun::Consolidate() {
  ConsolidateStaging(&workspace());
  staged_ = 0;
}

UpdateReport UpdateRun::Finish(BuildResult result) {
  if (!plan_.jobs.empty()) {
    progress_.Enter("consolidate");
    Consolidate();
    FileStates::Record(&workspace(), indexed_);
  }
  BackfillFilters(&workspace());
  RemoveStrayLargeRows(&workspace());
  const int64_t batches_since_compact =
      WriteTotals(index_, report_.batches, workspace().FilterColumns());
  CompactIfDue(&workspace(), batches_since_compact, options_);

  const storage::IoCounters after = target_.stores->counters();
  report_.files_failed = std::move(result.failed);
  report_.bytes_indexed = result.bytes_indexed;
  report_.bytes_read += after.bytes_read - before_.bytes_read;
  report_.bytes_written += after.bytes_written - before_.bytes_written;
  report_.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin_).count();
  progress_.state.files_done = progress_.state.files_total;
  progress_.state.bytes_done = progress_.state.bytes_total;
  progress_.Tell(true);
  return std::move(report_);
}

BuildSettings BuildSettingsOf(const Workspace& workspace, std::stop_token stop) {
  const Options& options = workspace.target.options;
  BuildSettings settings;
  settings.threads = Threads(options);
  settings.memory_bytes = workspace.memory_bytes / 2;
  settings.batch_bytes = std::min(kBatchBytes, workspace.memory_bytes / 8);
  settings.batch_distinct = std::max<int64_t>(1, options.large_index_limit);
  settings.context = workspace.context;
  settings.placement = {.large_limit = settings.batch_distinct,
                        .filter_fpr = options.auto_bloom_fpr,
                        .large = workspace.large};
  settings.stop = std::move(stop);
  return settings;
}

}  // namespace ariadne::build
