#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "cli/command.h"

namespace ariadne::cli {

/// Shows how far an update is: a bar that is redrawn on a terminal, otherwise a line every few
/// seconds. Writes to `streams.err` only.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(Streams& streams);
  /// Wipes the bar.
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void Show(const UpdateProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  Streams& streams_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_ = Clock::now();
  std::string phase_;
  bool bar_ = false;
};

/// Tells how far a query is that somebody waits for, from some seconds on: a text that is written
/// over again on a terminal, otherwise a line every few seconds. Writes to `streams.err` only, from
/// a thread of its own, until it is dropped or the rows have ended.
class ReadingDisplay {
 public:
  struct Pauses {
    std::chrono::milliseconds first, next;
  };
  static Pauses UsualPauses(const Streams& streams);

  /// `text`: what to show; called from another thread.
  ReadingDisplay(Streams& streams, std::function<std::string()> text);
  ReadingDisplay(Streams& streams, std::function<std::string()> text, Pauses pauses);
  ~ReadingDisplay();
  ReadingDisplay(const ReadingDisplay&) = delete;
  ReadingDisplay& operator=(const ReadingDisplay&) = delete;

  /// The same rows; with their end, or an error, the display ends. It has to outlive them.
  std::shared_ptr<arrow::RecordBatchReader> Until(std::shared_ptr<arrow::RecordBatchReader> rows);
  /// Wipes what is shown, if it is a terminal.
  void End();

 private:
  std::jthread thread_;
};

/// One line of it: "build 120 of 365 files, 3.1 MB of 9.2 MB, 4.0 s left".
std::string ProgressText(const UpdateProgress& progress, double elapsed_ms);

}  // namespace ariadne::cli
