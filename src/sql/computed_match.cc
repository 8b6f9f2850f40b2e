#include "sql/computed_match.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "duckdb/common/string_util.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"

namespace ariadne::sql {

namespace {

using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::LogicalTypeId;
using engine::SparkSyntax;

std::optional<int64_t> Integer(const Expression& expression) {
  if (expression.GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) return std::nullopt;
  const auto& value = expression.Cast<duckdb::BoundConstantExpression>().value;
  if (value.IsNull() || !value.type().IsIntegral()) return std::nullopt;
  return value.GetValue<int64_t>();
}

std::optional<int64_t> Integer(const SparkSyntax& spark) {
  if (spark.kind != SparkSyntax::Kind::kLiteral) return std::nullopt;
  if (spark.literal.kind != engine::SparkLiteral::Kind::kNumber) return std::nullopt;
  const std::string& text = spark.literal.text;
  if (text.empty() || text.size() > 9) return std::nullopt;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
  }
  return std::stoll(text);
}

bool SameInteger(const Expression& expression, const SparkSyntax& spark, int64_t least) {
  const auto ours = Integer(expression);
  return ours && ours == Integer(spark) && *ours >= least;
}

class Matcher {
 public:
  Matcher(bool utc, const ColumnName& column_name) : utc_(utc), column_name_(column_name) {}

  bool Match(const Expression& expression, const SparkSyntax& spark) const {
    switch (expression.GetExpressionClass()) {
      case ExpressionClass::BOUND_COLUMN_REF:
        return spark.kind == SparkSyntax::Kind::kColumn &&
               duckdb::StringUtil::CIEquals(column_name_(expression), spark.name);
      case ExpressionClass::BOUND_CAST:
        return MatchDate(expression, spark);
      case ExpressionClass::BOUND_FUNCTION:
        return spark.kind == SparkSyntax::Kind::kCall && MatchCall(expression, spark);
      default:
        return false;
    }
  }

 private:
  /// A date or time whose fields both sides give alike.
  bool IsClock(const Expression& expression) const {
    switch (expression.return_type.id()) {
      case LogicalTypeId::DATE:
      case LogicalTypeId::TIMESTAMP:
        return true;
      case LogicalTypeId::TIMESTAMP_TZ:
        return utc_;
      default:
        return false;
    }
  }

  bool MatchDate(const Expression& expression, const SparkSyntax& spark) const {
    const Expression& from = *expression.Cast<duckdb::BoundCastExpression>().child;
    if (expression.return_type.id() != LogicalTypeId::DATE || !IsClock(from)) return false;
    if (spark.kind != SparkSyntax::Kind::kCall || spark.arguments.empty()) return false;
    const bool cast = spark.name == "cast" && spark.arguments.size() == 2 &&
                      spark.arguments[1].literal.kind == engine::SparkLiteral::Kind::kType &&
                      spark.arguments[1].literal.text == "date";
    const bool call =
        (spark.name == "to_date" || spark.name == "date") && spark.arguments.size() == 1;
    return (cast || call) && Match(from, spark.arguments[0]);
  }

  bool MatchCall(const Expression& expression, const SparkSyntax& spark) const {
    const auto& function = expression.Cast<duckdb::BoundFunctionExpression>();
    const std::string& name = function.function.name;
    const auto& ours = function.children;
    const auto& theirs = spark.arguments;
    if (ours.empty() || theirs.empty()) return false;
    const auto type = ours[0]->return_type.id();
    const bool text = type == LogicalTypeId::VARCHAR;
    if (name == "substring" || name == "substr") {
      return (spark.name == "substring" || spark.name == "substr") && text && ours.size() == 3 &&
             theirs.size() == 3 && Match(*ours[0], theirs[0]) &&
             SameInteger(*ours[1], theirs[1], 1) && SameInteger(*ours[2], theirs[2], 0);
    }
    if (name == "left") {
      return spark.name == "left" && text && ours.size() == 2 && theirs.size() == 2 &&
             Match(*ours[0], theirs[0]) && SameInteger(*ours[1], theirs[1], 0);
    }
    if (name == "length" || name == "len" || name == "char_length") {
      return IsOneOf(spark.name, {"length", "len", "char_length", "character_length"}) && text &&
             ours.size() == 1 && theirs.size() == 1 && Match(*ours[0], theirs[0]);
    }
    if (name == "%" || name == "mod") {
      return spark.name == "%" && ours[0]->return_type.IsIntegral() && ours.size() == 2 &&
             theirs.size() == 2 && !CountsYearsByEra(*ours[0]) && Match(*ours[0], theirs[0]) &&
             SameInteger(*ours[1], theirs[1], 1);
    }
    if (!IsOneOf(name, {"year", "month", "day", "dayofmonth", "hour", "minute"})) return false;
    const std::string part = name == "dayofmonth" ? "day" : name;
    const std::string their_part = spark.name == "dayofmonth" ? "day" : spark.name;
    return part == their_part && ours.size() == 1 && theirs.size() == 1 && IsClock(*ours[0]) &&
           Match(*ours[0], theirs[0]);
  }

  static bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  bool utc_;
  const ColumnName& column_name_;
};

}  // namespace

bool CountsYearsByEra(const Expression& expression) {
  if (expression.GetExpressionClass() != ExpressionClass::BOUND_FUNCTION) return false;
  const auto& function = expression.Cast<duckdb::BoundFunctionExpression>();
  return function.function.name == "year" && function.children.size() == 1 &&
         function.children[0]->return_type.id() == LogicalTypeId::TIMESTAMP_TZ;
}

bool IsSameExpression(const Expression& expression, const SparkSyntax& spark, bool utc,
                      const ColumnName& column_name) {
  // A column alone is no expression.
  if (expression.GetExpressionClass() == ExpressionClass::BOUND_COLUMN_REF) return false;
  return Matcher(utc, column_name).Match(expression, spark);
}

}  // namespace ariadne::sql
