#include "build/update.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/batches.h"
#include "build/compact.h"
#include "build/consolidate.h"
#include "build/file_states.h"
#include "build/main_rows.h"
#include "build/migrate.h"
#include "build/plan.h"
#include "build/row_removal.h"
#include "build/staging.h"
#include "build/workspace.h"
#include "source/spark_schema.h"
#include "storage/lock.h"

namespace ariadne::build {

// The way of an update, and where it may die:
//
//   lock → finish what an earlier run left in staging → plan → visit files in parallel → stage each
//   batch (data file, lookups, zones, then one commit) → every so many batches and at the end merge
//   staging into the main index (one commit) and remove it → total size into the metadata
//
// Each commit is on disk before what it replaces goes. Before a batch's commit its files are simply
// not indexed, after it they are in staging, which the next update merges before it plans. The
// total is summed from the main index each time, so no crash can make it wrong for longer than
// until the next update.

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kSmallestBudget = 1 << 20;
/// Cells of a batch: enough that its data file is a good size for the main index.
constexpr int64_t kBatchBytes = 128 << 20;
constexpr auto kProgressInterval = std::chrono::milliseconds(100);

int64_t MemoryBytes(const Options& options) {
  if (options.memory_bytes > 0) return std::max(options.memory_bytes, kSmallestBudget);
  const int64_t pages = ::sysconf(_SC_PHYS_PAGES);
  const int64_t page = ::sysconf(_SC_PAGESIZE);
  return std::max<int64_t>(pages > 0 && page > 0 ? pages * page / 4 : 0, int64_t{256} << 20);
}

int Threads(const Options& options) {
  if (options.threads > 0) return options.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Kinds that only the JVM library builds would be left out of the new rows, and it would take
/// their absence for "no value".
void RefuseForeignKinds(const std::string& name, const storage::IndexMetadata& metadata) {
  const char* kind = !metadata.computed.empty()     ? "computed"
                     : !metadata.exploded.empty()   ? "exploded field"
                     : !metadata.temporal.empty()   ? "temporal"
                     : !metadata.auto_bloom.empty() ? "auto-bloom"
                                                    : nullptr;
  if (kind == nullptr) return;
  throw UnsupportedColumn("index '" + name + "' has " + kind +
                          " columns, which this release cannot build; it can be queried as it is, "
                          "or updated with the JVM library");
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

storage::IndexMetadata ReadMetadata(const storage::IndexLayout& layout) {
  auto metadata = storage::IndexMetadata::Read(layout.metadata());
  if (!metadata) {
    throw IndexNotFound("no index '" + layout.name() + "' at " + layout.folder().store->base_url() +
                        layout.folder().path + "; create it first");
  }
  return std::move(*metadata);
}

/// Total size from what is in the main index, and the counter of batches since the last compaction,
/// which goes on from one update to the next, as the JVM library keeps it. Returns the counter.
int64_t WriteTotals(const UpdateTarget& target, int64_t batches) {
  storage::IndexMetadata metadata = ReadMetadata(target.layout);
  const auto main = storage::DeltaTable::Open(target.layout.main_index());
  const int64_t total = main == nullptr ? metadata.total_indexed_file_size : SumFileSizes(*main);
  const int64_t counter = metadata.batches_since_compact + batches;
  if (total != metadata.total_indexed_file_size || counter != metadata.batches_since_compact) {
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
  storage::IndexMetadata metadata = ReadMetadata(target.layout);
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

}  // namespace

UpdateReport Update(const UpdateTarget& target, const UpdateOptions& options) {
  const auto begin = Clock::now();
  const storage::IoCounters before = target.stores->counters();
  Progress progress(options);
  progress.Enter("plan");

  ReadMetadata(target.layout);  // Nothing is locked below an index that is not there.
  const auto lock =
      storage::Lock::Acquire(target.layout.update_lock(), target.options, options.stop);
  LockKeeper keeper(lock.get(), target.options);
  storage::IndexMetadata metadata = ReadMetadata(target.layout);
  RefuseForeignKinds(target.layout.name(), metadata);

  Workspace workspace{.target = target};
  workspace.columns = DeclaredColumns(metadata);
  workspace.schema = source::FromSparkJson(metadata.schema_json);
  workspace.main_schema_json = MainIndexSchema(metadata, *workspace.schema);
  workspace.memory_bytes = MemoryBytes(target.options);
  workspace.context.memory_bytes = workspace.memory_bytes / 4;
  if (!target.options.token_time_zone.empty()) {
    workspace.context.token_time_zone = target.options.token_time_zone;
  }
  workspace.lock = &keeper;

  MigrateStorage(&workspace, &metadata);
  ConsolidateStaging(&workspace);
  const auto main = storage::DeltaTable::Open(target.layout.main_index());
  const Plan plan = MakePlan(target, workspace.columns, main.get());
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
    settings.context = workspace.context;
    settings.stop = options.stop;
    Stager stager(&workspace, main);
    result = BuildBatches(
        plan.jobs, workspace.columns, workspace.schema, settings,
        [&](Batch batch) {
          for (const FileRow& row : batch.rows) {
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
  const int64_t batches_since_compact = WriteTotals(target, report.batches);
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
