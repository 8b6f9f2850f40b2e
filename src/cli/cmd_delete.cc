#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace ariadne::cli {

ExitCode Run(const DeleteArguments& arguments, const Context& context) {
  Index index = context.OpenLake().Open(arguments.name);
  const DeleteReport report = index.Delete(arguments.files);
  if (context.global.json) {
    PrintJson(context.streams.out, {{"deleted", report.deleted}, {"unknown", report.unknown}});
    return ExitCode::kDone;
  }
  for (const std::string& name : report.unknown) {
    context.streams.err << "warning: not in the index, ignored: " << name << "\n";
  }
  context.streams.out << "deleted " << Counted(report.deleted, "file") << " from " << arguments.name
                      << "\n";
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
