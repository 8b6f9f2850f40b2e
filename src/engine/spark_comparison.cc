#include "engine/spark_comparison.h"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/type.h>

#include "engine/spark_cast.h"
#include "engine/spark_coercion.h"
#include "engine/spark_functions.h"
#include "engine/spark_kernel.h"

namespace ariadne::engine {

namespace {

using arrow::Type;

template <typename T>
int CompareValues(const arrow::Array& a, const arrow::Array& b, int64_t row) {
  const T x = Values<T>(a)[row];
  const T y = Values<T>(b)[row];
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) || std::isnan(y)) return static_cast<int>(std::isnan(x)) - std::isnan(y);
  }
  return x < y ? -1 : x == y ? 0 : 1;
}

struct Sides {
  SparkNodePtr a;
  SparkNodePtr b;
};

std::optional<Sides> As(const Sides& sides, const SparkType& type) {
  if (type == nullptr) return {};
  return Sides{Cast(sides.a, type), Cast(sides.b, type)};
}

std::optional<Sides> Decimals(const Sides& sides) {
  return As(sides, WiderDecimal(DecimalOf(*sides.a), DecimalOf(*sides.b)));
}

// What both sides of a comparison are converted to.
std::optional<Sides> CommonSides(const Sides& sides, bool equality) {
  const auto& a = sides.a->type;
  const auto& b = sides.b->type;
  if (SameType(a, b)) return sides;
  for (const auto& [text, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (!IsString(text) || !IsAtomic(other)) continue;
    return As(sides, IsDecimal(other) ? arrow::float64() : other);
  }
  for (const auto& [boolean, number] : {std::pair(a, b), std::pair(b, a)}) {
    if (equality && IsBoolean(boolean) && IsNumeric(number)) return As(sides, number);
  }
  const bool numbers = IsNumeric(a) && IsNumeric(b);
  if (numbers && (IsDecimal(a) || IsDecimal(b))) {
    if (IsFloating(a) || IsFloating(b)) return As(sides, arrow::float64());
    return Decimals(sides);
  }
  return As(sides, TightestType(a, b));
}

enum class Test { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kSame };

bool Holds(Test test, int order) {
  switch (test) {
    case Test::kNotEqual:
      return order != 0;
    case Test::kLess:
      return order < 0;
    case Test::kLessOrEqual:
      return order <= 0;
    case Test::kGreater:
      return order > 0;
    case Test::kGreaterOrEqual:
      return order >= 0;
    default:
      return order == 0;
  }
}

SparkNodePtr Compare(Test test, const SparkNodePtr& a, const SparkNodePtr& b) {
  const bool equality = test == Test::kEqual || test == Test::kNotEqual || test == Test::kSame;
  const auto sides = CommonSides({a, b}, equality);
  if (!sides) {
    throw UnsupportedSpark("a comparison of " + TypeName(a->type) + " and " + TypeName(b->type) +
                           " is not supported");
  }
  const SparkOrder order(sides->a->type);
  return KernelNode(arrow::boolean(), {sides->a, sides->b},
                    [test, order](const SparkArrays& in, int64_t rows) {
                      Writer<bool> writer(rows);
                      for (int64_t row = 0; row < rows; ++row) {
                        const bool left = in[0]->IsNull(row);
                        const bool right = in[1]->IsNull(row);
                        if (test == Test::kSame && (left || right)) {
                          writer.Append(left && right);
                        } else if (left || right) {
                          writer.AppendNull();
                        } else {
                          writer.Append(Holds(test, order(*in[0], *in[1], row)));
                        }
                      }
                      return writer.Finish(arrow::boolean());
                    });
}

template <Test test>
SparkNodePtr BindComparison(const SparkNodes& arguments) {
  return Compare(test, arguments[0], arguments[1]);
}

SparkNodePtr BindBetween(const SparkNodes& arguments) {
  return BindCall("and", {Compare(Test::kGreaterOrEqual, arguments[0], arguments[1]),
                          Compare(Test::kLessOrEqual, arguments[0], arguments[2])});
}

SparkNodePtr BindIn(const SparkNodes& arguments) {
  const auto type = CommonType(arguments);
  if (type == nullptr) throw UnsupportedSpark("the values of IN have no type in common");
  SparkNodes converted;
  for (const auto& argument : arguments) converted.push_back(Cast(argument, type));
  const SparkOrder order(type);
  return KernelNode(arrow::boolean(), std::move(converted),
                    [order](const SparkArrays& in, int64_t rows) {
                      Writer<bool> writer(rows);
                      for (int64_t row = 0; row < rows; ++row) {
                        bool unknown = in[0]->IsNull(row);
                        bool found = false;
                        for (size_t i = 1; i < in.size() && !found && !in[0]->IsNull(row); ++i) {
                          if (in[i]->IsNull(row)) {
                            unknown = true;
                          } else {
                            found = order(*in[0], *in[i], row) == 0;
                          }
                        }
                        if (found || !unknown) {
                          writer.Append(found);
                        } else {
                          writer.AppendNull();
                        }
                      }
                      return writer.Finish(arrow::boolean());
                    });
}

template <bool null>
SparkNodePtr BindNullTest(const SparkNodes& arguments) {
  return KernelNode(arrow::boolean(), arguments, [](const SparkArrays& in, int64_t rows) {
    Writer<bool> writer(rows);
    for (int64_t row = 0; row < rows; ++row) writer.Append(in[0]->IsNull(row) == null);
    return writer.Finish(arrow::boolean());
  });
}

}  // namespace

SparkOrder::SparkOrder(const SparkType& type) {
  switch (type->id()) {
    case Type::NA:
      compare_ = [](const arrow::Array&, const arrow::Array&, int64_t) { return 0; };
      return;
    case Type::BOOL:
      compare_ = CompareValues<bool>;
      return;
    case Type::INT8:
      compare_ = CompareValues<int8_t>;
      return;
    case Type::INT16:
      compare_ = CompareValues<int16_t>;
      return;
    case Type::INT32:
    case Type::DATE32:
      compare_ = CompareValues<int32_t>;
      return;
    case Type::INT64:
    case Type::TIMESTAMP:
      compare_ = CompareValues<int64_t>;
      return;
    case Type::FLOAT:
      compare_ = CompareValues<float>;
      return;
    case Type::DOUBLE:
      compare_ = CompareValues<double>;
      return;
    case Type::DECIMAL128:
      compare_ = CompareValues<arrow::Decimal128>;
      return;
    case Type::STRING:
    case Type::BINARY:
      compare_ = CompareValues<std::string_view>;
      return;
    default:
      throw UnsupportedSpark("a comparison of " + TypeName(type) + " is not supported");
  }
}

void AddComparisons(SparkFunctions& functions) {
  functions["="] = {2, 2, BindComparison<Test::kEqual>};
  functions["<>"] = {2, 2, BindComparison<Test::kNotEqual>};
  functions["<"] = {2, 2, BindComparison<Test::kLess>};
  functions["<="] = {2, 2, BindComparison<Test::kLessOrEqual>};
  functions[">"] = {2, 2, BindComparison<Test::kGreater>};
  functions[">="] = {2, 2, BindComparison<Test::kGreaterOrEqual>};
  functions["<=>"] = {2, 2, BindComparison<Test::kSame>};
  functions["between"] = {3, 3, BindBetween};
  functions["in"] = {2, SparkFunction::kAnyNumber, BindIn};
  functions["isnull"] = {1, 1, BindNullTest<true>};
  functions["isnotnull"] = {1, 1, BindNullTest<false>};
}

}  // namespace ariadne::engine
