#pragma once

#include <stop_token>
#include <thread>

namespace ariadne::cli {

/// Turns the first SIGINT, SIGTERM or SIGHUP into a stop request and lets the second one end the
/// process. Make it before any other thread exists: they inherit the signals' being blocked.
class InterruptWatcher {
 public:
  InterruptWatcher();
  ~InterruptWatcher();
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::thread thread_;
};

}  // namespace ariadne::cli
