#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace ariadne::cli {

ExitCode Run(const ListArguments& arguments, const Context& context) {
  const Lake lake = context.OpenLake();
  if (arguments.leftovers) {
    const auto leftovers = lake.Leftovers();
    if (context.global.json) {
      PrintJson(context.streams.out, {{"leftovers", leftovers}});
      return ExitCode::kDone;
    }
    for (const std::string& name : leftovers) context.streams.out << name << "\n";
    if (!leftovers.empty()) {
      context.streams.err << "these have no metadata: ariadne remove NAME --yes clears one away\n";
    }
    return ExitCode::kDone;
  }
  const auto names = lake.List();
  if (names.empty()) context.SayNoIndex();
  if (context.global.json) {
    PrintJson(context.streams.out, {{"indexes", names}});
    return ExitCode::kDone;
  }
  for (const std::string& name : names) context.streams.out << name << "\n";
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
