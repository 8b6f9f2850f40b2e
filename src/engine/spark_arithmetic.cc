#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <arrow/type.h>

#include "engine/spark_cast.h"
#include "engine/spark_coercion.h"
#include "engine/spark_decimal.h"
#include "engine/spark_functions.h"
#include "engine/spark_kernel.h"

namespace ariadne::engine {

namespace {

using arrow::Decimal128;
using arrow::Type;

enum class Operator { kAdd, kSubtract, kMultiply, kDivide, kModulo, kPositiveModulo };

const char* Name(Operator op) {
  constexpr const char* kNames[] = {"+", "-", "*", "/", "%", "pmod"};
  return kNames[static_cast<int>(op)];
}

// Java's arithmetic: integers wrap.
template <typename T>
std::optional<T> Compute(Operator op, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case Operator::kAdd:
        return a + b;
      case Operator::kSubtract:
        return a - b;
      case Operator::kMultiply:
        return a * b;
      default:
        break;
    }
    if (b == 0) return {};
    if (op == Operator::kDivide) return a / b;
    const T rest = std::fmod(a, b);
    if (op == Operator::kModulo || !(rest < 0)) return rest;
    return std::fmod(rest + b, b);
  } else {
    using Unsigned = uint64_t;
    const auto x = static_cast<Unsigned>(static_cast<int64_t>(a));
    const auto y = static_cast<Unsigned>(static_cast<int64_t>(b));
    switch (op) {
      case Operator::kAdd:
        return static_cast<T>(x + y);
      case Operator::kSubtract:
        return static_cast<T>(x - y);
      case Operator::kMultiply:
        return static_cast<T>(x * y);
      default:
        break;
    }
    if (b == 0) return {};
    // The least integer by -1 is out of range in C++ only.
    if (b == static_cast<T>(-1)) return T{0};
    const T rest = static_cast<T>(a % b);
    if (op == Operator::kModulo || rest >= 0) return rest;
    // Java widens narrow integers to 32 bits and wraps from there.
    using Sum = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    const auto sum = static_cast<Sum>(static_cast<Unsigned>(static_cast<int64_t>(rest)) + y);
    return static_cast<T>(sum % static_cast<Sum>(b));
  }
}

template <typename T>
SparkKernel PlainKernel(Operator op, const SparkType& type) {
  switch (op) {
    case Operator::kAdd:
      return RowKernel<T, T>(type, [](T a, T b) { return *Compute(Operator::kAdd, a, b); });
    case Operator::kSubtract:
      return RowKernel<T, T>(type, [](T a, T b) { return *Compute(Operator::kSubtract, a, b); });
    case Operator::kMultiply:
      return RowKernel<T, T>(type, [](T a, T b) { return *Compute(Operator::kMultiply, a, b); });
    default:
      return RowKernel<T, T>(type, [op](T a, T b) { return Compute(op, a, b); });
  }
}

SparkType DecimalResult(Operator op, const SparkType& a, const SparkType& b) {
  const int p1 = PrecisionOf(a);
  const int s1 = ScaleOf(a);
  const int p2 = PrecisionOf(b);
  const int s2 = ScaleOf(b);
  switch (op) {
    case Operator::kAdd:
    case Operator::kSubtract: {
      const int scale = std::max(s1, s2);
      return AdjustedDecimal(std::max(p1 - s1, p2 - s2) + scale + 1, scale);
    }
    case Operator::kMultiply:
      return AdjustedDecimal(p1 + p2 + 1, s1 + s2);
    case Operator::kDivide: {
      const int scale = std::max(6, s1 + p2 + 1);
      return AdjustedDecimal(p1 - s1 + s2 + scale, scale);
    }
    default: {
      const int scale = std::max(s1, s2);
      return AdjustedDecimal(std::min(p1 - s1, p2 - s2) + scale, scale);
    }
  }
}

std::optional<WideDecimal> ComputeDecimal(Operator op, const WideDecimal& a, const WideDecimal& b) {
  switch (op) {
    case Operator::kAdd:
      return Add(a, b);
    case Operator::kSubtract:
      return Subtract(a, b);
    case Operator::kMultiply:
      return Multiply(a, b);
    case Operator::kModulo:
      return Remainder(a, b);
    default: {
      const auto rest = Remainder(a, b);
      if (!rest || Compare(*rest, {arrow::Decimal256(0), 0}) >= 0) return rest;
      return Remainder(Add(*rest, b), b);
    }
  }
}

