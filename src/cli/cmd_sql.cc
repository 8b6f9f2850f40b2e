#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <nlohmann/json.hpp>

#include "cli/cells.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/output_target.h"
#include "cli/progress.h"
#include "cli/row_group_settings.h"
#include "cli/row_output.h"
#include "cli/row_table.h"
#include "sql/sql_session.h"

namespace ariadne::cli {
namespace {

Json ScansJson(const std::vector<sql::ScanReport>& reports) {
  Json scans = Json::array();
  for (const sql::ScanReport& report : reports) {
    if (!report.read) continue;
    Json steps = Json::array();
    for (const auto& step : report.steps) {
      steps.push_back({{"phase", step.phase},
                       {"condition", step.condition},
                       {"index", step.index.empty() ? Json(nullptr) : Json(step.index)},
                       {"files_before", step.files_before},
                       {"files_after", step.files_after},
                       {"reason", step.reason.empty() ? Json(nullptr) : Json(step.reason)}});
    }
    scans.push_back(
        {{"table", report.table},
         {"files", report.files},
         {"total_files", report.total_files},
         {"unindexed_files", report.unindexed_files},
         {"row_groups", report.read->row_groups_found.load()},
         {"row_groups_read", report.read->row_groups_read.load()},
         {"row_groups_ruled_out_by_statistics",
          report.read->row_groups_skipped_by_statistics.load()},
         {"row_groups_ruled_out_by_bloom_filters",
          report.read->row_groups_skipped_by_bloom_filter.load()},
         {"row_groups_ruled_out_by_indexes", report.read->row_groups_skipped_by_index.load()},
         {"steps", std::move(steps)}});
  }
  return scans;
}

// "flights: read 4 of 365 files, 5 of 7 row groups in them"; CSV and JSON files have none.
void PrintScans(const std::vector<sql::ScanReport>& reports, std::ostream& err) {
  for (const sql::ScanReport& report : reports) {
    if (!report.read) continue;
    err << report.table << ": read " << report.files << " of " << report.total_files << " files";
    if (report.read->row_groups_found > 0) {
      err << ", " << report.read->row_groups_read << " of " << report.read->row_groups_found
          << " row groups in them";
    }
    err << "\n";
  }
}

// What EXPLAIN gives: drawings of many lines, which no cell of a table holds.
bool IsPlan(const arrow::Schema& schema) {
  return schema.field_names() == std::vector<std::string>{"explain_key", "explain_value"} &&
         schema.field(1)->type()->id() == arrow::Type::STRING;
}

void PrintPlan(arrow::RecordBatchReader& rows, std::ostream& out) {
  ForEachBatch(rows, [&](const arrow::RecordBatch& batch) {
    const auto& drawings = static_cast<const arrow::StringArray&>(*batch.column(1));
    for (int64_t row = 0; row < batch.num_rows(); ++row) out << drawings.GetView(row) << "\n";
  });
}

ExitCode PrintAsJson(const Context& context, arrow::RecordBatchReader& rows,
                     const sql::SqlSession& session) {
  JsonRows data;
  ForEachBatch(rows, [&](const arrow::RecordBatch& batch) { data.Add(batch); });
  const Json answer = {{"rows", data.rows()},
                       {"columns", SchemaJson(*rows.schema())},
                       {"scans", ScansJson(session.Reports())}};
  PrintWithRows(context.streams.out, answer, data);
  return ExitCode::kDone;
}

std::string QueryProgress(const sql::SqlSession& session) {
  const double percent = session.Progress();
  return percent < 0 ? "the query runs"
                     : "query " + std::to_string(static_cast<int>(percent)) + "%";
}

// A file of rows that is printed when all of them are there.
class RowFile {
 public:
  explicit RowFile(const std::string& format) {
    const std::string suffix = "." + format;
    path_ = (std::filesystem::temp_directory_path() / ("ariadne-rows-XXXXXX" + suffix)).string();
    const int file = mkstemps(path_.data(), static_cast<int>(suffix.size()));
    if (file < 0) {
      throw StorageError("no temporary file can be made: is the temporary folder full?");
    }
    close(file);
  }
  ~RowFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  void Print(std::ostream& out) const {
    const std::ifstream in(path_, std::ios::binary);
    if (std::filesystem::file_size(path_) > 0) out << in.rdbuf();
  }

 private:
  std::string path_;
};

/// One {"sql": ...} object of standard input after another.
class Requests {
 public:
  explicit Requests(std::istream& in) : in_(in) {}
  // nullopt: the end. An object ends at its closing brace, so that none has to be waited for; what
  // is none, at the end of its line. Both, and what is cut off, get an answer.
  std::optional<Json> Next() {
    std::string text;
    int depth = 0;
    bool quoted = false;
    for (int c = in_.get(); c != EOF; c = in_.get()) {
      if (depth == 0 && c != '{') {
        if (std::isspace(c) != 0) continue;
        std::getline(in_, text);
        return Json(Json::value_t::discarded);
      }
      text += static_cast<char>(c);
      if (quoted) {
        if (c == '\\') {
          text += static_cast<char>(in_.get());
        } else if (c == '"') {
          quoted = false;
        }
      } else if (c == '"') {
        quoted = true;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && --depth == 0) {
        return Json::parse(text, nullptr, /*allow_exceptions=*/false);
      }
    }
    if (text.empty()) return std::nullopt;
    return Json(Json::value_t::discarded);
  }

