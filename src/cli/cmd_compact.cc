#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace ariadne::cli {

ExitCode Run(const CompactArguments& arguments, const Context& context) {
  Index index = context.OpenLake().Open(arguments.name);
  const CompactReport report = index.Compact({.stop = context.stop});
  if (context.global.json) {
    PrintJson(context.streams.out, {{"files_before", report.files_before},
                                    {"files_after", report.files_after},
                                    {"bytes_rewritten", report.bytes_rewritten}});
    return ExitCode::kDone;
  }
  context.streams.out << "compacted " << arguments.name << ": " << report.files_before << " -> "
                      << report.files_after << " data files, "
                      << FormatBytes(report.bytes_rewritten) << " rewritten\n";
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
