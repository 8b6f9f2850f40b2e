#include <cstdio>
#include <iostream>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/text_table.h"

namespace ariadne::cli {
namespace {

/// The columns of the JVM library's `stats` under its names, then ours.
Json StatisticsJson(const ColumnStatistics& statistics) {
  Json json = {{"Column", statistics.column}, {"FileCount", statistics.file_count}};
  if (statistics.values) {
    const auto& values = *statistics.values;
    json["MinValues"] = values.min;
    json["MaxValues"] = values.max;
    json["AvgValues"] = values.average;
    json["MedianValues"] = values.median;
    json["StdDev"] = values.deviation ? Json(*values.deviation) : Json(nullptr);
  }
  json["kind"] = statistics.kind;
  json["built_files"] = statistics.built_files;
  json["large_files"] = statistics.large_files;
  if (statistics.fill) {
    const auto& fill = *statistics.fill;
    json["fill"] = {{"filters", fill.filters}, {"bytes", fill.bytes},
                    {"min", fill.min},         {"average", fill.average},
                    {"max", fill.max},         {"false_positive_rate", fill.false_positive_rate}};
  }
  if (statistics.widths) {
    const auto& widths = *statistics.widths;
    json["widths"] = {{"ranges", widths.ranges},
                      {"min", widths.min},
                      {"average", widths.average},
                      {"max", widths.max}};
  }
  return json;
}

std::string Short(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::vector<std::string> Row(const ColumnStatistics& statistics) {
  std::vector<std::string> row = {
      statistics.column, statistics.kind, std::to_string(statistics.file_count),
      std::to_string(statistics.built_files), std::to_string(statistics.large_files)};
  if (statistics.values) {
    const auto& values = *statistics.values;
    for (std::string cell : {std::to_string(values.min), std::to_string(values.max),
                             Short(values.average), std::to_string(values.median),
                             values.deviation ? Short(*values.deviation) : std::string()}) {
      row.push_back(std::move(cell));
    }
  } else {
    row.resize(row.size() + 5);
  }
  std::string detail;
  if (statistics.fill) {
    detail = "fill " + Short(statistics.fill->average * 100) + "% (false positives " +
             Short(statistics.fill->false_positive_rate * 100) + "%)";
  }
  if (statistics.widths) {
    detail = "width " + Short(statistics.widths->min) + " to " + Short(statistics.widths->max) +
             ", average " + Short(statistics.widths->average);
  }
  row.push_back(std::move(detail));
  return row;
}

}  // namespace

ExitCode Run(const StatsArguments& arguments, const Context& context) {
  const auto statistics = context.OpenLake().Open(arguments.name).Stats();
  if (context.global.json) {
    Json columns = Json::array();
    for (const ColumnStatistics& column : statistics) columns.push_back(StatisticsJson(column));
    PrintJson(context.streams.out, {{"columns", std::move(columns)}});
    return ExitCode::kDone;
  }
  if (statistics.empty()) {
    context.streams.err << "nothing is indexed yet: ariadne update " << arguments.name << "\n";
    return ExitCode::kDone;
  }
  TextTable table({{"column"},
                   {"kind"},
                   {"files", true},
                   {"built", true},
                   {"large", true},
                   {"min", true},
                   {"max", true},
                   {"avg", true},
                   {"median", true},
                   {"stddev", true},
                   {""}});
  for (const ColumnStatistics& column : statistics) table.AddRow(Row(column));
  table.Print(context.streams.out, static_cast<size_t>(context.streams.out_width));
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
