#include "build/batches.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "ariadne/errors.h"
#include "build/memory_budget.h"
#include "storage/debug_log.h"

namespace ariadne::build {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kBatchRows = 65'536;
/// A batch is staged after this long even if it is not full: what a crash costs is bounded.
constexpr auto kBatchAge = std::chrono::seconds(60);
constexpr auto kTick = std::chrono::milliseconds(100);

void SayBuilt(const FileRow& row) {
  if (!storage::DebugIsOn()) return;
  storage::Debug("read " + row.uri + " of " + std::to_string(row.file_size) +
                 " bytes: " + std::to_string(row.bytes) + " bytes of index, at most " +
                 std::to_string(row.distinct) + " distinct values in a column");
}

/// Worker threads and the batch that they fill.
class Builders {
 public:
  Builders(const std::vector<FileJob>& jobs, const std::vector<ColumnPlan>& columns,
           const LakeFormat& format, const BuildSettings& settings)
      : jobs_(jobs),
        columns_(columns),
        format_(format),
        settings_(settings),
        budget_(settings.memory_bytes) {
    const int threads = std::max(1, std::min<int>(settings.threads, static_cast<int>(jobs.size())));
    running_ = threads;
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
    }
  }
  ~Builders() {
    for (std::jthread& thread : threads_) thread.request_stop();
    changed_.notify_all();
  }

  /// Waits a tick's time for a full batch, or the last one. done: no more batches.
  std::optional<Batch> Take(bool* done) {
    std::unique_lock guard(mutex_);
    changed_.wait_for(guard, kTick, [&] { return full_.has_value() || running_ == 0; });
    *done = false;
    std::optional<Batch> batch;
    if (full_) {
      batch = std::exchange(full_, std::nullopt);
      batch->last = running_ == 0 && filling_.rows.empty();
    } else if (running_ == 0) {
      if (filling_.rows.empty()) {
        *done = true;
      } else {
        batch = std::exchange(filling_, Batch());
        batch->last = true;
      }
    } else if (!filling_.rows.empty() &&
               (IsFull(filling_) || Clock::now() - filling_since_ > kBatchAge)) {
      batch = std::exchange(filling_, Batch());
    }
    guard.unlock();
    changed_.notify_all();
    return batch;
  }

  void Progress(int64_t* files, int64_t* bytes) {
    const std::lock_guard guard(mutex_);
    *files = files_done_;
    *bytes = bytes_done_;
  }

  BuildResult Result() {
    const std::lock_guard guard(mutex_);
    std::sort(result_.failed.begin(), result_.failed.end(),
              [](const FailedFile& a, const FailedFile& b) { return a.uri < b.uri; });
    return std::move(result_);
  }

 private:
  void Work(const std::stop_token& stop) {
    while (true) {
      const FileJob* job = nullptr;
      {
        const std::lock_guard guard(mutex_);
        if (next_ < jobs_.size() && settings_.stop.stop_requested()) result_.stopped = true;
        if (next_ < jobs_.size() && !result_.stopped && !stop.stop_requested()) {
          job = &jobs_[next_++];
        }
      }
      if (job == nullptr) break;
      Visit(*job, stop);
    }
    {
      const std::lock_guard guard(mutex_);
      --running_;
    }
    changed_.notify_all();
  }

  void Visit(const FileJob& job, const std::stop_token& stop) {
    std::optional<FileRow> row;
    std::string error = job.error;
    if (error.empty()) {
      try {
        const OpenedFile file(job, columns_, format_);
        const MemoryBudget::Share share = budget_.Take(file.memory_bound());
        index::BuildContext context = settings_.context;
        // A builder that cannot have what it may need spills, and sorts beside what it holds.
        const int64_t held =
            share.bytes() < file.memory_bound() ? share.bytes() / 2 : share.bytes();
        context.memory_bytes = std::max(
            kSmallestBuilder,
            std::max(held, settings_.memory_bytes / static_cast<int64_t>(4 * settings_.threads)));
        row = file.Build(context, settings_.placement);
        SayBuilt(*row);
      } catch (const std::exception& failure) {
        error = failure.what();
      }
    }
    std::unique_lock guard(mutex_);
    ++files_done_;
    bytes_done_ += std::max<int64_t>(0, job.size);
    if (!row) {
      result_.failed.push_back({job.uri, error});
      return;
    }
    // One full batch may wait while another fills; whoever would start a third waits.
    while (full_ && MustClose(*row) && !stop.stop_requested()) changed_.wait_for(guard, kTick);
    if (MustClose(*row) && !full_) full_ = std::exchange(filling_, Batch());
    if (filling_.rows.empty()) filling_since_ = Clock::now();
    result_.bytes_indexed += row->file_size;
    filling_.bytes += row->bytes;
    filling_.distinct += row->distinct;
    filling_.rows.push_back(std::move(*row));
    if (IsFull(filling_) && !full_) full_ = std::exchange(filling_, Batch());
    guard.unlock();
    changed_.notify_all();
  }

  [[nodiscard]] bool IsFull(const Batch& batch) const {
    return batch.bytes >= settings_.batch_bytes || batch.distinct >= settings_.batch_distinct ||
           static_cast<int64_t>(batch.rows.size()) >= kBatchRows;
  }
  /// True if the batch that is filling must go before the row comes.
  [[nodiscard]] bool MustClose(const FileRow& row) const {
    return !filling_.rows.empty() &&
           (IsFull(filling_) || filling_.distinct + row.distinct > settings_.batch_distinct);
  }

  const std::vector<FileJob>& jobs_;
  const std::vector<ColumnPlan>& columns_;
  const LakeFormat& format_;
  const BuildSettings& settings_;
  MemoryBudget budget_;

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t next_ = 0;
  int running_ = 0;
  Batch filling_;
  Clock::time_point filling_since_;
  std::optional<Batch> full_;
  int64_t files_done_ = 0;
  int64_t bytes_done_ = 0;
  BuildResult result_;
  std::vector<std::jthread> threads_;  ///< Last, so that they end before what they use.
};

}  // namespace

BuildResult BuildBatches(const std::vector<FileJob>& jobs, const std::vector<ColumnPlan>& columns,
                         const LakeFormat& format, const BuildSettings& settings,
                         const std::function<void(Batch)>& stage, const BuildTick& tick) {
  Builders builders(jobs, columns, format, settings);
  for (bool done = false; !done;) {
    std::optional<Batch> batch = builders.Take(&done);
    if (batch) stage(std::move(*batch));
    int64_t files = 0;
    int64_t bytes = 0;
    builders.Progress(&files, &bytes);
    tick(files, bytes);
  }
  return builders.Result();
}

}  // namespace ariadne::build
