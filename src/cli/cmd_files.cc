#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/text_table.h"

namespace ariadne::cli {

ExitCode Run(const FilesArguments& arguments, const Context& context) {
  auto files = context.OpenLake().Open(arguments.name).Files();
  if (arguments.unindexed_only) std::erase_if(files, [](const auto& file) { return file.indexed; });
  if (context.global.json) {
    Json list = Json::array();
    for (const TrackedFile& file : files) {
      list.push_back({{"file", file.uri},
                      {"indexed", file.indexed},
                      {"added_at", FormatInstant(file.added_at_us)}});
    }
    PrintJson(context.streams.out, {{"files", std::move(list)}});
    return ExitCode::kDone;
  }
  TextTable table({{"added"}, {"indexed"}, {"file"}});
  for (const TrackedFile& file : files) {
    table.AddRow({FormatInstant(file.added_at_us), file.indexed ? "yes" : "no", file.uri});
  }
  table.Print(context.streams.out);  // Never cut: names are there to be copied.
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
