#pragma once

#include <sys/types.h>

#include <map>
#include <string>

namespace ariadne::testing {

/// Runs one test of this very program in another process, with more in its environment.
pid_t StartTest(const std::string& name, const std::map<std::string, std::string>& environment);

/// Waits until it has ended. True: it was killed. Throws where it failed.
bool WasKilled(pid_t child);

}  // namespace ariadne::testing
