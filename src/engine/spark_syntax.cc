#include "engine/spark_syntax.h"

#include <exception>
#include <utility>

#include "duckdb/common/error_data.hpp"
#include "duckdb/parser/expression/between_expression.hpp"
#include "duckdb/parser/expression/case_expression.hpp"
#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/expression/comparison_expression.hpp"
#include "duckdb/parser/expression/conjunction_expression.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/expression/operator_expression.hpp"
#include "duckdb/parser/parser.hpp"
#include "engine/engine_error.h"

namespace ariadne::engine {

namespace {

using duckdb::ExpressionClass;
using duckdb::ExpressionType;
using duckdb::ParsedExpression;
using Kind = SparkSyntax::Kind;

// The parser puts "SELECT " before a list of expressions, and counts places from there.
constexpr size_t kPrefix = 7;

SparkSyntax Call(std::string name, std::vector<SparkSyntax> arguments) {
  return {Kind::kCall, std::move(name), {}, std::move(arguments)};
}

class Walker {
 public:
  Walker(const std::string& expression, const SparkText& text)
      : expression_(expression), text_(text) {}

  SparkSyntax Walk(const ParsedExpression& node) const {
    switch (node.GetExpressionClass()) {
      case ExpressionClass::COLUMN_REF:
        return Name(node.Cast<duckdb::ColumnRefExpression>());
      case ExpressionClass::FUNCTION:
        return Function(node.Cast<duckdb::FunctionExpression>());
      case ExpressionClass::OPERATOR:
        return Operator(node.Cast<duckdb::OperatorExpression>());
      case ExpressionClass::COMPARISON:
        return Comparison(node.Cast<duckdb::ComparisonExpression>());
      case ExpressionClass::CONJUNCTION:
        return Conjunction(node.Cast<duckdb::ConjunctionExpression>());
      case ExpressionClass::BETWEEN: {
        const auto& between = node.Cast<duckdb::BetweenExpression>();
        return Call("between", {Walk(*between.input), Walk(*between.lower), Walk(*between.upper)});
      }
      case ExpressionClass::CASE:
        return Case(node.Cast<duckdb::CaseExpression>());
      case ExpressionClass::CONSTANT:
        // Literals are names, see SparkText; what is left is the ELSE that a CASE has not.
        return {};
      case ExpressionClass::SUBQUERY:
        ThrowUnsupported(expression_, "sub-queries are not supported");
      case ExpressionClass::STAR:
        ThrowUnsupported(expression_, "'*' is not supported");
      case ExpressionClass::PARAMETER:
        ThrowUnsupported(expression_, "parameters are not supported");
      case ExpressionClass::WINDOW:
        ThrowUnsupported(expression_, "window functions are not supported");
      case ExpressionClass::LAMBDA:
        ThrowUnsupported(expression_, "lambda functions are not supported");
      default:
        ThrowUnsupported(expression_, "its syntax is not supported");
    }
  }

 private:
  std::vector<SparkSyntax> WalkAll(
      const duckdb::vector<duckdb::unique_ptr<ParsedExpression>>& nodes) const {
    std::vector<SparkSyntax> out;
    for (const auto& node : nodes) out.push_back(Walk(*node));
    return out;
  }

  // Without the letter that tells the kind, see SparkText.
  [[nodiscard]] std::string Plain(const std::string& name, char kind) const {
    if (name.size() < 3 || name[0] != kind || name[1] != ':') {
      ThrowUnsupported(expression_, "'" + name + "' is not expected where it stands");
    }
    return name.substr(2);
  }

  [[nodiscard]] SparkSyntax Name(const duckdb::ColumnRefExpression& node) const {
    const auto& names = node.column_names;
    if (names.size() == 1 && names[0].compare(0, 2, "l:") == 0) {
      return {Kind::kLiteral, {}, text_.literals.at(std::stoul(names[0].substr(2))), {}};
    }
    SparkSyntax out{Kind::kColumn, Plain(names[0], 'c'), {}, {}};
    for (size_t i = 1; i < names.size(); ++i) out = Field(std::move(out), names[i]);
    return out;
  }

  [[nodiscard]] SparkSyntax Field(SparkSyntax of, const std::string& name) const {
    return {Kind::kField, Plain(name, 'c'), {}, {std::move(of)}};
  }

