#include "scan/known_conditions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_comparison_expression.hpp"
#include "duckdb/planner/expression/bound_conjunction_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/expression/bound_operator_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "rowgroup/index_key.h"
#include "scan/index_values.h"

namespace ariadne::scan {

namespace {

using duckdb::BoundColumnRefExpression;
using duckdb::BoundConstantExpression;
using duckdb::BoundReferenceExpression;
using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::ExpressionType;
using duckdb::idx_t;
using duckdb::LogicalTypeId;
using ExpressionPtr = duckdb::unique_ptr<Expression>;

/// Functions of the engine whose result their arguments alone decide, whatever the session's
/// settings; all their arguments stay in the bound expression.
constexpr std::string_view kFunctions[] = {
    "%",       "*",         "+",         "-",          "abs",      "ceil",     "ceiling", "concat",
    "day",     "floor",     "hour",      "instr",      "lcase",    "left",     "length",  "lower",
    "lpad",    "ltrim",     "md5",       "minute",     "month",    "position", "quarter", "replace",
    "reverse", "right",     "round",     "rpad",       "rtrim",    "second",   "sha256",  "strlen",
    "strpos",  "substr",    "substring", "trim",       "ucase",    "upper",    "week",    "year",
    "||",      "dayofweek", "dayofyear", "date_trunc", "datetrunc"};

bool IsKnown(const std::string& function) {
  return std::find(std::begin(kFunctions), std::end(kFunctions), function) != std::end(kFunctions);
}

/// Whether the expression may be indexed; the column that it is over goes to `*column`.
bool IsIndexable(const Expression& expression, const BoundColumnRefExpression** column) {
  // What a time zone is, a session decides.
  if (expression.return_type.id() == LogicalTypeId::TIMESTAMP_TZ) return false;
  switch (expression.GetExpressionClass()) {
    case ExpressionClass::BOUND_CONSTANT:
      return true;
    case ExpressionClass::BOUND_COLUMN_REF: {
      const auto& reference = expression.Cast<BoundColumnRefExpression>();
      if (reference.depth > 0 || (*column && (*column)->binding != reference.binding)) return false;
      *column = &reference;
      return IndexDomain(reference.return_type).has_value();
    }
    case ExpressionClass::BOUND_CAST: {
      const auto& cast = expression.Cast<duckdb::BoundCastExpression>();
      return IndexDomain(cast.return_type) && IsIndexable(*cast.child, column);
    }
    case ExpressionClass::BOUND_FUNCTION: {
      const auto& function = expression.Cast<duckdb::BoundFunctionExpression>();
      if (!IsKnown(function.function.name) || function.IsVolatile()) return false;
      // A setting decides what a remainder by 0.0 is.
      if (function.function.name == "%" && !function.return_type.IsIntegral()) return false;
      return std::all_of(function.children.begin(), function.children.end(),
                         [&](const auto& child) { return IsIndexable(*child, column); });
    }
    default:
      return false;
  }
}

std::string TargetOf(const Expression& expression, const std::string& column_target) {
  const std::string type = expression.return_type.ToString();
  switch (expression.GetExpressionClass()) {
    case ExpressionClass::BOUND_CONSTANT: {
      const auto& value = expression.Cast<BoundConstantExpression>().value;
      return rowgroup::ConstantTarget(value.IsNull() ? "" : value.ToString(),
                                      value.IsNull() ? "NULL " + type : type);
    }
    case ExpressionClass::BOUND_CAST: {
      const auto& cast = expression.Cast<duckdb::BoundCastExpression>();
      const std::string child = TargetOf(*cast.child, column_target);
      return rowgroup::FunctionTarget(cast.try_cast ? "try_cast" : "cast", {&child, 1}, type);
    }
    case ExpressionClass::BOUND_FUNCTION: {
      const auto& function = expression.Cast<duckdb::BoundFunctionExpression>();
      std::vector<std::string> arguments;
      for (const auto& child : function.children) {
        arguments.push_back(TargetOf(*child, column_target));
      }
      return rowgroup::FunctionTarget(function.function.name, arguments, type);
    }
    default:
      return column_target;
  }
}

/// Constants that the condition compares `*left` with; false: it is no `=` or IN of constants, or
/// several of them, ORed, over one expression.
bool TakeApart(const Expression& condition, const Expression** left,
               std::vector<const Expression*>* constants) {
  if (condition.GetExpressionType() == ExpressionType::COMPARE_EQUAL) {
    const auto& comparison = condition.Cast<duckdb::BoundComparisonExpression>();
    const bool turned = comparison.left->GetExpressionClass() == ExpressionClass::BOUND_CONSTANT;
    *left = turned ? comparison.right.get() : comparison.left.get();
    constants->push_back(turned ? comparison.left.get() : comparison.right.get());
  } else if (condition.GetExpressionType() == ExpressionType::COMPARE_IN) {
    const auto& list = condition.Cast<duckdb::BoundOperatorExpression>();
    *left = list.children[0].get();
    for (size_t i = 1; i < list.children.size(); ++i) constants->push_back(list.children[i].get());
  } else if (condition.GetExpressionType() == ExpressionType::CONJUNCTION_OR) {
    // The engine writes a short list of values of an expression that may fail so.
    for (const auto& child : condition.Cast<duckdb::BoundConjunctionExpression>().children) {
      const Expression* same = nullptr;
      if (!TakeApart(*child, &same, constants) || (*left && !same->Equals(**left))) return false;
      *left = same;
    }
  } else {
    return false;
  }
  return std::all_of(constants->begin(), constants->end(), [](const Expression* each) {
    return each->GetExpressionClass() == ExpressionClass::BOUND_CONSTANT;
  });
}

/// Place among the declared columns; nullopt: it is none of the scan's, or a part of one.
std::optional<idx_t> PlaceOf(const duckdb::MultiFilePushdownInfo& scan,
                             const BoundColumnRefExpression& column) {
  const auto& binding = column.binding;
  if (column.depth > 0 || binding.table_index != scan.table_index ||
      binding.column_index >= scan.column_ids.size()) {
    return std::nullopt;
  }
  const auto id = scan.column_ids[binding.column_index];
  if (duckdb::IsVirtualColumn(id) || (binding.column_index < scan.column_indexes.size() &&
                                      scan.column_indexes[binding.column_index].HasChildren())) {
    return std::nullopt;
  }
  return id;
}

std::optional<idx_t> NullColumn(const duckdb::MultiFilePushdownInfo& scan,
                                const Expression& condition) {
  if (condition.GetExpressionType() != ExpressionType::OPERATOR_IS_NULL) return std::nullopt;
  const Expression& of = *condition.Cast<duckdb::BoundOperatorExpression>().children[0];
  if (of.GetExpressionClass() != ExpressionClass::BOUND_COLUMN_REF) return std::nullopt;
  return PlaceOf(scan, of.Cast<BoundColumnRefExpression>());
}

std::optional<ExpressionPredicate> Recognise(const duckdb::MultiFilePushdownInfo& scan,
                                             const Expression& condition) {
  const Expression* left = nullptr;
  std::vector<const Expression*> constants;
  if (!TakeApart(condition, &left, &constants)) return std::nullopt;
  // A bare column is filtered, and observed, inside the reader.
  if (left->GetExpressionClass() == ExpressionClass::BOUND_COLUMN_REF) return std::nullopt;
  const BoundColumnRefExpression* column = nullptr;
  if (!IndexDomain(left->return_type) || !IsIndexable(*left, &column) || !column) {
    return std::nullopt;
  }
  const auto place = PlaceOf(scan, *column);
  if (!place) return std::nullopt;
  ExpressionPredicate result;
  result.column = *place;
  for (const Expression* each : constants) {
    const auto& constant = each->Cast<BoundConstantExpression>().value;
    if (constant.IsNull()) continue;  // It equals nothing.
    auto value = ToIndexValue(constant, left->return_type);
    if (!value) return std::nullopt;
    result.predicate.values.push_back(*std::move(value));
  }
  result.expression = left->Copy();
  duckdb::ExpressionIterator::VisitExpressionMutable<BoundColumnRefExpression>(
      result.expression, [](BoundColumnRefExpression& reference, ExpressionPtr& place) {
        place = duckdb::make_uniq<BoundReferenceExpression>(reference.return_type, 0ULL);
      });
  return result;
}

}  // namespace

ExpressionPredicate ExpressionPredicate::Copy() const {
  ExpressionPredicate copy;
  copy.column = column;
  copy.expression = expression->Copy();
  copy.predicate = predicate;
  return copy;
}

bool ExpressionPredicate::Equals(const ExpressionPredicate& other) const {
  return column == other.column && predicate.values == other.predicate.values &&
         expression->Equals(*other.expression);
}

std::string ExpressionPredicate::Target(const std::string& column_target) const {
  return TargetOf(*expression, column_target);
}

std::shared_ptr<const KnownConditions> WithConditions(
    std::shared_ptr<const KnownConditions> known, const duckdb::MultiFilePushdownInfo& scan,
    const duckdb::vector<ExpressionPtr>& conditions) {
  auto found = std::make_shared<KnownConditions>();
  std::set<idx_t> null_columns(known->null_columns.begin(), known->null_columns.end());
  for (const auto& condition : conditions) {
    if (const auto column = NullColumn(scan, *condition)) null_columns.insert(*column);
    auto each = Recognise(scan, *condition);
    if (!each || std::any_of(known->predicates.begin(), known->predicates.end(),
                             [&](const auto& other) { return other.Equals(*each); })) {
      continue;
    }
    found->predicates.push_back(*std::move(each));
  }
  if (found->predicates.empty() && null_columns.size() == known->null_columns.size()) return known;
  for (const auto& each : known->predicates) found->predicates.push_back(each.Copy());
  found->null_columns.assign(null_columns.begin(), null_columns.end());
  return found;
}

}  // namespace ariadne::scan
