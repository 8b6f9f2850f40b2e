#include "scan/filter_placement.h"

#include <algorithm>
#include <utility>

#include "duckdb/common/multi_file/multi_file_states.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/filter/conjunction_filter.hpp"
#include "duckdb/planner/filter/constant_filter.hpp"
#include "duckdb/planner/filter/dynamic_filter.hpp"
#include "duckdb/planner/filter/in_filter.hpp"
#include "duckdb/planner/filter/optional_filter.hpp"
#include "parquet_reader.hpp"
#include "scan/in_list_filter.h"

namespace ariadne::scan {

namespace {

using duckdb::BoundReferenceExpression;
using duckdb::Expression;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::ParquetColumnSchema;
using duckdb::TableFilter;
using duckdb::TableFilterType;
using FilterPtr = duckdb::unique_ptr<TableFilter>;

bool IsConstantTrue(duckdb::ClientContext& context, const TableFilter& filter,
                    const Expression& constant) {
  const auto predicate = filter.ToExpression(constant);
  const auto result = duckdb::ExpressionExecutor::EvaluateScalar(context, *predicate, true);
  return !result.IsNull() && duckdb::BooleanValue::Get(result);
}

BoundReferenceExpression* FindReference(duckdb::unique_ptr<Expression>& root) {
  BoundReferenceExpression* found = nullptr;
  duckdb::ExpressionIterator::VisitExpressionMutable<BoundReferenceExpression>(
      root, [&](BoundReferenceExpression& reference, duckdb::unique_ptr<Expression>&) {
        found = &reference;
      });
  return found;
}

// Forgets, for every leaf of a filtered column, statistics that the Parquet format does not vouch
// for and bloom filters that hash another representation than the engine compares:
// - `min`/`max` of old writers order bytes as signed, and INT96 has no defined order;
// - 0.0 equals -0.0 and NaN equals NaN, whatever their bits; bytes are hashed by the engine as
//   their printed form; integers of 8 and 16 bits and decimals are stored wider.
void ForgetUntrusted(const ParquetColumnSchema& schema, duckdb_parquet::FileMetaData& footer) {
  for (const auto& child : schema.children) ForgetUntrusted(child, footer);
  if (!schema.children.empty()) return;
  const bool bytes = schema.parquet_type == duckdb_parquet::Type::BYTE_ARRAY ||
                     schema.parquet_type == duckdb_parquet::Type::FIXED_LEN_BYTE_ARRAY;
  const bool ordered = schema.parquet_type != duckdb_parquet::Type::INT96;
  const auto type = schema.type.id();
  const bool hashed = type == LogicalTypeId::INTEGER || type == LogicalTypeId::BIGINT ||
                      type == LogicalTypeId::VARCHAR;
  for (auto& group : footer.row_groups) {
    if (schema.column_index >= group.columns.size()) continue;
    auto& chunk = group.columns[schema.column_index].meta_data;
    auto& statistics = chunk.statistics;
    if (bytes || !ordered) statistics.__isset.min = statistics.__isset.max = false;
    if (!ordered) statistics.__isset.min_value = statistics.__isset.max_value = false;
    if (!hashed) chunk.__isset.bloom_filter_offset = false;
  }
}

bool IsInteger(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
      return true;
    default:
      return false;
  }
}

// The same filter on a narrower integer; nullptr where a constant does not fit or the kind of
// filter is another.
FilterPtr Narrow(const TableFilter& filter, const LogicalType& type);

template <typename Conjunction>
FilterPtr NarrowChildren(const TableFilter& filter, const LogicalType& type) {
  auto result = duckdb::make_uniq<Conjunction>();
  for (const auto& child : filter.Cast<Conjunction>().child_filters) {
    auto narrow = Narrow(*child, type);
    if (!narrow) return nullptr;
    result->child_filters.push_back(std::move(narrow));
  }
  return result;
}

FilterPtr Narrow(const TableFilter& filter, const LogicalType& type) {
  switch (filter.filter_type) {
    case TableFilterType::IS_NULL:
    case TableFilterType::IS_NOT_NULL:
      return filter.Copy();
    case TableFilterType::CONSTANT_COMPARISON: {
      const auto& comparison = filter.Cast<duckdb::ConstantFilter>();
      auto constant = comparison.constant;
      if (!IsInteger(constant.type()) || !constant.DefaultTryCastAs(type)) return nullptr;
      return duckdb::make_uniq<duckdb::ConstantFilter>(comparison.comparison_type,
                                                       std::move(constant));
    }
    case TableFilterType::IN_FILTER: {
      auto values = filter.Cast<duckdb::InFilter>().values;
      for (auto& value : values) {
        if (!IsInteger(value.type()) || !value.DefaultTryCastAs(type)) return nullptr;
      }
      return duckdb::make_uniq<duckdb::InFilter>(std::move(values));
    }
    case TableFilterType::CONJUNCTION_AND:
      return NarrowChildren<duckdb::ConjunctionAndFilter>(filter, type);
    case TableFilterType::CONJUNCTION_OR:
      return NarrowChildren<duckdb::ConjunctionOrFilter>(filter, type);
    case TableFilterType::OPTIONAL_FILTER: {
      auto child = Narrow(*filter.Cast<duckdb::OptionalFilter>().child_filter, type);
      if (!child) return nullptr;
      return duckdb::make_uniq<duckdb::OptionalFilter>(std::move(child));
    }
    case TableFilterType::DYNAMIC_FILTER: {
      // What a join knows by now stays true; what it learns later is lost for this file.
      const auto& data = filter.Cast<duckdb::DynamicFilter>().filter_data;
      if (!data || !data->initialized) return nullptr;
      std::lock_guard<std::mutex> lock(data->lock);
      return data->filter ? Narrow(*data->filter, type) : nullptr;
    }
    default:
      return nullptr;
  }
}

// IS [NOT] DISTINCT FROM within an OR. The engine's statistics take it for a comparison that NULL
// never meets, and would leave out row groups that hold nothing but NULL.
bool ComparesDistinct(const TableFilter& filter) {
  switch (filter.filter_type) {
    case TableFilterType::CONSTANT_COMPARISON: {
      const auto type = filter.Cast<duckdb::ConstantFilter>().comparison_type;
      return type == duckdb::ExpressionType::COMPARE_DISTINCT_FROM ||
             type == duckdb::ExpressionType::COMPARE_NOT_DISTINCT_FROM;
    }
    case TableFilterType::OPTIONAL_FILTER: {
      const auto& child = filter.Cast<duckdb::OptionalFilter>().child_filter;
      return child && ComparesDistinct(*child);
    }
    case TableFilterType::CONJUNCTION_AND:
    case TableFilterType::CONJUNCTION_OR: {
      const auto& children = static_cast<const duckdb::ConjunctionFilter&>(filter).child_filters;
      return std::any_of(children.begin(), children.end(),
                         [](const FilterPtr& child) { return ComparesDistinct(*child); });
    }
    default:
      return false;
  }
}

}  // namespace

