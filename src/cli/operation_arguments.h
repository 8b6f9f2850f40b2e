#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ariadne::cli {

// What the commands that look after an index are asked with.

struct DeleteArguments {
  std::string name;
  std::vector<std::string> files;
};
struct CompactArguments {
  std::string name;
};
struct VacuumArguments {
  std::string name;
  double retention_hours = 168;
  bool force = false;
  bool dry_run = false;
};
struct StatsArguments {
  std::string name;
};
struct SyncArguments {
  std::string name;
  std::string lake;  ///< Empty: the tracked files alone.
  bool dry_run = false;
};
struct FindArguments {
  std::string file;
};
struct ConfigArguments {};

}  // namespace ariadne::cli

namespace CLI {
class App;
}

namespace ariadne::cli {

/// What the parser fills for the commands of this file.
struct OperationArguments {
  DeleteArguments remove_files;
  CompactArguments compact;
  VacuumArguments vacuum;
  StatsArguments stats;
  SyncArguments sync;
  FindArguments find;
};

/// Declares the commands delete, compact, vacuum, stats, sync, find and config.
void AddOperations(CLI::App& app, OperationArguments& arguments);

}  // namespace ariadne::cli
