#include "build/update.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/batches.h"
#include "build/column_plan.h"
#include "build/compact.h"
#include "build/consolidate.h"
#include "build/file_states.h"
#include "build/filter_backfill.h"
#include "build/folder_entries.h"
#include "build/large_tables.h"
#include "build/locked_index.h"
#include "build/main_rows.h"
#include "build/plan.h"
#include "build/row_removal.h"
#include "build/staging.h"
#include "build/workspace.h"
#include "storage/debug_log.h"
#include "storage/lock.h"

namespace ariadne::build {

// The way of an update, and where it may die:
//
//   lock → finish what an earlier run left in staging → plan → visit files in parallel → stage each
//   batch (large pairs, one commit a column; data file, lookups, zones, then one commit) → every so
//   many batches and at the end merge staging into the main index (one commit) and remove it →
//   filters for files that lack them, the same way → large rows that nothing points to removed →
//   total size and filtered columns into the metadata
//
// Each commit is on disk before what it replaces goes. Before a batch's commit its files are simply
// not indexed, after it they are in staging, which the next update merges before it plans. The
// total is summed from the main index each time, so no crash can make it wrong for longer than
// until the next update.

namespace {

using Clock = std::chrono::steady_clock;

/// Cells of a batch: enough that its data file is a good size for the main index.
constexpr int64_t kBatchBytes = 128 << 20;
constexpr auto kProgressInterval = std::chrono::milliseconds(100);

int Threads(const Options& options) {
  if (options.threads > 0) return options.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Tells the caller's progress function, not too often.
class Progress {
 public:
  explicit Progress(const UpdateOptions& options) : options_(options) {}
  UpdateProgress state;

  void Tell(bool always = false) {
    if (!options_.progress) return;
    const auto now = Clock::now();
    if (!always && now - told_ < kProgressInterval) return;
    told_ = now;
    options_.progress(state);
  }
  void Enter(const char* phase) {
    state.phase = phase;
    Tell(true);
  }

 private:
  const UpdateOptions& options_;
  Clock::time_point told_;
};

/// Total size from what is in the main index, the columns whose files all have filters by now, and
/// the counter of batches since the last compaction, which goes on from one update to the next, as
/// the JVM library keeps it. Returns the counter.
int64_t WriteTotals(const UpdateTarget& target, int64_t batches,
                    const std::vector<std::string>& filter_columns) {
  storage::IndexMetadata metadata = ReadMetadataOf(target.layout);
  const auto main = storage::DeltaTable::Open(target.layout.main_index());
  const int64_t total = main == nullptr ? metadata.total_indexed_file_size : SumFileSizes(*main);
  const int64_t counter = metadata.batches_since_compact + batches;
  if (total != metadata.total_indexed_file_size || counter != metadata.batches_since_compact ||
      filter_columns != metadata.auto_bloom) {
    metadata.auto_bloom = filter_columns;
    metadata.total_indexed_file_size = total;
    metadata.batches_since_compact = counter;
    metadata.Write(target.layout.metadata());
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

/// How the files of a plan looked, by URI, before any of them was read.
std::map<std::string, FileState> LooksOf(const Plan& plan) {
  std::map<std::string, FileState> looks;
  for (const FileJob& job : plan.jobs) {
    // A file that has a row keeps the record of when that row was made.
    if (job.old_row || job.size < 0 || job.modified_ms == 0) continue;
    looks[job.uri] = {.size = job.size, .modified_ms = job.modified_ms, .etag = job.etag};
  }
  return looks;
}

void SayBuilt(const FileRow& row) {
  if (!storage::DebugIsOn()) return;
  storage::Debug("read " + row.uri + " of " + std::to_string(row.file_size) +
                 " bytes: " + std::to_string(row.bytes) + " bytes of index, at most " +
                 std::to_string(row.distinct) + " distinct values in a column");
}

}  // namespace

UpdateReport Update(const UpdateTarget& target, const UpdateOptions& options) {
  const auto begin = Clock::now();
  const storage::IoCounters before = target.stores->counters();
  Progress progress(options);
  progress.Enter("plan");

  LockedIndex index(target, options.stop);
  index.PlanBuilding();
  Workspace& workspace = index.workspace();
  LockKeeper& keeper = index.lock();
  LargeTables& large = *workspace.large;
  const LakeFormat format =
      LakeFormatOf(index.metadata().format, workspace.schema, index.metadata().read_options);
  ConsolidateStaging(&workspace);
  const auto main = storage::DeltaTable::Open(target.layout.main_index());
  Plan plan = MakePlan(target, workspace.columns, main.get(), large);
  if (ReplaceFolderEntries(target, plan)) {
    plan = MakePlan(target, workspace.columns, main.get(), large);
  }
  keeper.Tick();
  progress.state.files_total = static_cast<int64_t>(plan.jobs.size());
  progress.state.bytes_total = plan.bytes;

  UpdateReport report;
  BuildResult result;
  const std::map<std::string, FileState> looks = LooksOf(plan);
  std::map<std::string, FileState> indexed;
  if (!plan.jobs.empty()) {
    progress.Enter("build");
    BuildSettings settings;
    settings.threads = Threads(target.options);
    settings.memory_bytes = workspace.memory_bytes / 2;
    settings.batch_bytes = std::min(kBatchBytes, workspace.memory_bytes / 8);
    settings.batch_distinct = std::max<int64_t>(1, target.options.large_index_limit);
    settings.context = workspace.context;
    settings.placement = {.large_limit = settings.batch_distinct,
                          .filter_fpr = target.options.auto_bloom_fpr,
                          .large = &large};
    settings.stop = options.stop;
    Stager stager(&workspace, main);
    result = BuildBatches(
        plan.jobs, workspace.plans, format, settings,
        [&](Batch batch) {
          for (const FileRow& row : batch.rows) {
            SayBuilt(row);
            ++(row.old_row ? report.files_backfilled : report.files_indexed);
            const auto look = looks.find(row.uri);
            if (look != looks.end()) indexed.emplace(FileKey(row.uri), look->second);
          }
          stager.Stage(std::move(batch));
          ++report.batches;
          if (report.batches % std::max(1, target.options.lock_refresh_interval) == 0) {
            keeper.Refresh();
          }
          if (stager.staged() >= std::max(1, target.options.staging_consolidation_threshold)) {
            ConsolidateStaging(&workspace);
            stager.Consolidated();
          }
        },
        [&](int64_t files, int64_t bytes) {
          progress.state.files_done = files;
          progress.state.bytes_done = bytes;
          progress.Tell();
          keeper.Tick();
        });
    if (result.stopped) {
      throw Cancelled("the update of index '" + target.layout.name() +
                      "' was stopped; what it had done so far is kept, and the next update goes "
                      "on from there");
    }
    progress.Enter("consolidate");
    ConsolidateStaging(&workspace);
    FileStates::Record(&workspace, indexed);
  }
  BackfillFilters(&workspace);
  RemoveStrayLargeRows(&workspace);
  const int64_t batches_since_compact =
      WriteTotals(target, report.batches, workspace.FilterColumns());
  CompactIfDue(&workspace, batches_since_compact, options);

  const storage::IoCounters after = target.stores->counters();
  report.files_failed = std::move(result.failed);
  report.bytes_indexed = result.bytes_indexed;
  report.bytes_read = after.bytes_read - before.bytes_read;
  report.bytes_written = after.bytes_written - before.bytes_written;
  report.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  progress.state.files_done = progress.state.files_total;
  progress.state.bytes_done = progress.state.bytes_total;
  progress.Tell(true);
  return report;
}

}  // namespace ariadne::build