SparkNodePtr BindDecimals(Operator op, const SparkNodePtr& a, const SparkNodePtr& b) {
  const auto left = Cast(a, DecimalOf(*a));
  const auto right = Cast(b, DecimalOf(*b));
  const auto type = DecimalResult(op, left->type, right->type);
  const int precision = PrecisionOf(type);
  const int scale = ScaleOf(type);
  const int s1 = ScaleOf(left->type);
  const int s2 = ScaleOf(right->type);
  SparkKernel kernel;
  if (op == Operator::kDivide) {
    kernel = RowKernel<Decimal128, Decimal128>(type, [=](const Decimal128& x, const Decimal128& y) {
      return Divide(Wide(x, s1), Wide(y, s2), precision, scale);
    });
  } else {
    kernel = RowKernel<Decimal128, Decimal128>(
        type, [=](const Decimal128& x, const Decimal128& y) -> std::optional<Decimal128> {
          const auto value = ComputeDecimal(op, Wide(x, s1), Wide(y, s2));
          if (!value) return {};
          return ToDecimal(*value, precision, scale);
        });
  }
  return KernelNode(type, {left, right}, std::move(kernel));
}

SparkKernel KernelOf(Operator op, const SparkType& type) {
  switch (type->id()) {
    case Type::INT8:
      return PlainKernel<int8_t>(op, type);
    case Type::INT16:
      return PlainKernel<int16_t>(op, type);
    case Type::INT32:
      return PlainKernel<int32_t>(op, type);
    case Type::INT64:
      return PlainKernel<int64_t>(op, type);
    case Type::FLOAT:
      return PlainKernel<float>(op, type);
    default:
      return PlainKernel<double>(op, type);
  }
}

// Arithmetic with days: date + 1.
SparkNodePtr BindDays(Operator op, const SparkNodePtr& a, const SparkNodePtr& b) {
  const auto is_days = [](const SparkNodePtr& node) {
    return IsInteger(node->type) && node->type->id() != Type::INT64;
  };
  if (op == Operator::kAdd && IsDate(a->type) && is_days(b)) return BindCall("date_add", {a, b});
  if (op == Operator::kAdd && IsDate(b->type) && is_days(a)) return BindCall("date_add", {b, a});
  if (op == Operator::kSubtract && IsDate(a->type) && is_days(b)) {
    return BindCall("date_sub", {a, b});
  }
  return nullptr;
}

template <Operator op>
SparkNodePtr Bind(const SparkNodes& arguments) {
  SparkNodePtr a = arguments[0];
  SparkNodePtr b = arguments[1];
  if (auto days = BindDays(op, a, b)) return days;
  for (SparkNodePtr* side : {&a, &b}) {
    if (IsString((*side)->type)) *side = Cast(*side, arrow::float64());
  }
  const bool both_null = IsNullType(a->type) && IsNullType(b->type);
  if (both_null) a = b = NullNode(arrow::float64());
  if (IsNullType(a->type)) a = NullNode(b->type);
  if (IsNullType(b->type)) b = NullNode(a->type);
  if (!IsNumeric(a->type) || !IsNumeric(b->type)) {
    throw UnsupportedSpark("'" + std::string(Name(op)) + "' takes numbers, not " +
                           TypeName(a->type) + " and " + TypeName(b->type));
  }
  const bool decimal = IsDecimal(a->type) || IsDecimal(b->type);
  if (decimal && !IsFloating(a->type) && !IsFloating(b->type)) return BindDecimals(op, a, b);
  SparkType type;
  if (decimal || op == Operator::kDivide) {
    type = arrow::float64();
  } else {
    type = TightestType(a->type, b->type);
  }
  return KernelNode(type, {Cast(a, type), Cast(b, type)}, KernelOf(op, type));
}

