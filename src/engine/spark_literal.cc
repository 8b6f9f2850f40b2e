#include "engine/spark_literal.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "engine/spark_cast.h"
#include "engine/spark_coercion.h"
#include "engine/spark_kernel.h"
#include "engine/spark_value_text.h"
#include "text/value_text.h"

namespace ariadne::engine {

namespace {

SparkNodePtr Scalar(const arrow::Scalar& value) {
  return LiteralNode(Checked(arrow::MakeArrayFromScalar(value, 1)));
}

[[noreturn]] void Refuse(const std::string& text, const std::string& type) {
  throw UnsupportedSpark("'" + text + "' is no " + type);
}

template <typename T>
std::optional<T> Whole(const std::string& digits) {
  T value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return {};
  return value;
}

SparkNodePtr DecimalLiteral(const std::string& number) {
  // As BigDecimal counts: digits without leading zeros, the scale that is written.
  const size_t mark = std::min(number.find_first_of("eE"), number.size());
  int digits = 0;
  int scale = 0;
  bool fraction = false;
  for (size_t i = 0; i < mark; ++i) {
    if (number[i] == '.') fraction = true;
    if (number[i] < '0' || number[i] > '9') continue;
    if (fraction) ++scale;
    if (digits > 0 || number[i] != '0') ++digits;
  }
  if (mark < number.size()) {
    const std::string exponent = number.substr(mark + (number[mark + 1] == '+' ? 2 : 1));
    scale -= Whole<int>(exponent).value_or(1000);
  }
  if (scale < 0) {
    digits -= scale;
    scale = 0;
  }
  const int precision = std::max({digits, scale, 1});
  if (precision > 38) Refuse(number, "decimal of at most 38 digits");
  const auto value = text::ParseDecimal(number, precision, scale);
  if (!value) Refuse(number, "decimal");
  return Scalar(arrow::Decimal128Scalar(*value, arrow::decimal128(precision, scale)));
}

SparkNodePtr DoubleLiteral(const std::string& number) {
  const auto value = ParseDouble(number);
  if (!value || !std::isfinite(*value)) Refuse(number, "double");
  return Scalar(arrow::DoubleScalar(*value));
}

template <typename ScalarType, typename T>
SparkNodePtr IntegerLiteral(const std::string& digits, const std::string& type) {
  const auto value = Whole<T>(digits);
  if (!value) Refuse(digits, type);
  return Scalar(ScalarType(*value));
}

SparkNodePtr NumberLiteral(const std::string& text) {
  std::string suffix;
  size_t end = text.size();
  while (end > 0 && !(text[end - 1] >= '0' && text[end - 1] <= '9') && text[end - 1] != '.') --end;
  for (size_t i = end; i < text.size(); ++i) suffix += static_cast<char>(text[i] & ~0x20);
  const std::string number = text.substr(0, end);
  if (suffix == "L") return IntegerLiteral<arrow::Int64Scalar, int64_t>(number, "bigint");
  if (suffix == "S") return IntegerLiteral<arrow::Int16Scalar, int16_t>(number, "smallint");
  if (suffix == "Y") return IntegerLiteral<arrow::Int8Scalar, int8_t>(number, "tinyint");
  if (suffix == "D") return DoubleLiteral(number);
  if (suffix == "F") {
    const auto value = ParseFloat(number);
    if (!value || !std::isfinite(*value)) Refuse(text, "float");
    return Scalar(arrow::FloatScalar(*value));
  }
  if (suffix == "BD") return DecimalLiteral(number);
  if (!suffix.empty()) Refuse(text, "number");
  if (number.find_first_of("eE") != std::string::npos) return DoubleLiteral(number);
  if (number.find('.') != std::string::npos) return DecimalLiteral(number);
  if (const auto value = Whole<int32_t>(number)) return Scalar(arrow::Int32Scalar(*value));
  if (const auto value = Whole<int64_t>(number)) return Scalar(arrow::Int64Scalar(*value));
  return DecimalLiteral(number);
}

SparkNodePtr BinaryLiteral(const std::string& hex) {
  // An odd number of digits has a zero before it.
  const std::string even = hex.size() % 2 == 0 ? hex : "0" + hex;
  std::string bytes;
  for (size_t i = 0; i < even.size(); i += 2) {
    int value = 0;
    const auto [end, error] = std::from_chars(even.data() + i, even.data() + i + 2, value, 16);
    if (error != std::errc() || end != even.data() + i + 2) Refuse(hex, "hexadecimal number");
    bytes += static_cast<char>(value);
  }
  return Scalar(arrow::BinaryScalar(bytes));
}

}  // namespace

SparkNodePtr BindLiteral(const SparkLiteral& literal) {
  switch (literal.kind) {
    case SparkLiteral::Kind::kNull:
      return NullNode(arrow::null());
    case SparkLiteral::Kind::kBoolean:
      return Scalar(arrow::BooleanScalar(literal.text == "true"));
    case SparkLiteral::Kind::kNumber:
      return NumberLiteral(literal.text);
    case SparkLiteral::Kind::kString:
      return StringNode(literal.text);
    case SparkLiteral::Kind::kBinary:
      return BinaryLiteral(literal.text);
    case SparkLiteral::Kind::kDate: {
      const auto days = text::CastDate(literal.text);
      if (!days) Refuse(literal.text, "date");
      return Scalar(arrow::Date32Scalar(*days));
    }
    case SparkLiteral::Kind::kTimestamp: {
      const auto micros = text::CastTimestamp(literal.text);
      if (!micros) Refuse(literal.text, "timestamp");
      return Scalar(arrow::TimestampScalar(*micros, TimestampType()));
    }
    case SparkLiteral::Kind::kType:
      break;
  }
  throw UnsupportedSpark("the type '" + literal.text + "' is not expected where it stands");
}

}  // namespace ariadne::engine
