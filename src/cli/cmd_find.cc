#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace ariadne::cli {

ExitCode Run(const FindArguments& arguments, const Context& context) {
  const Lake lake = context.OpenLake();
  const auto names = lake.Find(arguments.file);
  if (names.empty() && lake.List().empty()) {
    context.SayNoIndex();
  } else if (names.empty()) {
    context.streams.err << "no index tracks " << arguments.file << "\n";
  }
  if (context.global.json) {
    PrintJson(context.streams.out, {{"indexes", names}});
    return ExitCode::kDone;
  }
  for (const std::string& name : names) context.streams.out << name << "\n";
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
