#pragma once

#include <chrono>
#include <string>

#include "cli/output.h"
#include "storage/debug_log.h"

namespace ariadne::cli {

/// With --debug: says on stderr how long each phase of an update took, when it ends.
class PhaseLog {
 public:
  PhaseLog() = default;
  ~PhaseLog() { Enter(""); }
  PhaseLog(const PhaseLog&) = delete;
  PhaseLog& operator=(const PhaseLog&) = delete;

  void Enter(const std::string& phase) {
    if (phase == phase_) return;
    const auto now = std::chrono::steady_clock::now();
    if (!phase_.empty()) {
      const std::chrono::duration<double, std::milli> took = now - since_;
      storage::Debug("phase " + phase_ + " took " + FormatDuration(took.count()));
    }
    phase_ = phase;
    since_ = now;
  }

 private:
  std::string phase_;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace ariadne::cli
