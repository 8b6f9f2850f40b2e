#pragma once

#include <chrono>
#include <string>

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

/// One line of it: "build 120 of 365 files, 3.1 MB of 9.2 MB, 4.0 s left".
std::string ProgressText(const UpdateProgress& progress, double elapsed_ms);

}  // namespace ariadne::cli
