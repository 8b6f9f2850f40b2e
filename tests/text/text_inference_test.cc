// The files of every case of data/spark_schemas.jsonl.gz have the schema that Spark 3.5.5 inferred
// (spark/run.sh writes it).

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "source/spark_schema.h"
#include "spark_cases.h"
#include "text/text_inference.h"

namespace ariadne::text {
namespace {

using nlohmann::json;

std::vector<InferenceFile> Files(const std::vector<std::string>& contents) {
  std::vector<InferenceFile> files;
  for (const std::string& content : contents) {
    files.push_back(
        {std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(content)), {"", "x"}});
  }
  return files;
}

std::shared_ptr<arrow::Schema> Infer(const TextFormat& format,
                                     const std::vector<std::string>& contents) {
  const TextOptions options = ReadTextOptions(format);
  const auto files = Files(contents);
  return options.csv ? InferCsvSchema(files, options) : InferJsonSchema(files, options);
}

/// What of Spark's schema is inferred here: all but the column of damaged records.
json Wanted(const json& test) {
  json schema = json::parse(test["inferred"].get<std::string>());
  json fields = json::array();
  for (const json& field : schema["fields"]) {
    if (field["name"] != "_corrupt_record") fields.push_back(field);
  }
  return fields;
}

/// A time of day alone is a timestamp to Spark, of the day of reading, and no value here.
bool HasTimeAlone(const std::vector<std::string>& contents) {
  std::string all = ",";
  for (const std::string& content : contents) all += content + ",";
  std::replace(all.begin(), all.end(), '\n', ',');
  for (const char* time : {",10:00:00,", ",T10:00:00,", ",10:00,", ",T10,"}) {
    if (all.find(time) != std::string::npos) return true;
  }
  return false;
}

bool SameButForTimes(json wanted, const json& found) {
  if (!found.is_array() || found.size() != wanted.size()) return false;
  for (size_t i = 0; i < found.size(); ++i) {
    if (wanted[i]["type"] == "timestamp" && found[i]["type"] == "string") {
      wanted[i]["type"] = "string";
    }
  }
  return wanted == found;
}

TEST(TextInferenceTest, EveryFileHasTheSchemaThatSparkInfers) {
  int same = 0;
  for (const json& test : SparkCases("spark_schemas")) {
    if (!test.contains("inferred")) continue;
    std::vector<std::string> contents;
    for (const json& file : test["files"]) contents.push_back(FromBase64(file));
    json found;
    try {
      found = json::parse(source::ToSparkJson(*Infer(FormatOf(test), contents)))["fields"];
    } catch (const Error& error) {
      found = error.what();
    }
    if (found == Wanted(test) || (HasTimeAlone(contents) && SameButForTimes(Wanted(test), found))) {
      ++same;
      continue;
    }
    ADD_FAILURE() << test["name"] << " " << test["options"].dump() << "\n  files: "
                  << json(contents).dump(-1, ' ', false, json::error_handler_t::replace)
                  << "\n  Spark: " << Wanted(test).dump() << "\n  found: " << found.dump();
  }
  EXPECT_GT(same, 390);
}

TEST(TextInferenceTest, ARecordThatIsNoJsonEndsInferringInModeFailFast) {
  const std::vector<std::string> files = {"{\"a\": 1}\n{\"a\": tru}\n"};
  EXPECT_EQ(Infer({"json", {}}, files)->num_fields(), 1);
  EXPECT_THROW(Infer({"json", {{"mode", "FAILFAST"}}}, files), InvalidFile);
}

}  // namespace
}  // namespace ariadne::text
