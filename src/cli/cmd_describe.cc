#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/text_table.h"
#include "query/derived_columns.h"
#include "source/spark_schema.h"

namespace ariadne::cli {
namespace {

Json SummaryJson(const IndexSummary& summary) {
  return {{"name", summary.name},
          {"format", summary.format},
          {"read_options", ReadOptionsJson(summary.read_options)},
          {"tracked_files", summary.tracked_files},
          {"indexed_files", summary.indexed_files},
          {"total_indexed_bytes",
           summary.total_indexed_bytes < 0 ? Json(nullptr) : Json(summary.total_indexed_bytes)},
          {"metadata_version", summary.metadata_version},
          {"storage_format_version", summary.storage_format_version},
          {"columns", SchemaJson(*summary.schema)},
          {"indexes", IndexesJson(summary.columns)}};
}

std::string KindText(const IndexedColumn& column) {
  std::string text = ToString(column.kind);
  if (column.kind == IndexedColumn::Kind::kBloom) text += " (fpr " + Json(column.fpr).dump() + ")";
  if (column.kind == IndexedColumn::Kind::kTemporal)
    text += " (by " + column.timestamp_column + ")";
  if (query::IsDerived(column.kind)) text += " (" + query::SourceText(column) + ")";
  return text;
}

std::string IndexText(const IndexSummary& summary, const std::string& name) {
  const auto found = std::find_if(summary.columns.begin(), summary.columns.end(),
                                  [&](const auto& column) { return column.column == name; });
  if (found == summary.columns.end()) return "";
  return KindText(*found);
}

// An expression that another release declared may be none here: that is no reason to show nothing.
std::string TypeText(const IndexedColumn& column, const arrow::Schema& schema) {
  try {
    return source::SparkTypeName(*query::IndexedType(column, schema));
  } catch (const Error&) {
    return "unknown";
  }
}

std::string IndexesOf(const IndexSummary& summary, IndexedColumn::Kind kind) {
  std::string text;
  for (const IndexedColumn& column : summary.columns) {
    if (column.kind == kind) text += (text.empty() ? "" : ", ") + column.column;
  }
  return text;
}

/// The kinds of index that there are, in the order in which they are declared.
std::vector<IndexedColumn::Kind> KindsIn(const std::vector<IndexSummary>& summaries) {
  using Kind = IndexedColumn::Kind;
  std::vector<Kind> kinds = {Kind::kRegular,  Kind::kBloom,    Kind::kRange,
                             Kind::kComputed, Kind::kTemporal, Kind::kExploded};
  std::erase_if(kinds, [&](Kind kind) {
    return std::none_of(summaries.begin(), summaries.end(), [kind](const IndexSummary& summary) {
      return std::any_of(summary.columns.begin(), summary.columns.end(),
                         [kind](const IndexedColumn& column) { return column.kind == kind; });
    });
  });
  return kinds;
}

/// All indexes, a line each. One that cannot be read does not hide the others.
ExitCode DescribeAll(const Context& context) {
  std::vector<std::string> unreadable;
  const auto summaries = context.OpenLake().DescribeAll(&unreadable);
  for (const std::string& message : unreadable) {
    context.streams.err << "warning: not described: " << message << "\n";
  }
  if (summaries.empty() && unreadable.empty()) context.SayNoIndex();
  if (context.global.json) {
    Json indexes = Json::array();
    for (const IndexSummary& summary : summaries) indexes.push_back(SummaryJson(summary));
    PrintJson(context.streams.out, {{"indexes", std::move(indexes)}, {"unreadable", unreadable}});
  } else {
    std::vector<TextTable::Column> columns = {
        {"name"}, {"format"}, {"tracked", true}, {"indexed", true}, {"size", true}};
    const std::vector<IndexedColumn::Kind> kinds = KindsIn(summaries);
    for (const auto kind : kinds) columns.push_back({ToString(kind)});
    TextTable table(std::move(columns));
    for (const IndexSummary& summary : summaries) {
      std::vector<std::string> cells = {
          summary.name, summary.format, std::to_string(summary.tracked_files),
          std::to_string(summary.indexed_files),
          summary.total_indexed_bytes < 0 ? "" : FormatBytes(summary.total_indexed_bytes)};
      for (const auto kind : kinds) cells.push_back(IndexesOf(summary, kind));
      table.AddRow(std::move(cells));
    }
    table.Print(context.streams.out, static_cast<size_t>(context.streams.out_width));
  }
  return unreadable.empty() ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace

ExitCode Run(const DescribeArguments& arguments, const Context& context) {
  if (arguments.name.empty()) return DescribeAll(context);
  const IndexSummary summary = context.OpenLake().Describe(arguments.name);
  if (context.global.json) {
    PrintJson(context.streams.out, SummaryJson(summary));
    return ExitCode::kDone;
  }
  auto& out = context.streams.out;
  out << summary.name << ": " << summary.format << ", " << summary.indexed_files << " of "
      << summary.tracked_files << " tracked files indexed";
  if (summary.total_indexed_bytes >= 0)
    out << " (" << FormatBytes(summary.total_indexed_bytes) << ")";
  out << "\nmetadata version " << summary.metadata_version << ", storage format version "
      << summary.storage_format_version << "\n";
  for (const auto& [name, value] : summary.read_options) {
    out << "read option " << name << "=" << value << "\n";
  }
  out << "\n";
  TextTable table({{"column"}, {"type"}, {"index"}});
  for (const auto& field : summary.schema->fields()) {
    table.AddRow(
        {field->name(), source::SparkTypeName(*field->type()), IndexText(summary, field->name())});
  }
  for (const IndexedColumn& column : summary.columns) {
    if (!query::IsDerived(column.kind)) continue;
    table.AddRow({column.column, TypeText(column, *summary.schema), KindText(column)});
  }
  table.Print(out, static_cast<size_t>(context.streams.out_width));
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
