#pragma once

#include <string>

namespace CLI {
class App;
}

namespace ariadne::cli {

/// What `ariadne rowgroups` is asked with.
struct RowGroupsArguments {
  enum class Action { kList, kShow, kDump, kDrop };
  Action action = Action::kList;
  std::string file;    ///< Of kShow; of kDrop, empty: all files.
  std::string output;  ///< Of kDump.
  bool stale = false;  ///< Of kDrop: only of files that are gone or were overwritten.
  bool all = false;    ///< Of kDrop.
};

/// Declares the command rowgroups.
void AddRowGroups(CLI::App& app, RowGroupsArguments& arguments);
/// `app` has parsed. Throws InvalidArgument.
RowGroupsArguments FinishRowGroups(const CLI::App& app, const RowGroupsArguments& given);

}  // namespace ariadne::cli
