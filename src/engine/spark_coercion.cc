#include "engine/spark_coercion.h"

#include <algorithm>
#include <string>
#include <utility>

#include <arrow/array/array_primitive.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "engine/spark_cast.h"
#include "engine/spark_kernel.h"
#include "source/spark_schema.h"

namespace ariadne::engine {

namespace {

constexpr int kMaxPrecision = 38;

int NumericRank(const SparkType& type) {
  switch (type->id()) {
    case arrow::Type::INT8:
      return 1;
    case arrow::Type::INT16:
      return 2;
    case arrow::Type::INT32:
      return 3;
    case arrow::Type::INT64:
      return 4;
    case arrow::Type::FLOAT:
      return 5;
    case arrow::Type::DOUBLE:
      return 6;
    default:
      return 0;
  }
}

int IntegerDigits(const SparkType& type) {
  constexpr int kDigits[] = {0, 3, 5, 10, 20};
  return kDigits[NumericRank(type)];
}

// An integer column beside a decimal that holds all of its values.
bool HoldsInteger(const SparkType& decimal, const SparkType& integer) {
  return PrecisionOf(decimal) - ScaleOf(decimal) >= IntegerDigits(integer);
}

SparkType WiderForTwo(const SparkType& a, const SparkType& b) {
  if (auto tightest = TightestType(a, b)) return tightest;
  if (IsDecimal(a) && IsDecimal(b)) return WiderDecimal(a, b);
  for (const auto& [decimal, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (!IsDecimal(decimal)) continue;
    if (IsInteger(other)) {
      return WiderDecimal(decimal, arrow::decimal128(IntegerDigits(other), 0));
    }
    if (IsFloating(other)) return arrow::float64();
  }
  for (const auto& [text, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (IsString(text) && IsAtomic(other) && !IsBinary(other) && !IsBoolean(other)) {
      return arrow::utf8();
    }
  }
  return nullptr;
}

// nullptr: Spark does not convert it by itself.
SparkType ImplicitType(const SparkType& have, const SparkType& wanted) {
  if (SameType(have, wanted) || IsNullType(have)) return wanted;
  if (IsString(wanted) && IsAtomic(have)) return wanted;
  if (IsNumeric(have) && IsNumeric(wanted)) return wanted;
  if (IsString(have) &&
      (IsNumeric(wanted) || IsDate(wanted) || IsTimestamp(wanted) || IsBinary(wanted))) {
    return wanted;
  }
  if (IsTimestamp(have) && (IsDate(wanted) || IsTimestamp(wanted))) return wanted;
  if (IsDate(have) && IsTimestamp(wanted)) return wanted;
  return nullptr;
}

}  // namespace

bool IsNullType(const SparkType& type) { return type->id() == arrow::Type::NA; }
bool IsString(const SparkType& type) { return type->id() == arrow::Type::STRING; }
bool IsBinary(const SparkType& type) { return type->id() == arrow::Type::BINARY; }
bool IsBoolean(const SparkType& type) { return type->id() == arrow::Type::BOOL; }
bool IsInteger(const SparkType& type) {
  const int rank = NumericRank(type);
  return rank >= 1 && rank <= 4;
}
bool IsFloating(const SparkType& type) { return NumericRank(type) >= 5; }
bool IsDecimal(const SparkType& type) { return type->id() == arrow::Type::DECIMAL128; }
bool IsNumeric(const SparkType& type) { return NumericRank(type) > 0 || IsDecimal(type); }
bool IsDate(const SparkType& type) { return type->id() == arrow::Type::DATE32; }
bool IsTimestamp(const SparkType& type) { return type->id() == arrow::Type::TIMESTAMP; }
bool IsTimestampNtz(const SparkType& type) {
  return IsTimestamp(type) && static_cast<const arrow::TimestampType&>(*type).timezone().empty();
}
bool IsAtomic(const SparkType& type) {
  return IsNumeric(type) || IsString(type) || IsBinary(type) || IsBoolean(type) || IsDate(type) ||
         IsTimestamp(type);
}
bool SameType(const SparkType& a, const SparkType& b) { return a->Equals(*b, false); }

int PrecisionOf(const SparkType& decimal) {
  return static_cast<const arrow::DecimalType&>(*decimal).precision();
}
int ScaleOf(const SparkType& decimal) {
  return static_cast<const arrow::DecimalType&>(*decimal).scale();
}

SparkType BoundedDecimal(int precision, int scale) {
  return arrow::decimal128(std::min(precision, kMaxPrecision), std::min(scale, kMaxPrecision));
}

SparkType AdjustedDecimal(int precision, int scale) {
  constexpr int kLeastScale = 6;
  if (precision <= kMaxPrecision) return arrow::decimal128(precision, scale);
  const int whole = precision - scale;
  const int kept = std::max(kMaxPrecision - whole, std::min(scale, kLeastScale));
  return arrow::decimal128(kMaxPrecision, kept);
}

SparkType DecimalOf(const SparkNode& node) {
  if (IsDecimal(node.type)) return node.type;
  if (!node.is_literal || node.constant->IsNull(0)) {
    return arrow::decimal128(IntegerDigits(node.type), 0);
  }
  const auto text = Checked(node.constant->GetScalar(0))->ToString();
  const auto digits = static_cast<int>(text.size()) - (text[0] == '-' ? 1 : 0);
  return arrow::decimal128(digits, 0);
}

SparkType WiderDecimal(const SparkType& a, const SparkType& b) {
  const int scale = std::max(ScaleOf(a), ScaleOf(b));
  const int whole = std::max(PrecisionOf(a) - ScaleOf(a), PrecisionOf(b) - ScaleOf(b));
  return BoundedDecimal(whole + scale, scale);
}

SparkType TimestampType() { return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"); }

std::string TypeName(const SparkType& type) {
  return IsNullType(type) ? "void" : source::SparkTypeName(*type);
}

SparkType TightestType(const SparkType& a, const SparkType& b) {
  if (SameType(a, b)) return a;
  if (IsNullType(a)) return b;
  if (IsNullType(b)) return a;
  if (IsInteger(a) && IsDecimal(b) && HoldsInteger(b, a)) return b;
  if (IsInteger(b) && IsDecimal(a) && HoldsInteger(a, b)) return a;
  if (NumericRank(a) > 0 && NumericRank(b) > 0) return NumericRank(a) > NumericRank(b) ? a : b;
  if (IsDate(a) && IsTimestamp(b)) return b;
  if (IsDate(b) && IsTimestamp(a)) return a;
  if (IsTimestamp(a) && IsTimestamp(b)) return TimestampType();
  return nullptr;
}

SparkType CommonType(const SparkNodes& nodes) {
  // Strings first: Spark finds the same type whatever the order.
  SparkType common = arrow::null();
  for (const bool strings : {true, false}) {
    for (const auto& node : nodes) {
      if (IsString(node->type) != strings) continue;
      common = WiderForTwo(common, node->type);
      if (common == nullptr) return nullptr;
    }
  }
  return common;
}

SparkNodePtr Coerce(const SparkNodePtr& node, const SparkType& wanted,
                    const std::string& function) {
  return CoerceToOneOf(node, {wanted}, function);
}

SparkNodePtr CoerceToOneOf(const SparkNodePtr& node, const std::vector<SparkType>& wanted,
                           const std::string& function) {
  for (const auto& type : wanted) {
    if (SameType(node->type, type)) return node;
  }
  for (const auto& type : wanted) {
    if (ImplicitType(node->type, type) != nullptr) return Cast(node, type);
  }
  std::string names;
  for (const auto& type : wanted) names += (names.empty() ? "" : " or ") + TypeName(type);
  throw UnsupportedSpark(function + " takes " + names + ", not " + TypeName(node->type));
}

}  // namespace ariadne::engine