  [[nodiscard]] SparkSyntax Function(const duckdb::FunctionExpression& node) const {
    if (node.distinct || node.filter || (node.order_bys && !node.order_bys->orders.empty())) {
      ThrowUnsupported(expression_,
                       "DISTINCT, FILTER and ORDER BY in a function are not supported");
    }
    auto arguments = WalkAll(node.children);
    const std::string& name = node.function_name;
    if (name == "~~" || name == "!~~" || name == "like_escape" || name == "not_like_escape") {
      const bool negated = name[0] == '!' || name[0] == 'n';
      auto like = Call("like", std::move(arguments));
      return negated ? Call("not", {std::move(like)}) : like;
    }
    if (node.is_operator) {
      if (arguments.size() == 1) return Call(name == "-" ? "neg" : "pos", std::move(arguments));
      const auto place = node.GetQueryLocation();
      const auto meant = place.IsValid() ? text_.operators.find(place.GetIndex() - kPrefix)
                                         : text_.operators.end();
      if (meant == text_.operators.end()) {
        ThrowUnsupported(expression_, "the operator '" + name + "' is not supported");
      }
      return Call(meant->second, std::move(arguments));
    }
    if (!node.schema.empty() || !node.catalog.empty()) {
      ThrowUnsupported(expression_, "'" + name.substr(name.find(':') + 1) +
                                        "' is not supported: functions have no schema");
    }
    return Call(Plain(name, 'f'), std::move(arguments));
  }

  [[nodiscard]] SparkSyntax Operator(const duckdb::OperatorExpression& node) const {
    switch (node.GetExpressionType()) {
      case ExpressionType::OPERATOR_NOT:
        return Call("not", WalkAll(node.children));
      case ExpressionType::OPERATOR_IS_NULL:
        return Call("isnull", WalkAll(node.children));
      case ExpressionType::OPERATOR_IS_NOT_NULL:
        return Call("isnotnull", WalkAll(node.children));
      case ExpressionType::COMPARE_IN:
        return Call("in", WalkAll(node.children));
      case ExpressionType::COMPARE_NOT_IN:
        return Call("not", {Call("in", WalkAll(node.children))});
      case ExpressionType::ARRAY_EXTRACT:
        return {Kind::kElement, {}, {}, WalkAll(node.children)};
      case ExpressionType::STRUCT_EXTRACT:
        return Field(Walk(*node.children.at(0)),
                     node.children.at(1)->Cast<duckdb::ConstantExpression>().value.ToString());
      default:
        ThrowUnsupported(expression_, "its syntax is not supported");
    }
  }

  [[nodiscard]] SparkSyntax Comparison(const duckdb::ComparisonExpression& node) const {
    std::vector<SparkSyntax> sides;
    sides.push_back(Walk(*node.left));
    sides.push_back(Walk(*node.right));
    switch (node.GetExpressionType()) {
      case ExpressionType::COMPARE_EQUAL:
        return Call("=", std::move(sides));
      case ExpressionType::COMPARE_NOTEQUAL:
        return Call("<>", std::move(sides));
      case ExpressionType::COMPARE_LESSTHAN:
        return Call("<", std::move(sides));
      case ExpressionType::COMPARE_GREATERTHAN:
        return Call(">", std::move(sides));
      case ExpressionType::COMPARE_LESSTHANOREQUALTO:
        return Call("<=", std::move(sides));
      case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
        return Call(">=", std::move(sides));
      case ExpressionType::COMPARE_NOT_DISTINCT_FROM:
        return Call("<=>", std::move(sides));
      case ExpressionType::COMPARE_DISTINCT_FROM:
        return Call("not", {Call("<=>", std::move(sides))});
      default:
        ThrowUnsupported(expression_, "its syntax is not supported");
    }
  }

  // DuckDB keeps the terms of a AND b AND c in one node.
  [[nodiscard]] SparkSyntax Conjunction(const duckdb::ConjunctionExpression& node) const {
    const bool is_and = node.GetExpressionType() == ExpressionType::CONJUNCTION_AND;
    auto terms = WalkAll(node.children);
    SparkSyntax out = std::move(terms.at(0));
    for (size_t i = 1; i < terms.size(); ++i) {
      out = Call(is_and ? "and" : "or", {std::move(out), std::move(terms[i])});
    }
    return out;
  }

  [[nodiscard]] SparkSyntax Case(const duckdb::CaseExpression& node) const {
    std::vector<SparkSyntax> arguments;
    for (const auto& check : node.case_checks) {
      arguments.push_back(Walk(*check.when_expr));
      arguments.push_back(Walk(*check.then_expr));
    }
    arguments.push_back(Walk(*node.else_expr));
    return Call("case", std::move(arguments));
  }

  const std::string& expression_;
  const SparkText& text_;
};

}  // namespace

SparkSyntax ParseSpark(const std::string& expression) {
  const SparkText text = RewriteSparkText(expression);
  duckdb::vector<duckdb::unique_ptr<ParsedExpression>> parsed;
  try {
    parsed = duckdb::Parser::ParseExpressionList(text.sql);
  } catch (const std::exception& error) {
    const std::string message = EngineMessage(duckdb::ErrorData(error));
    ThrowUnsupported(expression, "it does not parse (" + message + ")");
  }
  if (parsed.size() != 1) ThrowUnsupported(expression, "it is not one expression");
  if (parsed[0]->HasAlias()) ThrowUnsupported(expression, "an alias is not supported");
  return Walker(expression, text).Walk(*parsed[0]);
}

}  // namespace ariadne::engine