// Integers divide to a bigint, cut towards zero.
SparkNodePtr BindDiv(const SparkNodes& arguments) {
  SparkNodePtr a = arguments[0];
  SparkNodePtr b = arguments[1];
  for (SparkNodePtr* side : {&a, &b}) {
    if (IsNullType((*side)->type)) *side = NullNode(arrow::int64());
    if (IsString((*side)->type)) *side = Cast(*side, arrow::float64());
    if (!IsInteger((*side)->type) && !IsDecimal((*side)->type)) {
      throw UnsupportedSpark("'div' takes integers and decimals, not " + TypeName((*side)->type));
    }
  }
  const auto& type = arrow::int64();
  if (IsDecimal(a->type) || IsDecimal(b->type)) {
    a = Cast(a, DecimalOf(*a));
    b = Cast(b, DecimalOf(*b));
    return KernelNode(
        type, {a, b},
        RowKernel<Decimal128, Decimal128>(type, [s1 = ScaleOf(a->type), s2 = ScaleOf(b->type)](
                                                    const Decimal128& x, const Decimal128& y) {
          return IntegralQuotient(Wide(x, s1), Wide(y, s2));
        }));
  }
  return KernelNode(
      type, {Cast(a, type), Cast(b, type)},
      RowKernel<int64_t, int64_t>(type, [](int64_t x, int64_t y) -> std::optional<int64_t> {
        if (y == 0) return {};
        if (y == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(x));
        return x / y;
      }));
}

template <typename T>
T Negate(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return -value;
  } else {
    return static_cast<T>(0 - static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
}

template <typename T>
T Absolute(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::fabs(value);
  return value < 0 ? Negate(value) : value;
}

template <typename T, bool negate>
SparkKernel SignKernel(const SparkType& type) {
  return RowKernel<T>(type, [](T v) { return negate ? Negate(v) : Absolute(v); });
}

template <bool negate>
SparkNodePtr BindSign(const SparkNodes& arguments) {
  SparkNodePtr node = arguments[0];
  if (IsString(node->type) || IsNullType(node->type)) node = Cast(node, arrow::float64());
  const auto& type = node->type;
  switch (type->id()) {
    case Type::INT8:
      return KernelNode(type, {node}, SignKernel<int8_t, negate>(type));
    case Type::INT16:
      return KernelNode(type, {node}, SignKernel<int16_t, negate>(type));
    case Type::INT32:
      return KernelNode(type, {node}, SignKernel<int32_t, negate>(type));
    case Type::INT64:
      return KernelNode(type, {node}, SignKernel<int64_t, negate>(type));
    case Type::FLOAT:
      return KernelNode(type, {node}, SignKernel<float, negate>(type));
    case Type::DOUBLE:
      return KernelNode(type, {node}, SignKernel<double, negate>(type));
    case Type::DECIMAL128:
      return KernelNode(type, {node}, RowKernel<Decimal128>(type, [](const Decimal128& v) {
                          return negate || v < Decimal128(0) ? Decimal128(-v) : v;
                        }));
    default:
      throw UnsupportedSpark(std::string(negate ? "'-'" : "'abs'") + " takes a number, not " +
                             TypeName(type));
  }
}

SparkNodePtr BindPlus(const SparkNodes& arguments) {
  const auto& node = arguments[0];
  if (IsString(node->type) || IsNullType(node->type)) return Cast(node, arrow::float64());
  if (!IsNumeric(node->type)) {
    throw UnsupportedSpark("'+' takes a number, not " + TypeName(node->type));
  }
  // A node of its own: what is no longer a literal as written.
  auto copy = std::make_shared<SparkNode>(*node);
  copy->is_literal = false;
  return copy;
}

}  // namespace

void AddArithmetic(SparkFunctions& functions) {
  functions["+"] = {2, 2, Bind<Operator::kAdd>};
  functions["-"] = {2, 2, Bind<Operator::kSubtract>};
  functions["*"] = {2, 2, Bind<Operator::kMultiply>};
  functions["/"] = {2, 2, Bind<Operator::kDivide>};
  functions["%"] = {2, 2, Bind<Operator::kModulo>};
  functions["pmod"] = {2, 2, Bind<Operator::kPositiveModulo>};
  functions["div"] = {2, 2, BindDiv};
  functions["neg"] = {1, 1, BindSign<true>};
  functions["abs"] = {1, 1, BindSign<false>};
  functions["pos"] = {1, 1, BindPlus};
}

}  // namespace ariadne::engine
