#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace ariadne::cli {

ExitCode Run(const AddArguments& arguments, const Context& context) {
  Index index = context.OpenLake().Open(arguments.name);
  const AddReport report = index.AddFiles(arguments.paths);
  if (context.global.json) {
    PrintJson(context.streams.out,
              {{"added", report.added}, {"already_tracked", report.already_tracked}});
    return ExitCode::kDone;
  }
  context.streams.out << "added " << Counted(report.added, "file");
  if (report.already_tracked > 0) {
    context.streams.out << ", " << report.already_tracked << " tracked already";
  }
  context.streams.out << "\n";
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
