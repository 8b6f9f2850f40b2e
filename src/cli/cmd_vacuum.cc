#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace ariadne::cli {

ExitCode Run(const VacuumArguments& arguments, const Context& context) {
  Index index = context.OpenLake().Open(arguments.name);
  const VacuumReport report = index.Vacuum({.retention_hours = arguments.retention_hours,
                                            .force = arguments.force,
                                            .dry_run = arguments.dry_run,
                                            .stop = context.stop});
  if (context.global.json) {
    PrintJson(context.streams.out,
              {{"removed", !arguments.dry_run}, {"files", report.files}, {"bytes", report.bytes}});
    return ExitCode::kDone;
  }
  if (arguments.dry_run) {
    for (const std::string& file : report.files) context.streams.out << file << "\n";
  }
  context.streams.out << (arguments.dry_run ? "would remove " : "removed ") << report.files.size()
                      << " file" << (report.files.size() == 1 ? "" : "s") << " ("
                      << FormatBytes(report.bytes) << ")\n";
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
