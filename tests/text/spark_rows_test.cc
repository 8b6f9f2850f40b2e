// Every file of data/spark_rows.jsonl.gz gives the rows that Spark 3.5.5 read from it
// (spark/run.sh writes it).

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include <arrow/buffer.h>
#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "text/text_format.h"
#include "text/text_reader.h"
#include "value_json.h"

namespace ariadne::text {
namespace {

using nlohmann::json;

std::string ReadCases() {
  const auto file = arrow::io::ReadableFile::Open(ARIADNE_TEST_DATA "/spark_rows.jsonl.gz");
  const auto codec = arrow::util::Codec::Create(arrow::Compression::GZIP);
  const auto stream = *arrow::io::CompressedInputStream::Make(codec->get(), *file);
  std::string text;
  while (true) {
    const auto piece = *stream->Read(1 << 20);
    if (piece->size() == 0) return text;
    text.append(reinterpret_cast<const char*>(piece->data()), piece->size());
  }
}

std::string FromBase64(const std::string& text) {
  static const std::string kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(kAlphabet.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  return bytes;
}

TextFormat FormatOf(const json& test) {
  TextFormat format{test["format"], {}};
  for (const auto& [name, value] : test["options"].items()) {
    format.read_options.emplace_back(name, value);
  }
  return format;
}

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

TEST(SparkRowsTest, EveryFileGivesTheRowsThatSparkReads) {
  const std::string cases = ReadCases();
  std::map<std::string, int> counts;
  int shown = 0;
  const int most_shown = std::getenv("SHOW") != nullptr ? std::atoi(std::getenv("SHOW")) : 20;
  for (size_t at = 0; at < cases.size();) {
    const size_t end = cases.find('\n', at);
    json test = json::parse(cases.substr(at, end - at));
    at = end + 1;
    const auto schema = SchemaOfDdl(test["schema"]);
    const bool fails = test.contains("fails");
    json expected = fails ? json() : test["rows"];
    for (json& row : expected) {
      for (int i = 0; i < schema->num_fields(); ++i) {
        SortMaps(*schema->field(i)->type(), &row[i]);
      }
    }
    json found;
    std::string error;
    try {
      found = ReadRows(test, schema->field_names(), 7);
    } catch (const InvalidArgument& refused) {
      ++counts["refused"];
      error = refused.what();
    } catch (const Error& failed) {
      ++counts["failed"];
      error = failed.what();
    }
    ++counts["all"];
    const bool same = fails ? !error.empty() : error.empty() && found == expected;
    if (same) {
      ++counts["same"];
      continue;
    }
    if (fails) {
      ++counts["spark fails"];
    } else if (!error.empty()) {
      ++counts["only we fail"];
    } else {
      ++counts["rows differ"];
    }
    const char* kind = std::getenv("KIND");
    const std::string mine = fails ? "fails" : !error.empty() ? "error" : "rows";
    if (kind != nullptr && mine != kind) continue;
    if (shown++ < most_shown) {
      const auto short_text = [](const json& value) {
        return value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 300);
      };
      std::string difference =
          "  Spark: " + (fails ? "fails" : short_text(expected)) +
          "\n  found: " + (error.empty() ? short_text(found) : error.substr(0, 200));
      if (!fails && error.empty()) {
        size_t row = 0;
        while (row < found.size() && row < expected.size() && found[row] == expected[row]) ++row;
        difference = "  row " + std::to_string(row) + " of " + std::to_string(expected.size()) +
                     "/" + std::to_string(found.size()) +
                     "\n  Spark: " + (row < expected.size() ? short_text(expected[row]) : "none") +
                     "\n  found: " + (row < found.size() ? short_text(found[row]) : "none");
      }
      ADD_FAILURE() << test["name"].get<std::string>().substr(0, 150) << "  "
                    << test["options"].dump() << "  " << test["schema"]
                    << "\n  text:  " << short_text(FromBase64(test["bytes"])) << "\n"
                    << difference;
    }
  }
  for (const auto& [what, count] : counts) std::printf("%s: %d\n", what.c_str(), count);
}

}  // namespace
}  // namespace ariadne::text
