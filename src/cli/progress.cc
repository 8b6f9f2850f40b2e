#include "cli/progress.h"

#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <utility>

#include <arrow/record_batch.h>

#include "cli/output.h"

namespace ariadne::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(80);
// Often enough to see life in a log, seldom enough not to fill it.
constexpr auto kLine = std::chrono::seconds(5);
constexpr int kBarWidth = 30;

double Fraction(const UpdateProgress& progress) {
  const bool bytes = progress.bytes_total > 0;
  const auto done = static_cast<double>(bytes ? progress.bytes_done : progress.files_done);
  const auto total = static_cast<double>(bytes ? progress.bytes_total : progress.files_total);
  return total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0;
}

class RowsUntilEnd final : public arrow::RecordBatchReader {
 public:
  RowsUntilEnd(std::shared_ptr<arrow::RecordBatchReader> rows, std::function<void()> at_end)
      : rows_(std::move(rows)), at_end_(std::move(at_end)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return rows_->schema(); }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    arrow::Status status = rows_->ReadNext(batch);
    if (!status.ok() || *batch == nullptr) at_end_();
    return status;
  }

  arrow::Status Close() override {
    at_end_();
    return rows_->Close();
  }

 private:
  std::shared_ptr<arrow::RecordBatchReader> rows_;
  std::function<void()> at_end_;
};

}  // namespace

std::string ProgressText(const UpdateProgress& progress, double elapsed_ms) {
  std::string text = std::string(progress.phase) + " " + std::to_string(progress.files_done) +
                     " of " + std::to_string(progress.files_total) + " files";
  if (progress.bytes_total > 0) {
    text += ", " + FormatBytes(progress.bytes_done) + " of " + FormatBytes(progress.bytes_total);
  }
  const double fraction = Fraction(progress);
  // Below two seconds, or a hundredth of the work, the rate says nothing yet.
  if (fraction >= 0.01 && fraction < 1 && elapsed_ms > 2000) {
    text += ", " + FormatDuration(elapsed_ms / fraction * (1 - fraction)) + " left";
  }
  return text;
}

ProgressDisplay::ProgressDisplay(Streams& streams) : streams_(streams) {}

ProgressDisplay::~ProgressDisplay() {
  if (bar_) streams_.err << "\r\x1b[K" << std::flush;
}

void ProgressDisplay::Show(const UpdateProgress& progress) {
  const auto now = Clock::now();
  const double elapsed = std::chrono::duration<double, std::milli>(now - started_).count();
  if (!streams_.err_is_terminal) {
    if (now - shown_ < kLine) return;
    shown_ = now;
    streams_.err << ProgressText(progress, elapsed) << std::endl;
    return;
  }
  const bool finished = progress.files_done == progress.files_total;
  if (bar_ && now - shown_ < kRedraw && phase_ == progress.phase && !finished) return;
  shown_ = now;
  phase_ = progress.phase;
  bar_ = true;
  const int filled = static_cast<int>(Fraction(progress) * kBarWidth);
  streams_.err << "\r[" << std::string(filled, '#') << std::string(kBarWidth - filled, '.') << "] "
               << ProgressText(progress, elapsed) << "\x1b[K" << std::flush;
}

ReadingDisplay::Pauses ReadingDisplay::UsualPauses(const Streams& streams) {
  using std::chrono::milliseconds;
  if (!streams.err_is_terminal) return {kLine, kLine};
  return {milliseconds(2000), milliseconds(200)};
}

ReadingDisplay::ReadingDisplay(Streams& streams, std::function<std::string()> text)
    : ReadingDisplay(streams, std::move(text), UsualPauses(streams)) {}

ReadingDisplay::ReadingDisplay(Streams& streams, std::function<std::string()> text, Pauses pauses) {
  thread_ = std::jthread([&streams, text = std::move(text), pauses](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    bool shown = false;
    auto pause = pauses.first;
    while (!stopped.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
      pause = pauses.next;
      if (streams.err_is_terminal) {
        streams.err << "\r" << text() << "\x1b[K" << std::flush;
      } else {
        streams.err << text() << std::endl;
      }
      shown = true;
    }
    if (shown && streams.err_is_terminal) streams.err << "\r\x1b[K" << std::flush;
  });
}

ReadingDisplay::~ReadingDisplay() { End(); }

std::shared_ptr<arrow::RecordBatchReader> ReadingDisplay::Until(
    std::shared_ptr<arrow::RecordBatchReader> rows) {
  return std::make_shared<RowsUntilEnd>(std::move(rows), [this] { End(); });
}

void ReadingDisplay::End() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace ariadne::cli
