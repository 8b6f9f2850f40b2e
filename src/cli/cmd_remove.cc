#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace ariadne::cli {

ExitCode Run(const RemoveArguments& arguments, const Context& context) {
  if (!arguments.yes) {
    throw InvalidArgument("remove deletes the index '" + arguments.name +
                          "' (its data files stay): say --yes if that is meant");
  }
  context.OpenLake().Remove(arguments.name);
  if (context.global.json) {
    PrintJson(context.streams.out, {{"removed", arguments.name}});
  } else {
    context.streams.out << "removed " << arguments.name << "\n";
  }
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