 private:
  std::istream& in_;
};

/// `null`: what stands for NULL.
Json AnswerOf(sql::SqlSession& session, const Json& request, const Json& null,
              const std::stop_token& stop) {
  if (!request.is_object() || !request.contains("sql") || !request["sql"].is_string()) {
    return {{"err", "a request is an object such as {\"sql\": \"SELECT 1\"}"}};
  }
  try {
    Json result = Json::array();
    const auto rows = session.Query(request["sql"].get<std::string>(), stop);
    ForEachBatch(*rows, [&](const arrow::RecordBatch& batch) {
      for (int64_t row = 0; row < batch.num_rows(); ++row) {
        Json cells = Json::array();
        for (const auto& column : batch.columns()) {
          cells.push_back(column->IsNull(row) ? null : Json(CellText(*column, row)));
        }
        result.push_back(std::move(cells));
      }
    });
    return {{"result", std::move(result)}};
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    return {{"err", error.what()}};
  }
}

ExitCode Serve(const SqlArguments& arguments, const Context& context) {
  sql::SqlSession session(context.Root(), context.global.options,
                          RowGroupOptionsOf(context.global.settings));
  const Json null = arguments.format == "text" ? Json("NULL") : Json(nullptr);
  Requests requests(std::cin);
  while (const auto request = requests.Next()) {
    PrintJson(context.streams.out, AnswerOf(session, *request, null, context.stop));
    context.streams.out << std::flush;
  }
  return ExitCode::kDone;
}

}  // namespace

ExitCode Run(const SqlArguments& arguments, const Context& context) {
  if (arguments.serve) return Serve(arguments, context);
  if (!arguments.output.empty()) {
    CheckOutputSuffix(arguments.output);
    CheckOutput(arguments.output, context.OpenLake(), context.global);
  }
  sql::SqlSession session(context.Root(), context.global.options,
                          RowGroupOptionsOf(context.global.settings));
  ReadingDisplay display(context.streams, [&session] { return QueryProgress(session); });
  const auto rows = display.Until(
      session.Query(arguments.statements, context.stop, /*rows_wanted=*/!arguments.output.empty()));
  // A table is shown when all of its rows are there, so nothing is written between.
  if (!arguments.output.empty()) {
    const int64_t count = WriteRows(arguments.output, rows, context);
    if (context.global.json) {
      PrintJson(context.streams.out, {{"rows", count},
                                      {"output", arguments.output},
                                      {"columns", SchemaJson(*rows->schema())},
                                      {"scans", ScansJson(session.Reports())}});
      return ExitCode::kDone;
    }
    context.streams.err << "wrote " << Counted(count, "row") << " to " << arguments.output << "\n";
  } else if (context.global.json) {
    return PrintAsJson(context, *rows, session);
  } else if (arguments.format == "table" && IsPlan(*rows->schema())) {
    PrintPlan(*rows, context.streams.out);
  } else if (arguments.format == "table") {
    PrintRows(*rows, arguments.max_rows, context.streams);
  } else {
    const RowFile file(arguments.format);
    WriteRows(file.path(), rows, context);
    file.Print(context.streams.out);
  }
  context.streams.out << std::flush;
  PrintScans(session.Reports(), context.streams.err);
  return ExitCode::kDone;
}

ExitCode Run(const ExplainArguments& arguments, const Context& context) {
  sql::SqlSession session(context.Root(), context.global.options,
                          RowGroupOptionsOf(context.global.settings));
  const auto rows = session.Query(
      (arguments.analyze ? "EXPLAIN ANALYZE " : "EXPLAIN ") + arguments.statement, context.stop);
  ForEachBatch(*rows, [](const arrow::RecordBatch&) {});
  Json scans = Json::array();
  const auto reports = session.Reports();
  for (const sql::ScanReport& report : reports) {
    const auto words = sql::Words(report);
    if (context.global.json) {
      scans.push_back({{"table", report.table},
                       {"files", report.files},
                       {"total_files", report.total_files},
                       {"words", words}});
      continue;
    }
    context.streams.out << report.table << ": " << report.files << " of " << report.total_files
                        << " files are read\n";
    for (const std::string& line : words) context.streams.out << "  " << line << "\n";
    if (words.empty()) {
      context.streams.out << (report.of_table ? "  no condition reaches the table\n"
                                              : "  no index of files prunes what a query names; "
                                                "row-group indexes may rule out row groups\n");
    }
  }
  if (reports.empty() && !context.global.json) {
    context.streams.out << "no table of the lake is read\n";
  }
  if (context.global.json) PrintJson(context.streams.out, {{"scans", std::move(scans)}});
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
