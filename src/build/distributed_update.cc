#include "build/distributed_update.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "ariadne/errors.h"
#include "build/batches.h"
#include "build/lake_format.h"
#include "build/large_tables.h"
#include "build/workspace.h"

namespace ariadne::build {

namespace {

/// Shares a process: enough that the last ones to end keep the others waiting for a short while
/// only, and that a lost one costs little.
constexpr int64_t kSharesAProcess = 4;
/// What opening a file takes, in bytes that could be read meanwhile.
constexpr int64_t kBytesAFile = 256 << 10;

}  // namespace

DistributedUpdate::DistributedUpdate(const UpdateTarget& target, const UpdateOptions& options,
                                     int parallelism, const ShareSize& size)
    : run_(target, options), target_(target), parallelism_(std::max(1, parallelism)), size_(size) {
  if (!run_.plan().jobs.empty()) run_.progress().Enter("build");
}

std::optional<UpdateShare> DistributedUpdate::NextShare() {
  if (run_.ConsolidationIsDue()) {
    if (out_ > 0) return std::nullopt;
    run_.Consolidate();
  }
  const std::vector<FileJob>& jobs = run_.plan().jobs;
  const int64_t work = run_.plan().bytes + static_cast<int64_t>(jobs.size()) * kBytesAFile;
  const int64_t bytes =
      std::clamp(work / (kSharesAProcess * parallelism_), size_.least_bytes, size_.most_bytes);
  UpdateShare share;
  std::map<int32_t, int32_t> old_files;  // Place in the main index -> in the share.
  int64_t taken = 0;
  for (; next_ < jobs.size() && taken < bytes; ++next_) {
    if (static_cast<int64_t>(share.jobs.size()) == size_.most_files) break;
    FileJob job = jobs[next_];
    if (!job.error.empty()) {
      result_.failed.push_back({job.uri, job.error});
      continue;
    }
    taken += std::max<int64_t>(0, job.size) + kBytesAFile;
    if (job.old_row) {
      const auto [place, added] =
          old_files.emplace(job.old_row->file, static_cast<int32_t>(old_files.size()));
      if (added) share.old_files.push_back(run_.main()->files()[job.old_row->file]);
      job.old_row->file = place->second;
    }
    share.jobs.push_back(std::move(job));
  }
  if (share.jobs.empty()) return std::nullopt;
  const Workspace& workspace = run_.workspace();
  share.index = target_.layout.name();
  share.run = run_.lock().correlation_id() + "-" + std::to_string(number_++);
  share.metadata = workspace.metadata;
  share.filter_columns = workspace.FilterColumns();
  share.large_index_limit = target_.options.large_index_limit;
  share.auto_bloom_fpr = target_.options.auto_bloom_fpr;
  share.token_time_zone = target_.options.token_time_zone;
  ++out_;
  return share;
}

void DistributedUpdate::Commit(std::vector<ShareResult> results) {
  std::vector<StagedBatch> batches;
  for (ShareResult& result : results) {
    std::move(result.batches.begin(), result.batches.end(), std::back_inserter(batches));
    std::move(result.failed.begin(), result.failed.end(), std::back_inserter(result_.failed));
    result_.bytes_indexed += result.bytes_indexed;
    bytes_read_ += result.bytes_read;
    bytes_written_ += result.bytes_written;
  }
  UpdateProgress& progress = run_.progress().state;
  for (const StagedBatch& batch : batches) {
    progress.files_done += static_cast<int64_t>(batch.rows.size());
  }
  progress.bytes_done = result_.bytes_indexed;
  run_.Commit(batches);
  out_ -= static_cast<int64_t>(results.size());
  run_.progress().Tell(true);
}

UpdateReport DistributedUpdate::Finish() {
  if (!done()) throw InvalidArgument("the update has shares that were not committed");
  std::sort(result_.failed.begin(), result_.failed.end(),
            [](const FailedFile& a, const FailedFile& b) { return a.uri < b.uri; });
  UpdateReport report = run_.Finish(std::move(result_));
  report.bytes_read += bytes_read_;
  report.bytes_written += bytes_written_;
  return report;
}

ShareResult BuildShare(const UpdateTarget& target, const UpdateShare& share,
                       const std::stop_token& stop) {
  if (share.index != target.layout.name()) {
    throw InvalidArgument("a share of an update of index '" + share.index +
                          "' is no work for index '" + target.layout.name() + "'");
  }
  const storage::IoCounters before = target.stores->counters();
  UpdateTarget own = target;
  own.options.large_index_limit = share.large_index_limit;
  own.options.auto_bloom_fpr = share.auto_bloom_fpr;
  own.options.token_time_zone = share.token_time_zone;

  Workspace workspace{.target = own};
  workspace.metadata = share.metadata;
  workspace.metadata.auto_bloom = share.filter_columns;
  workspace.Prepare();
  workspace.PlanBuilding();
  LargeTables large(own, workspace.plans, share.filter_columns);
  workspace.large = &large;
  LakeFormat format =
      LakeFormatOf(share.metadata.format, workspace.schema, share.metadata.read_options);
  format.logged = LoadLoggedFiles(own.layout, share.metadata);

  BatchWriter writer(&workspace, storage::DeltaTable::Open(own.layout.main_index()),
                     share.old_files, share.run);
  ShareResult result;
  BuildResult built = BuildBatches(
      share.jobs, workspace.plans, format, BuildSettingsOf(workspace, stop),
      [&](Batch batch) {
        result.batches.push_back(writer.Write(std::move(batch), /*adopt_small=*/false));
      },
      [](int64_t, int64_t) {});
  if (built.stopped) {
    throw Cancelled("the update of index '" + share.index + "' was stopped");
  }
  result.failed = std::move(built.failed);
  result.bytes_indexed = built.bytes_indexed;
  const storage::IoCounters after = target.stores->counters();
  result.bytes_read = after.bytes_read - before.bytes_read;
  result.bytes_written = after.bytes_written - before.bytes_written;
  return result;
}

}  // namespace ariadne::build
