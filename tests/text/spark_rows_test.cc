// Every file of data/spark_rows.jsonl.gz gives the rows that Spark 3.5.5 read from it
// (spark/run.sh writes it).

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "spark_cases.h"
#include "text/text_format.h"
#include "text/text_reader.h"
#include "value_json.h"

namespace ariadne::text {
namespace {

using nlohmann::json;

json ReadRows(const json& test, const std::vector<std::string>& columns, int64_t batch_rows) {
  const auto schema = SchemaOfDdl(test["schema"]);
  const std::string bytes = FromBase64(test["bytes"]);
  const auto file = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  TextReader reader(file, TextName{"", "x" + test["suffix"].get<std::string>()}, schema,
                    ReadTextOptions(FormatOf(test)), columns, batch_rows);
  json rows = json::array();
  while (const auto batch = reader.Next()) {
    EXPECT_LE(batch->num_rows(), batch_rows);
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      json row = json::array();
      for (const auto& column : batch->columns()) row.push_back(ValueJson(*column, i));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

void SortMaps(const arrow::DataType& type, json* value) {
  if (value->is_null()) return;
  switch (type.id()) {
    case arrow::Type::LIST:
      for (json& child : *value) SortMaps(*type.field(0)->type(), &child);
      break;
    case arrow::Type::STRUCT:
      for (int i = 0; i < type.num_fields(); ++i) SortMaps(*type.field(i)->type(), &(*value)[i]);
      break;
    case arrow::Type::MAP:
      for (json& entry : *value) {
        SortMaps(*static_cast<const arrow::MapType&>(type).item_type(), &entry[1]);
      }
      std::sort(value->begin(), value->end());
      break;
    default:
      break;
  }
}

/// What Spark does with a file, and what we do.
struct Outcome {
  bool spark_fails = false;
  json spark_rows;
  json rows;
  std::string refused;  ///< Message of an InvalidArgument.
  std::string failed;   ///< Message of another error.
};

Outcome Read(const json& test) {
  const auto schema = SchemaOfDdl(test["schema"]);
  Outcome outcome;
  outcome.spark_fails = test.contains("fails");
  if (!outcome.spark_fails) outcome.spark_rows = test["rows"];
  for (json& row : outcome.spark_rows) {
    for (int i = 0; i < schema->num_fields(); ++i) SortMaps(*schema->field(i)->type(), &row[i]);
  }
  try {
    outcome.rows = ReadRows(test, schema->field_names(), 7);
  } catch (const InvalidArgument& error) {
    outcome.refused = error.what();
  } catch (const Error& error) {
    outcome.failed = error.what();
  }
  return outcome;
}

bool Holds(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// Where we differ from Spark on purpose (docs/text-formats.md). Empty: nowhere.
std::string KnownDifference(const json& test, const Outcome& outcome) {
  const std::string name = test["name"];
  const std::string schema = test["schema"];
  const auto& options = test["options"];
  if (!outcome.refused.empty()) {
    for (const auto& [option, value] : options.items()) {
      if (Holds(outcome.refused, ("'" + option + "'").c_str())) return "refused by name";
    }
  }
  const bool time = schema.starts_with("a date") || schema.starts_with("a timestamp");
  if (outcome.spark_fails && time && outcome.failed.empty()) {
    for (const json& row : outcome.rows) {
      if (!row[0].is_null()) return "";
    }
    return "NULL for a time that ends Spark's read";
  }
  for (const char* text : {"'10:00:00'", "'T10:00:00'", "'10:00'", "'T10'"}) {
    if (schema.starts_with("a timestamp,") && Holds(name, text)) return "a time of today is NULL";
  }
  if (options.contains("sep") && options["sep"].get<std::string>().size() > 1 &&
      Holds(name, "random")) {
    return "a quote within a quoted field, with a delimiter of several characters";
  }
  if (Holds(name, "json: cut gzip") && !outcome.failed.empty()) return "a damaged file is reported";
  if (Holds(name, "json: latin1") && outcome.spark_fails)
    return "lines of another encoding are read";
  // Where a field is nothing but blanks, Spark's parser trims past its begin.
  if (outcome.spark_fails && options.contains("ignoreTrailingWhiteSpace") &&
      outcome.failed.empty()) {
    return "Spark's parser breaks down";
  }
  return "";
}

std::string Shown(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 300);
}

std::string Describe(const json& test, const Outcome& outcome) {
  std::string text = test["name"].get<std::string>() + " " + test["options"].dump() + " " +
                     test["schema"].dump() + "\n  file:  " + Shown(FromBase64(test["bytes"]));
  if (outcome.spark_fails || outcome.rows.is_null()) {
    return text + "\n  Spark: " + (outcome.spark_fails ? "fails" : Shown(outcome.spark_rows)) +
           "\n  found: " +
           (outcome.rows.is_null() ? outcome.refused + outcome.failed : Shown(outcome.rows));
  }
  size_t row = 0;
  const json& spark = outcome.spark_rows;
  const json& found = outcome.rows;
  while (row < found.size() && row < spark.size() && found[row] == spark[row]) ++row;
  return text + "\n  row " + std::to_string(row) +
         "\n  Spark: " + (row < spark.size() ? Shown(spark[row]) : "none") +
         "\n  found: " + (row < found.size() ? Shown(found[row]) : "none");
}

TEST(SparkRowsTest, EveryFileGivesTheRowsThatSparkReads) {
  std::map<std::string, int> known;
  int same = 0;
  int shown = 0;
  for (const json& test : SparkCases("spark_rows")) {
    const Outcome outcome = Read(test);
    const bool error = !outcome.refused.empty() || !outcome.failed.empty();
    if (outcome.spark_fails ? error : !error && outcome.rows == outcome.spark_rows) {
      ++same;
      continue;
    }
    const std::string difference = KnownDifference(test, outcome);
    if (!difference.empty()) {
      ++known[difference];
      continue;
    }
    constexpr int kMostShown = 30;
    if (shown++ < kMostShown) ADD_FAILURE() << Describe(test, outcome);
  }
  EXPECT_GT(same, 7300);
  EXPECT_LE(known["a quote within a quoted field, with a delimiter of several characters"], 4);
  for (const auto& [what, count] : known) RecordProperty(what, count);
}

// Which columns are asked for never changes a value: an index is built from other columns than a
// query reads.
TEST(SparkRowsTest, ColumnsAskedForAloneHaveTheValuesThatTheyHaveTogether) {
  for (const json& test : SparkCases("spark_rows")) {
    const Outcome whole = Read(test);
    if (whole.rows.is_null()) continue;
    const auto names = SchemaOfDdl(test["schema"])->field_names();
    for (size_t i = 0; i < names.size(); ++i) {
      const json alone = ReadRows(test, {names[i]}, 1000);
      ASSERT_EQ(alone.size(), whole.rows.size()) << Describe(test, whole);
      for (size_t row = 0; row < alone.size(); ++row) {
        ASSERT_EQ(alone[row][0], whole.rows[row][i]) << Describe(test, whole);
      }
    }
  }
}

}  // namespace
}  // namespace ariadne::text
