#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>

namespace ariadne::testing {

/// Runs one test of this very program in another process, with more in its environment.
pid_t StartTest(const std::string& name, const std::map<std::string, std::string>& environment);

/// Waits until the process has ended or the time is over, then kills it. True: it ended well
/// before.
bool RunFor(pid_t child, std::chrono::microseconds time);

/// Waits until it has ended. True: it was killed.
bool WasKilled(pid_t child);

}  // namespace ariadne::testing
