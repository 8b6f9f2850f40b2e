#include <iostream>
#include <memory>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/output_target.h"
#include "cli/progress.h"
#include "cli/row_output.h"
#include "cli/row_table.h"
#include "source/file_uri.h"

namespace ariadne::cli {
namespace {

Json AnswerJson(int64_t rows, const std::string& output, const arrow::Schema& schema,
                const Located& located) {
  Json answer = {{"rows", rows},
                 {"output", output.empty() ? Json(nullptr) : Json(output)},
                 {"columns", SchemaJson(schema)}};
  answer.update(LocatedJson(located));
  return answer;
}

ExitCode Write(const JoinArguments& arguments, const Context& context, const Joined& joined) {
  const int64_t rows = WriteRows(arguments.output, joined.rows, context);
  if (context.global.json) {
    PrintJson(context.streams.out,
              AnswerJson(rows, arguments.output, *joined.rows->schema(), joined.located));
    return ExitCode::kDone;
  }
  context.streams.err << "wrote " << Counted(rows, "row") << " to " << arguments.output << "\n"
                      << PruningLine("loaded", joined.located) << "\n";
  return ExitCode::kDone;
}

ExitCode PrintAsJson(const Context& context, const Joined& joined) {
  JsonRows rows;
  ForEachBatch(*joined.rows, [&](const arrow::RecordBatch& batch) { rows.Add(batch); });
  const Json answer = AnswerJson(rows.rows(), "", *joined.rows->schema(), joined.located);
  PrintWithRows(context.streams.out, answer, rows);
  return ExitCode::kDone;
}

ExitCode PrintTable(const JoinArguments& arguments, const Context& context, const Joined& joined) {
  PrintRows(*joined.rows, arguments.max_rows, context.streams);
  context.streams.out << std::flush;
  context.streams.err << PruningLine("loaded", joined.located) << "\n";
  return ExitCode::kDone;
}

std::string ReadingText(const Joined& joined) {
  return "read " + std::to_string(joined.files_opened()) + " of " +
         Counted(static_cast<int64_t>(joined.located.files.size()), "file");
}

/// What can be done about a file that neither an update nor a join can read; empty for others.
std::string Remedy(const std::string& message, const Index& index, const Context& context) {
  for (const TrackedFile& file : index.Files()) {
    const std::string url = source::MapPath(file.uri, context.global.options.path_map);
    const bool is_named =
        message.find(url) != std::string::npos || message.find(file.uri) != std::string::npos;
    if (file.indexed || !is_named) continue;
    return "; it is not indexed: write it again, stop tracking it (`ariadne delete`), or leave "
           "such "
           "files out with --unindexed exclude";
  }
  return "";
}

}  // namespace

ExitCode Run(const JoinArguments& arguments, const Context& context) {
  if (!arguments.output.empty()) CheckOutputSuffix(arguments.output);
  const Lake lake = context.OpenLake();
  const Index index = lake.Open(arguments.name);
  if (!arguments.output.empty()) {
    CheckJoinOutput(arguments.output, arguments.keys_file, lake, index, context.global);
  }
  JoinOptions options = arguments.options;
  options.stop = context.stop;
  const auto keys = lake.ReadKeys(arguments.keys_file, index, options.on, arguments.delimiter);
  try {
    Joined joined = index.Join(keys, options);
    ReadingDisplay display(context.streams, [&joined] { return ReadingText(joined); });
    joined.rows = display.Until(std::move(joined.rows));
    if (!arguments.output.empty()) return Write(arguments, context, joined);
    return context.global.json ? PrintAsJson(context, joined)
                               : PrintTable(arguments, context, joined);
  } catch (const QueryError& error) {
    throw QueryError(error.what() + Remedy(error.what(), index, context));
  }
}

}  // namespace ariadne::cli
