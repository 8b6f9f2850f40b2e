#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace ariadne::cli {

ExitCode Run(const ListArguments&, const Context& context) {
  const auto names = context.OpenLake().List();
  if (context.global.json) {
    PrintJson(context.streams.out, {{"indexes", names}});
    return ExitCode::kDone;
  }
  for (const std::string& name : names) context.streams.out << name << "\n";
  if (names.empty()) context.streams.err << "no index under " << context.global.root << "\n";
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
