#include "cli/output.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>

#include <arrow/type.h>
#include <nlohmann/json.hpp>

#include "source/spark_schema.h"

namespace ariadne::cli {
namespace {

template <typename... Values>
std::string Print(const char* format, Values... values) {
  char text[128];
  const int size = std::snprintf(text, sizeof text, format, values...);
  return {text, static_cast<size_t>(std::max(size, 0))};
}

}  // namespace

void PrintJson(std::ostream& out, const Json& object) {
  out << object.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::string Counted(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string FormatBytes(int64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  const auto value = static_cast<double>(bytes);
  if (value < 50e3) return Print("%.1f kB", value / 1e3);
  if (value < 1e9) return Print("%.1f MB", value / 1e6);
  if (value < 1e12) return Print("%.1f GB", value / 1e9);
  return Print("%.1f TB", value / 1e12);
}

std::string FormatDuration(double milliseconds) {
  if (milliseconds < 10) return Print("%.1f ms", milliseconds);
  if (milliseconds < 1000) return Print("%.0f ms", milliseconds);
  if (milliseconds < 60e3) return Print("%.1f s", milliseconds / 1e3);
  const auto seconds = static_cast<int64_t>(std::llround(milliseconds / 1e3));
  if (seconds < 3600) return Print("%d min %d s", int(seconds / 60), int(seconds % 60));
  return Print("%d h %d min", int(seconds / 3600), int(seconds / 60 % 60));
}

std::string FormatInstant(int64_t microseconds) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::microseconds> instant{
      std::chrono::microseconds(microseconds)};
  const auto day = floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(instant - day);
  std::string text =
      Print("%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
            static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
            static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
            static_cast<int>(time.seconds().count()));
  const auto fraction = static_cast<int>(time.subseconds().count());
  if (fraction != 0) {
    text += fraction % 1000 == 0 ? Print(".%03d", fraction / 1000) : Print(".%06d", fraction);
  }
  return text + "Z";
}

std::string PruningLine(const char* verb, const Located& located) {
  const auto files = static_cast<int64_t>(located.files.size());
  std::string text = Print("%s %lld of %lld files (", verb, static_cast<long long>(files),
                           static_cast<long long>(located.total_files));
  text += FormatBytes(located.bytes) + " of " + FormatBytes(located.total_bytes) + ")";
  if (located.total_files > 0) {
    const double left = static_cast<double>(files) / static_cast<double>(located.total_files);
    // Rounded down: "100.0% pruned" is said only of nothing loaded.
    text += Print(", %.1f%% pruned", std::floor((1 - left) * 1000 + 1e-9) / 10);
  }
  if (!located.unindexed_files.empty()) {
    text += Print("; %lld not indexed yet", static_cast<long long>(located.unindexed_files.size()));
  }
  return text;
}

std::string PruningSteps(const Located& located) {
  std::string text;
  for (const PruneStep& step : located.steps) {
    text += "  " + step.column + " (" + step.kind + "): " + std::to_string(step.files_before) +
            " -> " + std::to_string(step.files_after) + " files\n";
  }
  return text;
}

void WarnOfFailed(std::ostream& err, const std::vector<FailedFile>& failed) {
  for (const FailedFile& file : failed) {
    err << "warning: not indexed: ";
    if (file.error.find(file.uri) == std::string::npos) err << file.uri << ": ";
    err << file.error << "\n";
  }
}

Json LocatedJson(const Located& located) {
  Json steps = Json::array();
  for (const PruneStep& step : located.steps) {
    steps.push_back({{"column", step.column},
                     {"kind", step.kind},
                     {"files_before", step.files_before},
                     {"files_after", step.files_after}});
  }
  return {{"files", located.files},
          {"total_files", located.total_files},
          {"unindexed_files", located.unindexed_files},
          {"bytes", located.bytes},
          {"total_bytes", located.total_bytes},
          {"index_bytes_read", located.index_bytes_read},
          {"requests", located.requests},
          {"elapsed_ms", located.elapsed_ms},
          {"steps", std::move(steps)}};
}

Json IndexesJson(const std::vector<IndexedColumn>& columns) {
  Json list = Json::array();
  for (const IndexedColumn& column : columns) {
    Json entry = {{"column", column.column}, {"kind", ToString(column.kind)}};
    if (column.kind == IndexedColumn::Kind::kBloom) entry["fpr"] = column.fpr;
    if (column.kind == IndexedColumn::Kind::kComputed) entry["expression"] = column.expression;
    if (column.kind == IndexedColumn::Kind::kTemporal) {
      entry["timestamp_column"] = column.timestamp_column;
    }
    if (column.kind == IndexedColumn::Kind::kExploded) {
      entry["array_column"] = column.array_column;
      entry["field_path"] = column.field_path;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json ReadOptionsJson(const ReadOptions& options) {
  Json object = Json::object();
  for (const auto& [name, value] : options) object[name] = value;
  return object;
}

Json SchemaJson(const arrow::Schema& schema) {
  Json list = Json::array();
  for (const auto& field : schema.fields()) {
    list.push_back({{"name", field->name()},
                    {"type", source::SparkTypeName(*field->type())},
                    {"nullable", field->nullable()}});
  }
  return list;
}

}  // namespace ariadne::cli
