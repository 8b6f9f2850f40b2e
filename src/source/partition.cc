#include "source/partition.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "ariadne/errors.h"
#include "source/name_match.h"
#include "source/spark_schema.h"

namespace ariadne::source {

namespace {

using ScalarPtr = std::shared_ptr<arrow::Scalar>;

std::string_view Trim(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

template <typename T>
std::optional<T> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename T>
std::optional<T> ParseReal(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text;
  if (negative || text.starts_with('+')) digits.remove_prefix(1);
  if (digits == "NaN") return std::numeric_limits<T>::quiet_NaN();
  if (digits == "Infinity" || digits == "Inf") {
    return negative ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
  }
  if (digits.empty() || (digits[0] != '.' && (digits[0] < '0' || digits[0] > '9'))) {
    return std::nullopt;
  }
  // Java's parser takes a type suffix.
  if (std::string_view("fFdD").find(digits.back()) != std::string_view::npos) {
    digits.remove_suffix(1);
  }
  T value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) return std::nullopt;
  return negative ? -value : value;
}

// Reads `text` piece by piece.
struct Cursor {
  std::string_view rest;

  bool Skip(char c) {
    if (!rest.starts_with(c)) return false;
    rest.remove_prefix(1);
    return true;
  }
  std::optional<int> Number(size_t least, size_t most) {
    size_t length = 0;
    while (length < rest.size() && length < most && rest[length] >= '0' && rest[length] <= '9') {
      ++length;
    }
    if (length < least) return std::nullopt;
    const auto value = ParseInteger<int>(rest.substr(0, length));
    rest.remove_prefix(length);
    return value;
  }
};

// Days since the epoch.
std::optional<int32_t> ReadDate(Cursor* cursor) {
  const auto year = cursor->Number(4, 7);
  if (!year || !cursor->Skip('-')) return std::nullopt;
  const auto month = cursor->Number(1, 2);
  if (!month || !cursor->Skip('-')) return std::nullopt;
  const auto day = cursor->Number(1, 2);
  if (!day || *year > 32'767) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<int32_t> ParseDate(std::string_view text) {
  Cursor cursor{text};
  const auto days = ReadDate(&cursor);
  return cursor.rest.empty() ? days : std::nullopt;
}

// Offset from UTC in seconds: "", "Z", "+02", "+02:00", "+0200".
std::optional<int64_t> ReadOffset(Cursor* cursor) {
  if (cursor->rest.empty()) return 0;
  if (cursor->rest == "Z" || cursor->rest == "UTC" || cursor->rest == " UTC") {
    cursor->rest = {};
    return 0;
  }
  const bool negative = cursor->rest.starts_with('-');
  if (!cursor->Skip('+') && !cursor->Skip('-')) return std::nullopt;
  const auto hours = cursor->Number(1, 2);
  cursor->Skip(':');
  const auto minutes = cursor->rest.empty() ? std::optional<int>(0) : cursor->Number(2, 2);
  if (!hours || !minutes || *hours > 18 || *minutes > 59) return std::nullopt;
  const int64_t seconds = *hours * 3600 + *minutes * 60;
  return negative ? -seconds : seconds;
}

// Microseconds since the epoch.
std::optional<int64_t> ParseTimestamp(std::string_view text, bool zoned) {
  constexpr int64_t kMicrosASecond = 1'000'000;
  Cursor cursor{text};
  const auto days = ReadDate(&cursor);
  if (!days) return std::nullopt;
  int64_t seconds = int64_t{*days} * 86'400;
  int64_t micros = 0;
  if (cursor.Skip(' ') || cursor.Skip('T')) {
    const auto hour = cursor.Number(1, 2);
    if (!hour || !cursor.Skip(':')) return std::nullopt;
    const auto minute = cursor.Number(1, 2);
    if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
    const auto second = cursor.Skip(':') ? cursor.Number(1, 2) : std::optional<int>(0);
    if (!second || *second > 59) return std::nullopt;
    seconds += *hour * 3600 + *minute * 60 + *second;
    if (cursor.Skip('.')) {
      const size_t before = cursor.rest.size();
      const auto fraction = cursor.Number(1, 6);
      if (!fraction) return std::nullopt;
      micros = *fraction;
      for (size_t digits = before - cursor.rest.size(); digits < 6; ++digits) micros *= 10;
      while (cursor.Skip('0')) {  // Digits past the sixth may only be zero.
      }
    }
    // What an offset means to a timestamp without zone, readers do not agree upon.
    const auto offset = zoned ? ReadOffset(&cursor) : std::optional<int64_t>(0);
    if (!offset) return std::nullopt;
    seconds -= *offset;
  }
  if (!cursor.rest.empty()) return std::nullopt;
  return seconds * kMicrosASecond + micros;
}

std::optional<bool> ParseBoolean(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const char* word : {"true", "t", "yes", "y", "1"}) {
    if (lower == word) return true;
  }
  for (const char* word : {"false", "f", "no", "n", "0"}) {
    if (lower == word) return false;
  }
  return std::nullopt;
}

std::optional<arrow::Decimal128> ParseDecimal(std::string_view text,
                                              const arrow::DecimalType& type) {
  arrow::Decimal128 value;
  int32_t precision = 0;
  int32_t scale = 0;
  if (!arrow::Decimal128::FromString(text, &value, &precision, &scale).ok()) return std::nullopt;
  if (value == 0) return arrow::Decimal128(0);
  // By the digits themselves: Arrow 26.0.1 divides wide decimals wrongly, and does not see when a
  // product overflows.
  std::string digits = value.ToIntegerString();
  if (value < 0) digits.erase(0, 1);
  for (; scale > type.scale(); --scale) {
    if (!digits.ends_with('0')) return std::nullopt;
    digits.pop_back();
  }
  if (std::ssize(digits) + type.scale() - scale > type.precision()) return std::nullopt;
  digits.append(type.scale() - scale, '0');
  return arrow::Decimal128(value < 0 ? "-" + digits : digits);
}

template <typename ScalarType, typename Value>
ScalarPtr ScalarOf(const std::optional<Value>& value,
                   const std::shared_ptr<arrow::DataType>& type) {
  return value ? std::make_shared<ScalarType>(*value, type) : nullptr;
}

// nullptr: the text is no such value.
ScalarPtr Parse(const std::string& given, const std::shared_ptr<arrow::DataType>& type) {
  const std::string_view text = Trim(given);
  switch (type->id()) {
    case arrow::Type::STRING:
      return std::make_shared<arrow::StringScalar>(given);
    case arrow::Type::BINARY:
      return std::make_shared<arrow::BinaryScalar>(arrow::Buffer::FromString(given));
    case arrow::Type::BOOL:
      return ScalarOf<arrow::BooleanScalar>(ParseBoolean(text), type);
    case arrow::Type::INT8:
      return ScalarOf<arrow::Int8Scalar>(ParseInteger<int8_t>(text), type);
    case arrow::Type::INT16:
      return ScalarOf<arrow::Int16Scalar>(ParseInteger<int16_t>(text), type);
    case arrow::Type::INT32:
      return ScalarOf<arrow::Int32Scalar>(ParseInteger<int32_t>(text), type);
    case arrow::Type::INT64:
      return ScalarOf<arrow::Int64Scalar>(ParseInteger<int64_t>(text), type);
    case arrow::Type::FLOAT:
      return ScalarOf<arrow::FloatScalar>(ParseReal<float>(text), type);
    case arrow::Type::DOUBLE:
      return ScalarOf<arrow::DoubleScalar>(ParseReal<double>(text), type);
    case arrow::Type::DATE32:
      return ScalarOf<arrow::Date32Scalar>(ParseDate(text), type);
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(*type);
      if (timestamp.unit() != arrow::TimeUnit::MICRO) return nullptr;
      return ScalarOf<arrow::TimestampScalar>(ParseTimestamp(text, !timestamp.timezone().empty()),
                                              type);
    }
    case arrow::Type::DECIMAL128:
      return ScalarOf<arrow::Decimal128Scalar>(
          ParseDecimal(text, static_cast<const arrow::DecimalType&>(*type)), type);
    default:
      return nullptr;
  }
}

std::shared_ptr<arrow::DataType> InferType(const PartitionValue& partition) {
  if (partition.is_null) return arrow::utf8();
  const std::string& text = partition.value;
  if (ParseInteger<int32_t>(text)) return arrow::int32();
  if (ParseInteger<int64_t>(text)) return arrow::int64();
  arrow::Decimal128 value;
  int32_t precision = 0;
  int32_t scale = 0;
  // Spark takes a decimal only where no digit stands behind the point.
  if (text.find_first_not_of("+-0123456789") == std::string::npos &&
      arrow::Decimal128::FromString(text, &value, &precision, &scale).ok() && precision > 0) {
    return arrow::decimal128(precision, 0);
  }
  if (ParseReal<double>(text)) return arrow::float64();
  if (ParseDate(text)) return arrow::date32();
  if (ParseTimestamp(text, true)) return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  return arrow::utf8();
}

}  // namespace

ScalarPtr PartitionScalar(const PartitionValue& value, const std::shared_ptr<arrow::DataType>& type,
                          const std::string& uri) {
  if (value.is_null) return arrow::MakeNullScalar(type);
  ScalarPtr scalar = Parse(value.value, type);
  if (scalar != nullptr) return scalar;
  throw InvalidFile(uri + ": the folder '" + value.column + "=" + value.value + "' gives column '" +
                    value.column + "' a value that is no " + SparkTypeName(*type) +
                    ". Declare the column as string, or rename the folder");
}

std::shared_ptr<arrow::Schema> WithPartitionColumns(const std::shared_ptr<arrow::Schema>& schema,
                                                    std::string_view uri) {
  arrow::FieldVector fields = schema->fields();
  for (const PartitionValue& partition : PartitionValues(uri)) {
    const int at = FindName(
        static_cast<int>(fields.size()),
        [&fields](int i) -> std::string_view { return fields[i]->name(); }, partition.column);
    if (at >= 0) {
      fields[at] = fields[at]->WithType(InferType(partition));
    } else {
      fields.push_back(arrow::field(partition.column, InferType(partition)));
    }
  }
  return arrow::schema(std::move(fields), schema->metadata());
}

}  // namespace ariadne::source
