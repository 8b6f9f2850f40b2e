#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "engine/spark_cast.h"
#include "engine/spark_coercion.h"
#include "engine/spark_functions.h"
#include "engine/spark_kernel.h"
#include "engine/spark_time_format.h"
#include "index/civil_time.h"
#include "text/time_pattern.h"

namespace ariadne::engine {

namespace {

constexpr char kDefaultPattern[] = "yyyy-MM-dd HH:mm:ss";

// nullopt for a pattern that is NULL.
std::optional<std::string> PatternOf(const SparkNodePtr& node, const std::string& function) {
  const auto pattern = Coerce(node, arrow::utf8(), "'" + function + "'");
  if (pattern->constant == nullptr) {
    throw UnsupportedSpark("'" + function + "' takes a constant pattern");
  }
  std::string text;
  if (!ConstantText(*pattern, &text)) return std::nullopt;
  return text;
}

SparkNodePtr FormatNode(const SparkNodePtr& micros, const SparkNodePtr& pattern,
                        const std::string& function) {
  const auto text = PatternOf(pattern, function);
  if (!text) return NullNode(arrow::utf8());
  const auto write = [format = TimeFormat(*text)](const SparkArrays& arguments, int64_t rows) {
    const Values<int64_t> times(*arguments[0]);
    Writer<std::string_view> writer(rows);
    // Times that follow each other are often of the same day: they are written once.
    std::optional<int64_t> written;
    std::string text;
    for (int64_t row = 0; row < rows; ++row) {
      if (times.IsNull(row)) {
        writer.AppendNull();
        continue;
      }
      const int64_t unit = index::FloorDivide(times[row], format.unit());
      if (written != unit) {
        text.clear();
        format.Append(times[row], &text);
        written = unit;
      }
      writer.Append(text);
    }
    return writer.Finish(arrow::utf8());
  };
  return KernelNode(arrow::utf8(), {micros}, write);
}

SparkNodePtr BindDateFormat(const SparkNodes& arguments) {
  const auto time = Coerce(arguments[0], TimestampType(), "'date_format'");
  return FormatNode(time, arguments[1], "date_format");
}

SparkNodePtr BindFromUnixTime(const SparkNodes& arguments) {
  const auto seconds = Coerce(arguments[0], arrow::int64(), "'from_unixtime'");
  const auto pattern = arguments.size() > 1 ? arguments[1] : StringNode(kDefaultPattern);
  // Seconds become microseconds in 64 bits that wrap.
  const auto micros =
      KernelNode(TimestampType(), {seconds}, RowKernel<int64_t>(TimestampType(), [](int64_t value) {
                   return static_cast<int64_t>(static_cast<uint64_t>(value) * 1'000'000U);
                 }));
  return FormatNode(micros, pattern, "from_unixtime");
}

std::shared_ptr<const text::TimePattern> ReadingPattern(const std::optional<std::string>& pattern,
                                                        const std::string& function) {
  if (!pattern) return nullptr;
  try {
    return std::make_shared<const text::TimePattern>("'" + function + "'", *pattern);
  } catch (const InvalidArgument& error) {
    throw UnsupportedSpark(error.what());
  }
}

// A timestamp from text by a pattern; dates and timestamps are taken as they are.
SparkNodePtr ReadNode(const SparkNodePtr& value, const SparkNodePtr& pattern,
                      const std::string& function) {
  const auto type = TimestampType();
  const auto parsed = ReadingPattern(PatternOf(pattern, function), function);
  const auto text = CoerceToOneOf(
      value, {arrow::utf8(), arrow::date32(), type, arrow::timestamp(arrow::TimeUnit::MICRO)},
      "'" + function + "'");
  if (parsed == nullptr) return NullNode(type);
  if (!IsString(text->type)) return Cast(text, type);
  return KernelNode(type, {text}, RowKernel<std::string_view>(type, [parsed](std::string_view v) {
                      return parsed->Timestamp(v);
                    }));
}

SparkNodePtr BindToDate(const SparkNodes& arguments) {
  if (arguments.size() == 1) return Cast(arguments[0], arrow::date32());
  return Cast(ReadNode(arguments[0], arguments[1], "to_date"), arrow::date32());
}

SparkNodePtr BindToTimestamp(const SparkNodes& arguments) {
  if (arguments.size() == 1) return Cast(arguments[0], TimestampType());
  return ReadNode(arguments[0], arguments[1], "to_timestamp");
}

SparkNodePtr BindUnixTimestamp(const SparkNodes& arguments) {
  const auto pattern = arguments.size() > 1 ? arguments[1] : StringNode(kDefaultPattern);
  const auto time = ReadNode(arguments[0], pattern, "unix_timestamp");
  return KernelNode(arrow::int64(), {time}, RowKernel<int64_t>(arrow::int64(), [](int64_t micros) {
                      // Cut towards zero, also before 1970.
                      return micros / 1'000'000;
                    }));
}

}  // namespace

void AddDateTexts(SparkFunctions& functions) {
  functions["date_format"] = {2, 2, BindDateFormat};
  functions["from_unixtime"] = {1, 2, BindFromUnixTime};
  functions["to_date"] = {1, 2, BindToDate};
  functions["to_timestamp"] = {1, 2, BindToTimestamp};
  functions["unix_timestamp"] = {1, 2, BindUnixTimestamp};
}

}  // namespace ariadne::engine
