#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ariadne/index.h"
#include "crash_lake.h"

namespace ariadne::testing {

/// One operation, and the index that it runs over.
struct Scenario {
  std::string name;
  /// Makes lake and index as they are before the operation.
  std::function<void(CrashLake*)> prepare;
  /// `folder`: the lake's. What is killed, run again, and compared with an undisturbed run.
  std::function<void(Index* index, const std::filesystem::path& folder)> run;
  /// After it the main index must be the same number of data files.
  bool compacts = false;
};

const std::vector<Scenario>& Scenarios();

}  // namespace ariadne::testing
