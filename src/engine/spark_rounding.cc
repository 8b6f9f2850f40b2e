#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <arrow/array/array_primitive.h>
#include <arrow/type.h>

#include "engine/spark_cast.h"
#include "engine/spark_coercion.h"
#include "engine/spark_decimal.h"
#include "engine/spark_functions.h"
#include "engine/spark_kernel.h"
#include "engine/spark_value_text.h"

namespace ariadne::engine {

namespace {

using arrow::Decimal128;
using arrow::Decimal256;
using arrow::Type;

// Java's cast of a double that has no fraction.
int64_t ToLong(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 9223372036854775808.0) return INT64_MAX;
  if (value <= -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(value);
}

// The scale of round, ceil and floor: a constant, empty for NULL.
std::optional<int> ScaleArgument(const SparkNodePtr& node, const std::string& function) {
  const auto scale = Coerce(node, arrow::int32(), "the second argument of '" + function + "'");
  if (scale->constant == nullptr) {
    throw UnsupportedSpark("the second argument of '" + function + "' is not constant");
  }
  if (scale->constant->IsNull(0)) return {};
  return static_cast<const arrow::Int32Array&>(*scale->constant).Value(0);
}

// A decimal rounded at `scale` digits: room for a carry, and for the zeros of a negative scale.
SparkType RoundedType(const SparkType& type, int scale) {
  const int whole = PrecisionOf(type) - ScaleOf(type) + 1;
  if (scale < 0) return BoundedDecimal(std::max(whole, -scale + 1), 0);
  const int kept = std::min(ScaleOf(type), scale);
  return BoundedDecimal(whole + kept, kept);
}

SparkNodePtr RoundDecimal(const SparkNodePtr& node, int scale, Rounding rounding) {
  const auto type = RoundedType(node->type, scale);
  const int have = ScaleOf(node->type);
  return KernelNode(type, {node},
                    RowKernel<Decimal128>(type,
                                          [=, p = PrecisionOf(type), s = ScaleOf(type)](
                                              const Decimal128& v) -> std::optional<Decimal128> {
                                            const WideDecimal value = Wide(v, have);
                                            if (scale >= have) return ToDecimal(value, p, s);
                                            const Decimal256 rounded =
                                                RoundTo(value, scale, rounding);
                                            if (rounded == Decimal256(0)) return Decimal128(0);
                                            if (-scale > 38) return {};
                                            return ToDecimal({rounded, scale}, p, s);
                                          }));
}

// HALF_UP at `scale` digits of the decimal that Java prints for the double.
double RoundDouble(double value, int scale) {
  if (!std::isfinite(value)) return value;
  const std::string text = DoubleText(value);
  // digits × 10^-places
  std::string digits;
  int places = 0;
  bool fraction = false;
  size_t at = text[0] == '-' ? 1 : 0;
  for (; at < text.size() && text[at] != 'E'; ++at) {
    if (text[at] == '.') {
      fraction = true;
      continue;
    }
    digits += text[at];
    if (fraction) ++places;
  }
  if (at < text.size()) places -= std::stoi(text.substr(at + 1));
  if (places <= scale) return value == 0 ? 0.0 : value;
  const int64_t kept = static_cast<int64_t>(digits.size()) - (places - static_cast<int64_t>(scale));
  if (kept < 0) return 0.0;
  const bool up = digits[kept] >= '5';
  std::string number = "0" + digits.substr(0, kept);
  if (up) {
    size_t i = number.size() - 1;
    while (number[i] == '9') number[i--] = '0';
    ++number[i];
  }
  number += "e" + std::to_string(-scale);
  double rounded = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rounded);
  if (error == std::errc::result_out_of_range) {
    // Past the largest double there is infinity, below the least one zero.
    rounded = scale < 0 ? HUGE_VAL : 0.0;
  }
  if (rounded == 0) return 0.0;
  return std::signbit(value) ? -rounded : rounded;
}

// HALF_UP at 10^digits, wrapping into T as Java's conversions do.
template <typename T>
SparkNodePtr RoundInteger(const SparkNodePtr& node, int scale) {
  const auto& type = node->type;
  if (scale >= 0) return node;
  return KernelNode(type, {node}, RowKernel<T>(type, [scale](T v) {
                      if (-scale > 19) return T{0};
                      __int128 unit = 1;
                      for (int i = 0; i < -scale; ++i) unit *= 10;
                      const auto value = static_cast<__int128>(v);
                      const __int128 size = value < 0 ? -value : value;
                      const __int128 rounded = (size + unit / 2) / unit * unit;
                      return static_cast<T>(value < 0 ? -rounded : rounded);
                    }));
}

SparkNodePtr BindRound(const SparkNodes& arguments) {
  SparkNodePtr node = arguments[0];
  if (IsString(node->type) || IsNullType(node->type)) node = Cast(node, arrow::float64());
  const std::optional<int> scale =
      arguments.size() > 1 ? ScaleArgument(arguments[1], "round") : std::optional(0);
  if (!scale) return NullNode(node->type);
  const auto& type = node->type;
  switch (type->id()) {
    case Type::INT8:
      return RoundInteger<int8_t>(node, *scale);
    case Type::INT16:
      return RoundInteger<int16_t>(node, *scale);
    case Type::INT32:
      return RoundInteger<int32_t>(node, *scale);
    case Type::INT64:
      return RoundInteger<int64_t>(node, *scale);
    case Type::FLOAT:
      return KernelNode(type, {node}, RowKernel<float>(type, [s = *scale](float v) {
                          return static_cast<float>(RoundDouble(v, s));
                        }));
    case Type::DOUBLE:
      return KernelNode(type, {node}, RowKernel<double>(type, [s = *scale](double v) {
                          return RoundDouble(v, s);
                        }));
    case Type::DECIMAL128:
      return RoundDecimal(node, *scale, Rounding::kHalfUp);
    default:
      throw UnsupportedSpark("'round' takes a number, not " + TypeName(type));
  }
}

// The decimal that Spark takes for a value of a type that is none.
SparkNodePtr AsDecimal(const SparkNodePtr& node, const std::string& function) {
  switch (node->type->id()) {
    case Type::DECIMAL128:
      return node;
    case Type::INT8:
      return Cast(node, arrow::decimal128(3, 0));
    case Type::INT16:
      return Cast(node, arrow::decimal128(5, 0));
    case Type::INT32:
      return Cast(node, arrow::decimal128(10, 0));
    case Type::INT64:
      return Cast(node, arrow::decimal128(20, 0));
    case Type::FLOAT:
      return Cast(node, arrow::decimal128(14, 7));
    case Type::DOUBLE:
      return Cast(node, arrow::decimal128(30, 15));
    case Type::STRING:
    case Type::NA:
      return Cast(node, arrow::decimal128(38, 18));
    default:
      throw UnsupportedSpark("'" + function + "' takes a number, not " + TypeName(node->type));
  }
}

template <bool up>
SparkNodePtr BindWhole(const SparkNodes& arguments) {
  const std::string name = up ? "ceil" : "floor";
  const Rounding rounding = up ? Rounding::kCeiling : Rounding::kFloor;
  if (arguments.size() > 1) {
    const auto node = AsDecimal(arguments[0], name);
    const auto scale = ScaleArgument(arguments[1], name);
    if (!scale) throw UnsupportedSpark("the scale of '" + name + "' is NULL");
    return RoundDecimal(node, *scale, rounding);
  }
  SparkNodePtr node = arguments[0];
  if (IsDecimal(node->type)) {
    return ScaleOf(node->type) == 0 ? node : RoundDecimal(node, 0, rounding);
  }
  if (node->type->id() == Type::INT64) return node;
  node = Coerce(node, arrow::float64(), "'" + name + "'");
  const auto& type = arrow::int64();
  return KernelNode(type, {node}, RowKernel<double>(type, [](double v) {
                      return ToLong(up ? std::ceil(v) : std::floor(v));
                    }));
}

}  // namespace

void AddRounding(SparkFunctions& functions) {
  functions["round"] = {1, 2, BindRound};
  functions["ceil"] = {1, 2, BindWhole<true>};
  functions["floor"] = {1, 2, BindWhole<false>};
}

}  // namespace ariadne::engine
