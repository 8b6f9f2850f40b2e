#include "sql/row_conditions.h"

#include <mutex>
#include <optional>

#include <arrow/array.h>

#include "duckdb/common/enums/expression_type.hpp"
#include "duckdb/common/string_util.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/planner/expression/bound_between_expression.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_comparison_expression.hpp"
#include "duckdb/planner/expression/bound_conjunction_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_operator_expression.hpp"
#include "duckdb/planner/filter/conjunction_filter.hpp"
#include "duckdb/planner/filter/constant_filter.hpp"
#include "duckdb/planner/filter/dynamic_filter.hpp"
#include "duckdb/planner/filter/in_filter.hpp"
#include "duckdb/planner/filter/optional_filter.hpp"
#include "engine/spark_syntax.h"
#include "sql/computed_match.h"
#include "sql/condition_values.h"

namespace ariadne::sql {

namespace {

using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::ExpressionType;
using query::RowCondition;

std::string Shorten(std::string text) {
  constexpr size_t kMost = 100;
  if (text.size() <= kMost) return text;
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

/// True where the session takes timestamps apart as Spark does in UTC.
bool CountsTimeAsSpark(duckdb::ClientContext& context) {
  const std::string zone = context.GetClientProperties().time_zone;
  if (zone != "UTC" && zone != "Etc/UTC") return false;
  duckdb::Value calendar;
  return !context.TryGetCurrentSetting("Calendar", calendar) ||
         duckdb::StringUtil::CIEquals(calendar.ToString(), "gregorian");
}

/// The values in the column's type, where both are integers, whose widths the engine and Spark
/// choose differently. nullopt where one does not fit.
std::optional<duckdb::vector<duckdb::Value>> InTypeOf(const duckdb::LogicalType& type,
                                                      duckdb::vector<duckdb::Value> values) {
  if (!type.IsIntegral()) return values;
  for (auto& value : values) {
    if (value.type() == type || !value.type().IsIntegral()) continue;
    if (!value.DefaultTryCastAs(type)) return std::nullopt;
  }
  return values;
}

RowCondition Never(const std::string& text) {
  RowCondition never;
  never.kind = RowCondition::Kind::kNever;
  never.text = text;
  return never;
}

}  // namespace

ConditionReader::ConditionReader(duckdb::ClientContext& context, const LakeTable& table,
                                 const duckdb::vector<duckdb::ColumnIndex>& columns)
    : context_(context),
      table_(table),
      columns_(columns),
      counts_time_as_spark_(CountsTimeAsSpark(context)) {}

RowCondition ConditionReader::Read(const Expression& expression, duckdb::idx_t table_index) {
  table_index_ = table_index;
  return ReadAny(expression);
}

RowCondition ConditionReader::ReadAny(const Expression& expression) {
  switch (expression.GetExpressionClass()) {
    case ExpressionClass::BOUND_CONJUNCTION:
      return ReadConjunction(expression);
    case ExpressionClass::BOUND_COMPARISON:
      return ReadComparison(expression);
    case ExpressionClass::BOUND_BETWEEN:
      return ReadBetween(expression);
    case ExpressionClass::BOUND_OPERATOR:
      return ReadOperator(expression);
    case ExpressionClass::BOUND_COLUMN_REF: {
      const std::string text = expression.ToString();
      const auto* column = IndexedColumnOf(expression, text);
      return column ? In(*column, {duckdb::Value::BOOLEAN(true)}, text) : RowCondition{};
    }
    default:
      return Unknown(expression.ToString(), "no index knows such a condition");
  }
}

RowCondition ConditionReader::ReadConjunction(const Expression& expression) {
  const auto& conjunction = expression.Cast<duckdb::BoundConjunctionExpression>();
  std::vector<RowCondition> parts;
  for (const auto& child : conjunction.children) parts.push_back(ReadAny(*child));
  if (expression.GetExpressionType() == ExpressionType::CONJUNCTION_OR) {
    auto any = query::Or(std::move(parts));
    any.text = Shorten(expression.ToString());
    return any;
  }
  RowCondition all;
  for (auto& part : parts) all = query::And(std::move(all), std::move(part));
  if (all.text.empty()) all.text = Shorten(expression.ToString());
  return all;
}

RowCondition ConditionReader::ReadComparison(const Expression& expression) {
  const auto& comparison = expression.Cast<duckdb::BoundComparisonExpression>();
  const std::string text = expression.ToString();
  auto type = expression.GetExpressionType();
  const Expression* side = comparison.left.get();
  duckdb::Value value;
  if (!Constant(*comparison.right, &value)) {
    if (!Constant(*comparison.left, &value)) {
      return Unknown(text, "it compares with no constant");
    }
    side = comparison.right.get();
    type = duckdb::FlipComparisonExpression(type);
  }
  const auto* column = IndexedColumnOf(*side, text);
  return column ? InAnyEra(*side, *column, Compare(*column, type, value, text)) : RowCondition{};
}

RowCondition ConditionReader::ReadBetween(const Expression& expression) {
  const auto& between = expression.Cast<duckdb::BoundBetweenExpression>();
  const std::string text = expression.ToString();
  duckdb::Value lower;
  duckdb::Value upper;
  if (!Constant(*between.lower, &lower) || !Constant(*between.upper, &upper)) {
    return Unknown(text, "it compares with no constant");
  }
  const auto* column = IndexedColumnOf(*between.input, text);
  if (!column) return {};
  if (lower.IsNull() || upper.IsNull()) return Never(text);
  index::ValueBounds bounds;
  bounds.lower = ArrayOf(*column, {lower}, text);
  bounds.upper = ArrayOf(*column, {upper}, text);
  bounds.lower_inclusive = between.lower_inclusive;
  bounds.upper_inclusive = between.upper_inclusive;
  if (!bounds.lower || !bounds.upper) return {};
  return InAnyEra(*between.input, *column, Within(*column, text, std::move(bounds)));
}

RowCondition ConditionReader::ReadOperator(const Expression& expression) {
  const auto& children = expression.Cast<duckdb::BoundOperatorExpression>().children;
  const std::string text = expression.ToString();
  switch (expression.GetExpressionType()) {
    case ExpressionType::COMPARE_IN:
      return ReadList(expression);
    case ExpressionType::OPERATOR_IS_NOT_NULL: {
      const auto* column = IndexedColumnOf(*children[0], text);
      return column ? Within(*column, text, {}) : RowCondition{};
    }
    case ExpressionType::OPERATOR_IS_NULL:
      return Unknown(text, "indexes do not keep NULLs; statistics of row groups do");
    case ExpressionType::OPERATOR_NOT: {
      if (children[0]->GetExpressionClass() != ExpressionClass::BOUND_COLUMN_REF) break;
      const auto* column = IndexedColumnOf(*children[0], text);
      return column ? In(*column, {duckdb::Value::BOOLEAN(false)}, text) : RowCondition{};
    }
    default:
      break;
  }
  return Unknown(text, "no index knows such a condition");
}

RowCondition ConditionReader::ReadList(const Expression& expression) {
  const auto& children = expression.Cast<duckdb::BoundOperatorExpression>().children;
  const std::string text = Shorten(expression.ToString());
  Values values;
  for (duckdb::idx_t i = 1; i < children.size(); ++i) {
    duckdb::Value value;
    if (!Constant(*children[i], &value)) return Unknown(text, "it compares with no constant");
    if (!value.IsNull()) values.push_back(std::move(value));
  }
  const auto* column = IndexedColumnOf(*children[0], text);
  return column ? InAnyEra(*children[0], *column, In(*column, values, text)) : RowCondition{};
}

RowCondition ConditionReader::InAnyEra(const Expression& side, const LakeTable::Column& column,
                                       RowCondition condition) {
  if (!CountsYearsByEra(side) || condition.kind == RowCondition::Kind::kAny) return condition;
  const std::string text = condition.text;
  index::ValueBounds before;
  before.upper = ArrayOf(column, {duckdb::Value::INTEGER(0)}, text);
  RowCondition any = query::Or({std::move(condition), Within(column, text, std::move(before))});
  any.text = text;
  return any;
}

const LakeTable::Column* ConditionReader::ColumnAt(duckdb::idx_t column) const {
  if (column >= columns_.size()) return nullptr;
  const auto& index = columns_[column];
  // A field of a struct is another value than the struct.
  return index.HasChildren() ? nullptr : table_.Find(index.GetPrimaryIndex());
}

const LakeTable::Column* ConditionReader::ComputedColumnOf(const Expression& side) const {
  const ColumnName name_of = [&](const Expression& reference) -> std::string {
    const auto& binding = reference.Cast<duckdb::BoundColumnRefExpression>().binding;
    const auto* column =
        binding.table_index == table_index_ ? ColumnAt(binding.column_index) : nullptr;
    return column ? column->name : std::string();
  };
  for (const LakeTable::Column& column : table_.derived()) {
    if (column.index->kind != IndexedColumn::Kind::kComputed) continue;
    const auto spark = engine::ParseSpark(column.index->expression);
    if (IsSameExpression(side, spark, counts_time_as_spark_, name_of)) return &column;
  }
  return nullptr;
}

const LakeTable::Column* ConditionReader::IndexedColumnOf(const Expression& side,
                                                          const std::string& condition) {
  if (side.GetExpressionClass() != ExpressionClass::BOUND_COLUMN_REF) {
    if (const auto* computed = ComputedColumnOf(side)) return computed;
    if (side.GetExpressionClass() == ExpressionClass::BOUND_CAST) {
      const auto& cast = side.Cast<duckdb::BoundCastExpression>();
      if (cast.child->GetExpressionClass() == ExpressionClass::BOUND_COLUMN_REF) {
        (void)Unknown(condition, "type mismatch: " + cast.child->ToString() + " is " +
                                     cast.child->return_type.ToString() + ", compared as " +
                                     cast.return_type.ToString());
        return nullptr;
      }
    }
    (void)Unknown(condition, "the expression " + Shorten(side.ToString()) + " is not indexed");
    return nullptr;
  }
  const auto& reference = side.Cast<duckdb::BoundColumnRefExpression>();
  const auto* column = reference.binding.table_index == table_index_
                           ? ColumnAt(reference.binding.column_index)
                           : nullptr;
  if (column && column->index) return column;
  (void)Unknown(condition, "there is no index on " + side.ToString());
  return nullptr;
}

bool ConditionReader::Constant(const Expression& expression, duckdb::Value* value) const {
  if (expression.GetExpressionClass() == ExpressionClass::BOUND_CONSTANT) {
    *value = expression.Cast<duckdb::BoundConstantExpression>().value;
    return true;
  }
  return expression.IsFoldable() &&
         duckdb::ExpressionExecutor::TryEvaluateScalar(context_, expression, *value);
}

RowCondition ConditionReader::Compare(const LakeTable::Column& column, ExpressionType comparison,
                                      const duckdb::Value& value, const std::string& text) {
  if (comparison == ExpressionType::COMPARE_NOT_DISTINCT_FROM) {
    if (value.IsNull()) return Unknown(text, "indexes do not keep NULLs");
    comparison = ExpressionType::COMPARE_EQUAL;
  }
  if (comparison == ExpressionType::COMPARE_DISTINCT_FROM) {
    return Unknown(text, "no index knows such a condition");
  }
  if (value.IsNull()) return Never(text);
  index::ValueBounds bounds;
  switch (comparison) {
    case ExpressionType::COMPARE_EQUAL:
      return In(column, {value}, text);
    case ExpressionType::COMPARE_LESSTHAN:
      bounds.upper_inclusive = false;
      [[fallthrough]];
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      bounds.upper = ArrayOf(column, {value}, text);
      if (!bounds.upper) return {};
      return Within(column, text, std::move(bounds));
    case ExpressionType::COMPARE_GREATERTHAN:
      bounds.lower_inclusive = false;
      [[fallthrough]];
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      bounds.lower = ArrayOf(column, {value}, text);
      if (!bounds.lower) return {};
      return Within(column, text, std::move(bounds));
    default:
      return Unknown(text, "no index knows such a condition");
  }
}

RowCondition ConditionReader::Within(const LakeTable::Column& column, const std::string& text,
                                     index::ValueBounds bounds) {
  const bool open = !bounds.lower && !bounds.upper;
  if (!open && column.index->kind == IndexedColumn::Kind::kBloom) {
    return Unknown(text, "the bloom index on " + column.name + " knows no order");
  }
  RowCondition condition;
  condition.kind = RowCondition::Kind::kWithin;
  condition.text = Shorten(text);
  condition.column = column.index->column;
  condition.bounds = std::move(bounds);
  return condition;
}

RowCondition ConditionReader::In(const LakeTable::Column& column, const Values& values,
                                 const std::string& text) {
  if (values.empty()) return Never(Shorten(text));
  RowCondition condition;
  condition.values = ArrayOf(column, values, text);
  if (!condition.values) return {};
  condition.kind = RowCondition::Kind::kIn;
  condition.text = Shorten(text);
  condition.column = column.index->column;
  return condition;
}

std::shared_ptr<arrow::Array> ConditionReader::ArrayOf(const LakeTable::Column& column,
                                                       const Values& values,
                                                       const std::string& text) {
  const auto typed = InTypeOf(column.type, values);
  auto array = typed ? ToArray(context_, *typed, column.type, column.arrow_type) : nullptr;
  if (!array) {
    (void)Unknown(text, "type mismatch: " + column.name + " is " + column.type.ToString());
  }
  return array;
}

RowCondition ConditionReader::Unknown(const std::string& condition, const std::string& reason) {
  not_pruned_.push_back({Shorten(condition), reason});
  return {};
}

RowCondition ConditionReader::Read(const duckdb::TableFilter& filter, duckdb::idx_t column_place) {
  using duckdb::TableFilterType;
  const auto* column = ColumnAt(column_place);
  if (!column) return {};
  switch (filter.filter_type) {
    case TableFilterType::CONJUNCTION_AND: {
      RowCondition all;
      for (const auto& child : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
        auto part = Read(*child, column_place);
        // A join gives the list of its keys and their ends: the list says it all.
        if (part.kind == RowCondition::Kind::kIn) return part;
        all = query::And(std::move(all), std::move(part));
      }
      return all;
    }
    case TableFilterType::CONJUNCTION_OR: {
      std::vector<RowCondition> parts;
      for (const auto& child : filter.Cast<duckdb::ConjunctionOrFilter>().child_filters) {
        parts.push_back(Read(*child, column_place));
      }
      auto any = query::Or(std::move(parts));
      any.text = Shorten(filter.ToString(column->name));
      return any;
    }
    case TableFilterType::OPTIONAL_FILTER: {
      const auto& child = filter.Cast<duckdb::OptionalFilter>().child_filter;
      return child ? Read(*child, column_place) : RowCondition{};
    }
    case TableFilterType::DYNAMIC_FILTER: {
      const auto& data = filter.Cast<duckdb::DynamicFilter>().filter_data;
      if (!data || !data->initialized) return {};
      const std::lock_guard<std::mutex> lock(data->lock);
      return data->filter ? Read(*data->filter, column_place) : RowCondition{};
    }
    default:
      break;
  }
  if (filter.filter_type == TableFilterType::IN_FILTER) {
    const auto& values = filter.Cast<duckdb::InFilter>().values;
    const std::string text = values.size() > 5
                                 ? column->name + " in " + std::to_string(values.size()) + " values"
                                 : filter.ToString(column->name);
    if (!column->index) return Unknown(text, "there is no index on " + column->name);
    return In(*column, values, text);
  }
  const std::string text = Shorten(filter.ToString(column->name));
  if (!column->index) return Unknown(text, "there is no index on " + column->name);
  switch (filter.filter_type) {
    case TableFilterType::CONSTANT_COMPARISON: {
      const auto& comparison = filter.Cast<duckdb::ConstantFilter>();
      return Compare(*column, comparison.comparison_type, comparison.constant, text);
    }
    case TableFilterType::IS_NOT_NULL:
      return Within(*column, text, {});
    default:
      return {};
  }
}

}  // namespace ariadne::sql
