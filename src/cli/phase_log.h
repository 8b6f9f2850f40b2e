#pragma once

#include <chrono>
#include <iostream>
#include <string>

#include "cli/command.h"
#include "cli/output.h"

namespace ariadne::cli {

/// With --debug: says on stderr how long each phase of an update took, when it ends.
class PhaseLog {
 public:
  explicit PhaseLog(const Context& context) : context_(context) {}
  ~PhaseLog() { Enter(""); }
  PhaseLog(const PhaseLog&) = delete;
  PhaseLog& operator=(const PhaseLog&) = delete;

  void Enter(const std::string& phase) {
    if (!context_.global.debug || phase == phase_) return;
    const auto now = std::chrono::steady_clock::now();
    if (!phase_.empty()) {
      const std::chrono::duration<double, std::milli> took = now - since_;
      context_.streams.err << "debug: phase " << phase_ << " took " << FormatDuration(took.count())
                           << "\n";
    }
    phase_ = phase;
    since_ = now;
  }

 private:
  const Context& context_;
  std::string phase_;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace ariadne::cli
