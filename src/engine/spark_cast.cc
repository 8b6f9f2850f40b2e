#include "engine/spark_cast.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <arrow/array/util.h>
#include <arrow/type.h>

#include "engine/spark_coercion.h"
#include "engine/spark_decimal.h"
#include "engine/spark_kernel.h"
#include "engine/spark_value_text.h"
#include "index/blank_text.h"
#include "index/civil_time.h"
#include "index/java_decimal.h"
#include "text/value_text.h"

namespace ariadne::engine {

namespace {

using arrow::Decimal128;
using arrow::Type;

constexpr int64_t kMicrosPerSecond = 1'000'000;

// Java's conversions of floating numbers to integers: NaN is 0, the ends hold.
int64_t SaturatedLong(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 9223372036854775808.0) return std::numeric_limits<int64_t>::max();
  if (value <= -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}
int32_t SaturatedInt(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 2147483647.0) return std::numeric_limits<int32_t>::max();
  if (value <= -2147483648.0) return std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(value);
}

template <typename To>
bool Fits(int64_t value) {
  return value == static_cast<int64_t>(static_cast<To>(value));
}

// One value of an integer type from the value of another: `strict` is TRY_CAST's way.
template <typename To>
struct ToInteger {
  bool strict = false;

  std::optional<To> FromLong(int64_t value) const {
    if (strict && !Fits<To>(value)) return {};
    return static_cast<To>(value);
  }
  std::optional<To> FromDouble(double value) const {
    if (strict) {
      // Whole parts in range; 2^63 itself is out though it equals the nearest double of 2^63 - 1.
      const double limit = std::ldexp(1.0, 8 * sizeof(To) - 1);
      if (!(std::floor(value) <= limit - 1 && std::ceil(value) >= -limit)) return {};
    }
    if constexpr (sizeof(To) == 8) return SaturatedLong(value);
    return static_cast<To>(SaturatedInt(value));
  }
  std::optional<To> FromText(std::string_view text) const {
    const auto value = ParseLong(text, !strict);
    if (!value || !Fits<To>(*value)) return {};
    return static_cast<To>(*value);
  }
  std::optional<To> FromDecimal(const Decimal128& value, int scale) const {
    const Decimal128 whole = WholePart(value, scale);
    const int64_t low = static_cast<int64_t>(whole.low_bits());
    if (strict && (Decimal128(low) != whole || !Fits<To>(low))) return {};
    return static_cast<To>(low);
  }
};

template <typename To>
SparkKernel IntegerKernel(const SparkType& from, const SparkType& to, bool strict) {
  const ToInteger<To> make{strict};
  switch (from->id()) {
    case Type::BOOL:
      return RowKernel<bool>(to, [](bool v) { return static_cast<To>(v ? 1 : 0); });
    case Type::INT8:
      return RowKernel<int8_t>(to, [make](int64_t v) { return make.FromLong(v); });
    case Type::INT16:
      return RowKernel<int16_t>(to, [make](int64_t v) { return make.FromLong(v); });
    case Type::INT32:
      return RowKernel<int32_t>(to, [make](int64_t v) { return make.FromLong(v); });
    case Type::INT64:
      return RowKernel<int64_t>(to, [make](int64_t v) { return make.FromLong(v); });
    case Type::FLOAT:
      return RowKernel<float>(to, [make](float v) { return make.FromDouble(v); });
    case Type::DOUBLE:
      return RowKernel<double>(to, [make](double v) { return make.FromDouble(v); });
    case Type::STRING:
      return RowKernel<std::string_view>(to,
                                         [make](std::string_view v) { return make.FromText(v); });
    case Type::DECIMAL128:
      return RowKernel<Decimal128>(to, [make, scale = ScaleOf(from)](const Decimal128& v) {
        return make.FromDecimal(v, scale);
      });
    case Type::TIMESTAMP:
      if (IsTimestampNtz(from)) return nullptr;
      return RowKernel<int64_t>(
          to, [make](int64_t v) { return make.FromLong(index::FloorDivide(v, kMicrosPerSecond)); });
    default:
      return nullptr;
  }
}

double TimestampSeconds(int64_t micros) { return static_cast<double>(micros) / 1e6; }

template <typename To>
SparkKernel FloatingKernel(const SparkType& from, const SparkType& to) {
  switch (from->id()) {
    case Type::BOOL:
      return RowKernel<bool>(to, [](bool v) { return static_cast<To>(v ? 1 : 0); });
    case Type::INT8:
      return RowKernel<int8_t>(to, [](int8_t v) { return static_cast<To>(v); });
    case Type::INT16:
      return RowKernel<int16_t>(to, [](int16_t v) { return static_cast<To>(v); });
    case Type::INT32:
      return RowKernel<int32_t>(to, [](int32_t v) { return static_cast<To>(v); });
    case Type::INT64:
      return RowKernel<int64_t>(to, [](int64_t v) { return static_cast<To>(v); });
    case Type::FLOAT:
      return RowKernel<float>(to, [](float v) { return static_cast<To>(v); });
    case Type::DOUBLE:
      return RowKernel<double>(to, [](double v) { return static_cast<To>(v); });
    case Type::STRING:
      return RowKernel<std::string_view>(to, [](std::string_view v) {
        if constexpr (std::is_same_v<To, float>) return ParseFloat(v);
        if constexpr (std::is_same_v<To, double>) return ParseDouble(v);
      });
    case Type::DECIMAL128:
      return RowKernel<Decimal128>(to, [scale = ScaleOf(from)](const Decimal128& v) {
        if constexpr (std::is_same_v<To, float>) return DecimalToFloat(v, scale);
        if constexpr (std::is_same_v<To, double>) return DecimalToDouble(v, scale);
      });
    case Type::TIMESTAMP:
      if (IsTimestampNtz(from)) return nullptr;
      return RowKernel<int64_t>(to, [](int64_t v) { return static_cast<To>(TimestampSeconds(v)); });
    default:
      return nullptr;
  }
}

template <typename From>
SparkKernel WholeToDecimal(const SparkType& to) {
  return RowKernel<From>(to, [p = PrecisionOf(to), s = ScaleOf(to)](From v) {
    return ToDecimal({arrow::Decimal256(static_cast<int64_t>(v)), 0}, p, s);
  });
}

constexpr int kMaxPrecision = 38;

// Spark counts the digits before the point as the text has them, and of "0e99" a hundred.
std::optional<Decimal128> DecimalFromText(std::string_view text, int precision, int scale) {
  const auto value = text::ParseDecimal(text, precision, scale);
  if (!value || *value != Decimal128(0)) return value;
  const auto written = text::ParseDecimalDigits(text);
  const bool fits = written->precision() - written->scale <= kMaxPrecision;
  return fits ? value : std::nullopt;
}

SparkKernel DecimalKernel(const SparkType& from, const SparkType& to) {
  const int precision = PrecisionOf(to);
  const int scale = ScaleOf(to);
  switch (from->id()) {
    case Type::BOOL:
      return WholeToDecimal<bool>(to);
    case Type::INT8:
      return WholeToDecimal<int8_t>(to);
    case Type::INT16:
      return WholeToDecimal<int16_t>(to);
    case Type::INT32:
      return WholeToDecimal<int32_t>(to);
    case Type::INT64:
      return WholeToDecimal<int64_t>(to);
    case Type::FLOAT:
      return RowKernel<float>(
          to, [precision, scale](float v) { return DecimalFromDouble(v, precision, scale); });
    case Type::DOUBLE:
      return RowKernel<double>(
          to, [precision, scale](double v) { return DecimalFromDouble(v, precision, scale); });
    case Type::STRING:
      return RowKernel<std::string_view>(to, [precision, scale](std::string_view v) {
        return DecimalFromText(index::WithoutBlanks(v), precision, scale);
      });
    case Type::DECIMAL128:
      return RowKernel<Decimal128>(to,
                                   [precision, scale, have = ScaleOf(from)](const Decimal128& v) {
                                     return ToDecimal(Wide(v, have), precision, scale);
                                   });
    case Type::TIMESTAMP:
      if (IsTimestampNtz(from)) return nullptr;
      return RowKernel<int64_t>(to, [precision, scale](int64_t v) {
        return DecimalFromDouble(TimestampSeconds(v), precision, scale);
      });
    default:
      return nullptr;
  }
}

SparkKernel BooleanKernel(const SparkType& from, const SparkType& to) {
  switch (from->id()) {
    case Type::INT8:
      return RowKernel<int8_t>(to, [](int8_t v) { return v != 0; });
    case Type::INT16:
      return RowKernel<int16_t>(to, [](int16_t v) { return v != 0; });
    case Type::INT32:
      return RowKernel<int32_t>(to, [](int32_t v) { return v != 0; });
    case Type::INT64:
      return RowKernel<int64_t>(to, [](int64_t v) { return v != 0; });
    case Type::FLOAT:
      return RowKernel<float>(to, [](float v) { return v != 0; });
    case Type::DOUBLE:
      return RowKernel<double>(to, [](double v) { return v != 0; });
    case Type::DECIMAL128:
      return RowKernel<Decimal128>(to, [](const Decimal128& v) { return v != Decimal128(0); });
    case Type::STRING:
      return RowKernel<std::string_view>(to, [](std::string_view v) { return ParseBoolean(v); });
    case Type::TIMESTAMP:
      if (IsTimestampNtz(from)) return nullptr;
      return RowKernel<int64_t>(to, [](int64_t v) { return v != 0; });
    default:
      return nullptr;
  }
}

SparkKernel StringKernel(const SparkType& from, const SparkType& to) {
  switch (from->id()) {
    case Type::BOOL:
      return RowKernel<bool>(to, [](bool v) { return std::string(v ? "true" : "false"); });
    case Type::INT8:
      return RowKernel<int8_t>(to, [](int v) { return std::to_string(v); });
    case Type::INT16:
      return RowKernel<int16_t>(to, [](int v) { return std::to_string(v); });
    case Type::INT32:
      return RowKernel<int32_t>(to, [](int v) { return std::to_string(v); });
    case Type::INT64:
      return RowKernel<int64_t>(to, [](int64_t v) { return std::to_string(v); });
    case Type::FLOAT:
      return RowKernel<float>(to, FloatText);
    case Type::DOUBLE:
      return RowKernel<double>(to, DoubleText);
    case Type::DECIMAL128:
      return RowKernel<Decimal128>(to, [scale = ScaleOf(from)](const Decimal128& v) {
        return index::JavaDecimalToString(v.ToIntegerString(), scale);
      });
    case Type::DATE32:
      return RowKernel<int32_t>(to, DateText);
    case Type::TIMESTAMP:
      return RowKernel<int64_t>(to, TimestampText);
    case Type::BINARY:
      return RowKernel<std::string_view>(to, [](std::string_view v) { return v; });
    default:
      return nullptr;
  }
}

SparkKernel DateKernel(const SparkType& from, const SparkType& to) {
  if (IsString(from)) return RowKernel<std::string_view>(to, text::CastDate);
  if (IsTimestamp(from)) {
    return RowKernel<int64_t>(to, [](int64_t v) {
      return static_cast<int32_t>(index::FloorDivide(v, index::kMicrosPerDay));
    });
  }
  return nullptr;
}

// `strict`: what exceeds 64 bits is NULL, else the nearest that does not.
std::optional<int64_t> SecondsToMicros(double seconds, bool strict) {
  if (!std::isfinite(seconds)) return {};
  const double micros = seconds * 1e6;
  if (strict && !(std::floor(micros) <= 0x1p63 && std::ceil(micros) >= -0x1p63)) return {};
  return SaturatedLong(micros);
}

int64_t SaturatedMicros(int64_t seconds) {
  int64_t micros = 0;
  if (!__builtin_mul_overflow(seconds, kMicrosPerSecond, &micros)) return micros;
  return seconds < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

SparkKernel TimestampKernel(const SparkType& from, const SparkType& to, bool strict) {
  const bool zoned = !IsTimestampNtz(to);
  switch (from->id()) {
    case Type::STRING:
      return RowKernel<std::string_view>(to, [zoned](std::string_view v) {
        return zoned ? text::CastTimestamp(v) : text::CastLocalTimestamp(v, /*takes_zone=*/true);
      });
    case Type::DATE32:
      return RowKernel<int32_t>(to, [](int32_t v) -> std::optional<int64_t> {
        int64_t micros = 0;
        if (__builtin_mul_overflow(int64_t{v}, index::kMicrosPerDay, &micros)) return {};
        return micros;
      });
    case Type::TIMESTAMP:
      return RowKernel<int64_t>(to, [](int64_t v) { return v; });
    default:
      break;
  }
  if (!zoned) return nullptr;
  switch (from->id()) {
    case Type::BOOL:
      return RowKernel<bool>(to, [](bool v) { return int64_t{v}; });
    case Type::INT8:
      return RowKernel<int8_t>(to, [](int8_t v) { return SaturatedMicros(v); });
    case Type::INT16:
      return RowKernel<int16_t>(to, [](int16_t v) { return SaturatedMicros(v); });
    case Type::INT32:
      return RowKernel<int32_t>(to, [](int32_t v) { return SaturatedMicros(v); });
    case Type::INT64:
      return RowKernel<int64_t>(to, [](int64_t v) { return SaturatedMicros(v); });
    case Type::FLOAT:
      return RowKernel<float>(to, [strict](float v) { return SecondsToMicros(v, strict); });
    case Type::DOUBLE:
      return RowKernel<double>(to, [strict](double v) { return SecondsToMicros(v, strict); });
    case Type::DECIMAL128:
      return RowKernel<Decimal128>(to, [scale = ScaleOf(from)](const Decimal128& v) {
        const WideDecimal micros{arrow::Decimal256(v) * arrow::Decimal256(kMicrosPerSecond), scale};
        return static_cast<int64_t>(RoundTo(micros, 0, Rounding::kDown).little_endian_array()[0]);
      });
    default:
      return nullptr;
  }
}

SparkKernel CastKernel(const SparkType& from, const SparkType& to, bool strict) {
  // Spark lets these through and finds no value.
  if (IsDate(from) && (IsNumeric(to) || IsBoolean(to)) && !strict) {
    return [to](const SparkArrays&, int64_t rows) {
      return Checked(arrow::MakeArrayOfNull(to, rows));
    };
  }
  switch (to->id()) {
    case Type::INT8:
      return IntegerKernel<int8_t>(from, to, strict);
    case Type::INT16:
      return IntegerKernel<int16_t>(from, to, strict);
    case Type::INT32:
      return IntegerKernel<int32_t>(from, to, strict);
    case Type::INT64:
      return IntegerKernel<int64_t>(from, to, strict);
    case Type::FLOAT:
      return FloatingKernel<float>(from, to);
    case Type::DOUBLE:
      return FloatingKernel<double>(from, to);
    case Type::DECIMAL128:
      return DecimalKernel(from, to);
    case Type::BOOL:
      return BooleanKernel(from, to);
    case Type::STRING:
      return StringKernel(from, to);
    case Type::BINARY:
      if (!IsString(from)) return nullptr;
      return RowKernel<std::string_view>(to, [](std::string_view v) { return v; });
    case Type::DATE32:
      return DateKernel(from, to);
    case Type::TIMESTAMP:
      return TimestampKernel(from, to, strict);
    default:
      return nullptr;
  }
}

SparkNodePtr CastWith(const SparkNodePtr& node, const SparkType& type, bool strict) {
  if (SameType(node->type, type)) return node;
  if (IsNullType(node->type)) return NullNode(type);
  auto kernel = CastKernel(node->type, type, strict);
  if (kernel == nullptr) {
    throw UnsupportedSpark("a cast of " + TypeName(node->type) + " to " + TypeName(type) +
                           " is not supported");
  }
  return KernelNode(type, {node}, std::move(kernel));
}

}  // namespace

SparkNodePtr Cast(const SparkNodePtr& node, const SparkType& type) {
  return CastWith(node, type, false);
}

SparkNodePtr TryCast(const SparkNodePtr& node, const SparkType& type) {
  return CastWith(node, type, true);
}

SparkType ParseSparkType(const std::string& text) {
  static const std::map<std::string, SparkType> kTypes = {
      {"string", arrow::utf8()},      {"boolean", arrow::boolean()},
      {"tinyint", arrow::int8()},     {"byte", arrow::int8()},
      {"smallint", arrow::int16()},   {"short", arrow::int16()},
      {"int", arrow::int32()},        {"integer", arrow::int32()},
      {"bigint", arrow::int64()},     {"long", arrow::int64()},
      {"float", arrow::float32()},    {"real", arrow::float32()},
      {"double", arrow::float64()},   {"date", arrow::date32()},
      {"timestamp", TimestampType()}, {"timestamp_ltz", TimestampType()},
      {"binary", arrow::binary()},    {"timestamp_ntz", arrow::timestamp(arrow::TimeUnit::MICRO)}};
  const auto simple = kTypes.find(text);
  if (simple != kTypes.end()) return simple->second;
  const size_t open = std::min(text.find('('), text.size());
  const std::string name = text.substr(0, open);
  if (name == "decimal" || name == "dec" || name == "numeric") {
    int precision = 10;
    int scale = 0;
    int end = 0;
    const char* arguments = text.c_str() + open;
    const auto length = static_cast<int>(text.size() - open);
    const bool parsed =
        length == 0 ||
        (std::sscanf(arguments, "(%2d)%n", &precision, &end) == 1 && end == length) ||
        (std::sscanf(arguments, "(%2d,%2d)%n", &precision, &scale, &end) == 2 && end == length);
    if (parsed && precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision) {
      return arrow::decimal128(precision, scale);
    }
  }
  throw UnsupportedSpark("the type '" + text +
                         "' is not supported in a cast; there are string, boolean, tinyint, "
                         "smallint, int, bigint, float, double, decimal(p,s), date, timestamp");
}

}  // namespace ariadne::engine
