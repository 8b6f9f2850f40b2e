#include "engine/value_text.h"

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/base64.h>
#include <arrow/util/decimal.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "ariadne/errors.h"
#include "index/civil_time.h"

namespace ariadne::engine {

namespace {

template <typename Int>
void AppendInteger(Int value, std::string& out) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

template <typename Float>
void AppendFloat(Float value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
    return;
  }
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  out += text;
  // 1 would come back as an integer.
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

// ISO 8601, of the proleptic Gregorian calendar: years have four digits or more, those before year
// 0 a minus.
std::string DateText(int64_t days) {
  const index::CivilDate date = index::CivilDateOf(days);
  char buffer[40];
  const int length =
      std::snprintf(buffer, sizeof buffer, "%s%04d-%02d-%02d", date.year < 0 ? "-" : "",
                    std::abs(date.year), date.month, date.day);
  return {buffer, static_cast<size_t>(length)};
}

// All `scale` digits behind the point are written.
std::string DecimalText(std::string digits, int32_t scale) {
  if (scale <= 0) return digits + std::string(digits == "0" ? 0 : -scale, '0');
  const size_t sign = digits.starts_with('-') ? 1 : 0;
  const auto least = static_cast<size_t>(scale) + 1;
  if (digits.size() - sign < least) digits.insert(sign, least - (digits.size() - sign), '0');
  digits.insert(digits.size() - static_cast<size_t>(scale), 1, '.');
  return digits;
}

// The engine's infinities; else nullptr.
const char* InfiniteDate(int32_t days) {
  constexpr int32_t kInfinity = std::numeric_limits<int32_t>::max();
  return days == kInfinity ? "infinity" : days == -kInfinity ? "-infinity" : nullptr;
}

const char* InfiniteTimestamp(int64_t micros) {
  constexpr int64_t kInfinity = std::numeric_limits<int64_t>::max();
  return micros == kInfinity ? "infinity" : micros == -kInfinity ? "-infinity" : nullptr;
}

// `ticks` since midnight, `per_second` of them; a fraction only where there is one.
void AppendTime(int64_t ticks, int64_t per_second, int digits, std::string& out) {
  const int64_t seconds = ticks / per_second;
  char buffer[40];
  int length =
      std::snprintf(buffer, sizeof buffer, "%02d:%02d:%02d", static_cast<int>(seconds / 3600),
                    static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60));
  out.append(buffer, static_cast<size_t>(length));
  const int64_t fraction = ticks % per_second;
  if (fraction == 0) return;
  length =
      std::snprintf(buffer, sizeof buffer, ".%0*lld", digits, static_cast<long long>(fraction));
  while (buffer[length - 1] == '0') --length;
  out.append(buffer, static_cast<size_t>(length));
}

struct Unit {
  int64_t per_second;
  int digits;
};

Unit UnitOf(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return {1, 0};
    case arrow::TimeUnit::MILLI:
      return {1'000, 3};
    case arrow::TimeUnit::MICRO:
      return {1'000'000, 6};
    default:
      return {1'000'000'000, 9};
  }
}

void AppendTimestamp(int64_t ticks, const arrow::TimestampType& type, std::string& out) {
  const char* infinite = InfiniteTimestamp(ticks);
  if (infinite && type.unit() == arrow::TimeUnit::MICRO) {
    out += infinite;
    return;
  }
  const Unit unit = UnitOf(type.unit());
  const int64_t per_day = unit.per_second * 86'400;
  int64_t days = ticks / per_day;
  int64_t rest = ticks % per_day;
  if (rest < 0) {
    rest += per_day;
    --days;
  }
  out += DateText(days);
  out += 'T';
  AppendTime(rest, unit.per_second, unit.digits, out);
  if (!type.timezone().empty()) out += 'Z';
}

template <typename ArrayType>
auto Value(const arrow::Array& array, int64_t row) {
  return static_cast<const ArrayType&>(array).Value(row);
}

template <typename Decimal>
void AppendDecimal(const arrow::Array& array, int64_t row, std::string& out) {
  const auto& values = static_cast<const arrow::FixedSizeBinaryArray&>(array);
  out += DecimalText(Decimal(values.GetValue(row)).ToIntegerString(),
                     static_cast<const arrow::DecimalType&>(*array.type()).scale());
}

template <typename ListType>
void AppendList(const arrow::Array& array, int64_t row, std::string& out) {
  const auto& list = static_cast<const ListType&>(array);
  out += '[';
  for (int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
    if (i > list.value_offset(row)) out += ',';
    AppendJson(*list.values(), i, out);
  }
  out += ']';
}

void AppendMap(const arrow::MapArray& map, int64_t row, std::string& out) {
  out += '{';
  for (int64_t i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
    if (i > map.value_offset(row)) out += ',';
    std::string key;
    AppendText(*map.keys(), i, key);
    AppendJsonString(key, out);
    out += ':';
    AppendJson(*map.items(), i, out);
  }
  out += '}';
}

void AppendStruct(const arrow::StructArray& array, int64_t row, std::string& out) {
  out += '{';
  for (int i = 0; i < array.num_fields(); ++i) {
    if (i > 0) out += ',';
    AppendJsonString(array.type()->field(i)->name(), out);
    out += ':';
    AppendJson(*array.field(i), row, out);
  }
  out += '}';
}

// A type whose text is a JSON value without quotes.
bool IsBare(const arrow::Array& array, int64_t row) {
  switch (array.type_id()) {
    case arrow::Type::FLOAT:
      return std::isfinite(Value<arrow::FloatArray>(array, row));
    case arrow::Type::DOUBLE:
      return std::isfinite(Value<arrow::DoubleArray>(array, row));
    case arrow::Type::BOOL:
      return true;
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::MAP:
    case arrow::Type::STRUCT:
      return true;
    default:
      return arrow::is_integer(array.type_id()) || arrow::is_decimal(array.type_id());
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          char buffer[8];
          std::snprintf(buffer, sizeof buffer, "\\u%04x", c);
          out += buffer;
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void AppendText(const arrow::Array& array, int64_t row, std::string& out) {
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      out += Value<arrow::BooleanArray>(array, row) ? "true" : "false";
      return;
    case arrow::Type::INT8:
      return AppendInteger(Value<arrow::Int8Array>(array, row), out);
    case arrow::Type::INT16:
      return AppendInteger(Value<arrow::Int16Array>(array, row), out);
    case arrow::Type::INT32:
      return AppendInteger(Value<arrow::Int32Array>(array, row), out);
    case arrow::Type::INT64:
      return AppendInteger(Value<arrow::Int64Array>(array, row), out);
    case arrow::Type::UINT8:
      return AppendInteger(Value<arrow::UInt8Array>(array, row), out);
    case arrow::Type::UINT16:
      return AppendInteger(Value<arrow::UInt16Array>(array, row), out);
    case arrow::Type::UINT32:
      return AppendInteger(Value<arrow::UInt32Array>(array, row), out);
    case arrow::Type::UINT64:
      return AppendInteger(Value<arrow::UInt64Array>(array, row), out);
    case arrow::Type::FLOAT:
      return AppendFloat(Value<arrow::FloatArray>(array, row), out);
    case arrow::Type::DOUBLE:
      return AppendFloat(Value<arrow::DoubleArray>(array, row), out);
    case arrow::Type::DECIMAL128:
      return AppendDecimal<arrow::Decimal128>(array, row, out);
    case arrow::Type::DECIMAL256:
      return AppendDecimal<arrow::Decimal256>(array, row, out);
    case arrow::Type::STRING:
      out += static_cast<const arrow::StringArray&>(array).GetView(row);
      return;
    case arrow::Type::LARGE_STRING:
      out += static_cast<const arrow::LargeStringArray&>(array).GetView(row);
      return;
    case arrow::Type::BINARY:
      out += arrow::util::base64_encode(static_cast<const arrow::BinaryArray&>(array).GetView(row));
      return;
    case arrow::Type::LARGE_BINARY:
      out += arrow::util::base64_encode(
          static_cast<const arrow::LargeBinaryArray&>(array).GetView(row));
      return;
    case arrow::Type::DATE32: {
      const int32_t days = Value<arrow::Date32Array>(array, row);
      const char* infinite = InfiniteDate(days);
      out += infinite ? infinite : DateText(days);
      return;
    }
    case arrow::Type::TIME64: {
      const Unit unit = UnitOf(static_cast<const arrow::Time64Type&>(*array.type()).unit());
      return AppendTime(Value<arrow::Time64Array>(array, row), unit.per_second, unit.digits, out);
    }
    case arrow::Type::TIMESTAMP:
      return AppendTimestamp(Value<arrow::TimestampArray>(array, row),
                             static_cast<const arrow::TimestampType&>(*array.type()), out);
    case arrow::Type::LIST:
      return AppendList<arrow::ListArray>(array, row, out);
    case arrow::Type::LARGE_LIST:
      return AppendList<arrow::LargeListArray>(array, row, out);
    case arrow::Type::FIXED_SIZE_LIST:
      return AppendList<arrow::FixedSizeListArray>(array, row, out);
    case arrow::Type::MAP:
      return AppendMap(static_cast<const arrow::MapArray&>(array), row, out);
    case arrow::Type::STRUCT:
      return AppendStruct(static_cast<const arrow::StructArray&>(array), row, out);
    case arrow::Type::EXTENSION:
      return AppendText(*static_cast<const arrow::ExtensionArray&>(array).storage(), row, out);
    default:
      throw UnsupportedColumn("Values of type " + array.type()->ToString() +
                              " have no text form: cast the column to VARCHAR, or write .parquet");
  }
}

void AppendJson(const arrow::Array& array, int64_t row, std::string& out) {
  if (array.type_id() == arrow::Type::EXTENSION) {
    return AppendJson(*static_cast<const arrow::ExtensionArray&>(array).storage(), row, out);
  }
  if (array.IsNull(row)) {
    out += "null";
    return;
  }
  if (IsBare(array, row)) return AppendText(array, row, out);
  std::string text;
  AppendText(array, row, text);
  AppendJsonString(text, out);
}

}  // namespace ariadne::engine
