#include <iostream>

#include <arrow/table.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace ariadne::cli {

ExitCode Run(const LocateArguments& arguments, const Context& context) {
  const Lake lake = context.OpenLake();
  const Index index = lake.Open(arguments.name);
  const Located located = arguments.keys_file.empty()
                              ? index.Locate(arguments.probes)
                              : index.Locate(*lake.ReadKeys(arguments.keys_file, index,
                                                            arguments.on, arguments.delimiter),
                                             arguments.on);
  if (context.global.json) {
    PrintJson(context.streams.out, LocatedJson(located));
    return ExitCode::kDone;
  }
  // Files alone on standard output: the next program in the pipeline reads them.
  for (const std::string& file : located.files) context.streams.out << file << "\n";
  context.streams.out << std::flush;
  context.streams.err << PruningLine("located", located) << ", "
                      << FormatDuration(located.elapsed_ms) << "\n";
  if (arguments.steps) context.streams.err << PruningSteps(located);
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