bool PlaceFilters(duckdb::ClientContext& context, duckdb::MultiFileReaderData& data,
                  duckdb::ParquetReader& reader, const duckdb::TableFilterSet& filters) {
  auto placed = duckdb::make_uniq<duckdb::TableFilterSet>();
  // The footer belongs to this reader alone: the session keeps no metadata cache. (That of an
  // outline is shared, and has no row groups of which anything could be forgotten.)
  auto& footer = const_cast<duckdb_parquet::FileMetaData&>(*reader.metadata->metadata);
  // Where the filter's column is the only one, looking its values up twice would save nothing.
  const bool reads_others = reader.column_ids.size() > 1;
  const auto place_at = [&](duckdb::idx_t local, const TableFilter& filter,
                            const LogicalType& type) {
    placed->filters.emplace(local, reads_others ? LeavingOutUnlisted(filter, type) : filter.Copy());
  };
  for (const auto& [place, filter] : filters.filters) {
    // Optional filters are checked again above the scan.
    const bool optional = filter->filter_type == TableFilterType::OPTIONAL_FILTER;
    if (optional && ComparesDistinct(*filter)) continue;
    auto& expression = data.expressions[place];
    auto* reference = FindReference(expression);
    if (reference == nullptr) {
      if (!IsConstantTrue(context, *filter, *expression)) return false;
      continue;
    }
    const auto local = reference->index;
    const auto column = reader.column_indexes[local].GetPrimaryIndex();
    ForgetUntrusted(reader.root_schema->children[column], footer);
    if (expression->type == duckdb::ExpressionType::BOUND_REF) {
      place_at(local, *filter, expression->return_type);
      continue;
    }
    const auto stored = reference->return_type;
    if (expression->type == duckdb::ExpressionType::OPERATOR_CAST && IsInteger(stored) &&
        IsInteger(expression->return_type)) {
      if (auto narrow = Narrow(*filter, stored)) {
        place_at(local, *narrow, stored);
        continue;
      }
    }
    if (optional) continue;
    const auto declared = expression->return_type;
    duckdb::ExpressionIterator::VisitExpressionMutable<BoundReferenceExpression>(
        expression, [](BoundReferenceExpression& each, duckdb::unique_ptr<Expression>&) {
          each.index = 0;  // The reader evaluates it on a chunk of this column alone.
        });
    reader.expression_map[column] = std::move(expression);
    expression = duckdb::make_uniq<BoundReferenceExpression>(declared, local);
    place_at(local, *filter, declared);
  }
  if (!placed->filters.empty()) reader.filters = std::move(placed);
  return true;
}

}  // namespace ariadne::scan
