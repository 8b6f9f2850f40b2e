#include "storage/file_statistics.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/utf8.h>
#include <nlohmann/json.hpp>

namespace ariadne::storage::internal {
namespace {

/// Characters that a logged string bound keeps, as Delta's own writer does.
constexpr size_t kPrefix = 32;

template <typename ArrayType>
void AddIntegers(const arrow::Array& array, std::optional<int64_t>& low,
                 std::optional<int64_t>& high) {
  const auto& values = static_cast<const ArrayType&>(array);
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsNull(i)) continue;
    const auto value = static_cast<int64_t>(values.Value(i));
    low = low.has_value() ? std::min(*low, value) : value;
    high = high.has_value() ? std::max(*high, value) : value;
  }
}

template <typename ArrayType>
void AddStrings(const arrow::Array& array, std::optional<std::string>& first,
                std::optional<std::string>& last) {
  const auto& values = static_cast<const ArrayType&>(array);
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsNull(i)) continue;
    const std::string_view value = values.GetView(i);
    if (!first.has_value() || value < *first) first = value;
    if (!last.has_value() || value > *last) last = value;
  }
}

/// Bytes of the first `count` characters.
size_t PrefixBytes(std::string_view text, size_t count) {
  size_t i = 0;
  while (i < text.size() && count > 0) {
    ++i;
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) ++i;
    --count;
  }
  return i;
}

std::string LowerBound(const std::string& text) {
  return text.substr(0, PrefixBytes(text, kPrefix));
}

/// The prefix with a character appended that no continuation of the text exceeds.
std::string UpperBound(const std::string& text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD, as Delta appends
  constexpr std::string_view kHighest = "\xF4\x8F\xBF\xBF";  // U+10FFFF
  size_t end = PrefixBytes(text, kPrefix);
  while (text.compare(end, kHighest.size(), kHighest) == 0) end += kHighest.size();
  if (end >= text.size()) return text;
  const bool above = std::string_view(text).substr(end) >= kReplacement;
  return text.substr(0, end) + std::string(above ? kHighest : kReplacement);
}

/// ISO 8601 in milliseconds; nullopt outside the years that the form can write.
std::optional<std::string> Instant(int64_t micros, bool round_up) {
  int64_t millis = micros / 1000;
  if (micros % 1000 != 0) {
    if (micros < 0) --millis;
    if (round_up) ++millis;
  }
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(millis)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  const int year = static_cast<int>(date.year());
  if (year < 1 || year > 9999) return std::nullopt;
  char text[40];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", year,
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return std::string(text);
}

bool IsUtf8(const std::string& text) {
  arrow::util::InitializeUTF8();
  return arrow::util::ValidateUTF8(reinterpret_cast<const uint8_t*>(text.data()),
                                   static_cast<int64_t>(text.size()));
}

bool IsMicroTimestamp(const arrow::DataType& type) {
  return type.id() == arrow::Type::TIMESTAMP &&
         static_cast<const arrow::TimestampType&>(type).unit() == arrow::TimeUnit::MICRO &&
         !static_cast<const arrow::TimestampType&>(type).timezone().empty();
}

}  // namespace

FileStatistics::FileStatistics(std::shared_ptr<arrow::Schema> schema)
    : schema_(std::move(schema)), columns_(static_cast<size_t>(schema_->num_fields())) {}

void FileStatistics::Add(const arrow::RecordBatch& batch) {
  rows_ += batch.num_rows();
  for (int i = 0; i < batch.num_columns(); ++i) {
    const arrow::Array& array = *batch.column(i);
    Column& column = columns_[static_cast<size_t>(i)];
    column.nulls += array.null_count();
    switch (array.type_id()) {
      case arrow::Type::INT8:
        AddIntegers<arrow::Int8Array>(array, column.low, column.high);
        break;
      case arrow::Type::INT16:
        AddIntegers<arrow::Int16Array>(array, column.low, column.high);
        break;
      case arrow::Type::INT32:
        AddIntegers<arrow::Int32Array>(array, column.low, column.high);
        break;
      case arrow::Type::INT64:
        AddIntegers<arrow::Int64Array>(array, column.low, column.high);
        break;
      case arrow::Type::TIMESTAMP:
        if (IsMicroTimestamp(*array.type())) {
          AddIntegers<arrow::TimestampArray>(array, column.low, column.high);
        }
        break;
      case arrow::Type::STRING:
        AddStrings<arrow::StringArray>(array, column.first, column.last);
        break;
      case arrow::Type::LARGE_STRING:
        AddStrings<arrow::LargeStringArray>(array, column.first, column.last);
        break;
      default:
        break;
    }
  }
}

std::string FileStatistics::ToJson() const {
  using Json = nlohmann::ordered_json;
  Json low = Json::object();
  Json high = Json::object();
  Json nulls = Json::object();
  for (size_t i = 0; i < columns_.size(); ++i) {
    const auto& field = schema_->field(static_cast<int>(i));
    const Column& column = columns_[i];
    const std::string& name = field->name();
    // The null count of a struct is an object of its fields' counts.
    if (field->type()->id() != arrow::Type::STRUCT) nulls[name] = column.nulls;
    if (column.first.has_value() && IsUtf8(*column.first) && IsUtf8(*column.last)) {
      low[name] = LowerBound(*column.first);
      high[name] = UpperBound(*column.last);
    } else if (column.low.has_value() && field->type()->id() == arrow::Type::TIMESTAMP) {
      const auto from = Instant(*column.low, /*round_up=*/false);
      const auto to = Instant(*column.high, /*round_up=*/true);
      if (from.has_value() && to.has_value()) {
        low[name] = *from;
        high[name] = *to;
      }
    } else if (column.low.has_value()) {
      low[name] = *column.low;
      high[name] = *column.high;
    }
  }
  Json statistics;
  statistics["numRecords"] = rows_;
  statistics["minValues"] = std::move(low);
  statistics["maxValues"] = std::move(high);
  statistics["nullCount"] = std::move(nulls);
  return statistics.dump();
}

}  // namespace ariadne::storage::internal
