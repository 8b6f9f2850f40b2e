#include "scan/filter_predicates.h"

#include <mutex>
#include <optional>
#include <utility>

#include "duckdb/common/types.hpp"
#include "duckdb/planner/filter/conjunction_filter.hpp"
#include "duckdb/planner/filter/constant_filter.hpp"
#include "duckdb/planner/filter/dynamic_filter.hpp"
#include "duckdb/planner/filter/in_filter.hpp"
#include "duckdb/planner/filter/optional_filter.hpp"
#include "scan/in_list_filter.h"
#include "scan/index_values.h"

namespace ariadne::scan {

namespace {

using duckdb::ExpressionType;
using duckdb::LogicalType;
using duckdb::TableFilter;
using duckdb::TableFilterType;
using rowgroup::Predicate;
using Ask = std::function<bool(const Predicate&)>;

bool MayCompare(const duckdb::ConstantFilter& filter, const LogicalType& type, const Ask& ask) {
  auto value = ToIndexValue(filter.constant, type);
  if (!value) return true;
  Predicate predicate;
  switch (filter.comparison_type) {
    case ExpressionType::COMPARE_EQUAL:
      predicate.op = Predicate::Op::kIn;
      break;
    case ExpressionType::COMPARE_LESSTHAN:
      predicate.op = Predicate::Op::kLess;
      break;
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      predicate.op = Predicate::Op::kLessEqual;
      break;
    case ExpressionType::COMPARE_GREATERTHAN:
      predicate.op = Predicate::Op::kGreater;
      break;
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      predicate.op = Predicate::Op::kGreaterEqual;
      break;
    default:
      return true;
  }
  predicate.values.push_back(*std::move(value));
  return ask(predicate);
}

bool MayBeIn(const duckdb::InFilter& filter, const LogicalType& type, const Ask& ask) {
  Predicate predicate{.op = Predicate::Op::kIn, .values = {}};
  for (const auto& constant : filter.values) {
    if (constant.IsNull()) continue;  // It equals nothing.
    auto value = ToIndexValue(constant, type);
    if (!value) return true;
    predicate.values.push_back(*std::move(value));
  }
  return ask(predicate);
}

/// The engine turns `x IN (4, 5, 6)` into `x >= 4 AND x <= 6`: the list, where it is short.
std::optional<Predicate> DenseList(const duckdb::ConjunctionAndFilter& filter,
                                   const LogicalType& type) {
  constexpr int64_t kLongest = 1000;
  if (!type.IsIntegral()) return std::nullopt;
  std::optional<int64_t> least;
  std::optional<int64_t> greatest;
  for (const auto& child : filter.child_filters) {
    if (child->filter_type != TableFilterType::CONSTANT_COMPARISON) continue;
    const auto& comparison = child->Cast<duckdb::ConstantFilter>();
    const auto value = ToIndexValue(comparison.constant, type);
    if (!value || !std::holds_alternative<int64_t>(*value)) continue;
    if (comparison.comparison_type == ExpressionType::COMPARE_GREATERTHANOREQUALTO) {
      least = std::get<int64_t>(*value);
    } else if (comparison.comparison_type == ExpressionType::COMPARE_LESSTHANOREQUALTO) {
      greatest = std::get<int64_t>(*value);
    }
  }
  // As unsigned: the distance of any two fits.
  if (!least || !greatest || *least > *greatest ||
      static_cast<uint64_t>(*greatest) - static_cast<uint64_t>(*least) >= kLongest) {
    return std::nullopt;
  }
  Predicate list{.op = Predicate::Op::kIn, .values = {}};
  for (int64_t value = *least;; ++value) {
    list.values.emplace_back(value);
    if (value == *greatest) return list;
  }
}

}  // namespace

bool MayPass(const TableFilter& filter, const LogicalType& type, const Ask& may_match) {
  switch (filter.filter_type) {
    case TableFilterType::CONSTANT_COMPARISON:
      return MayCompare(filter.Cast<duckdb::ConstantFilter>(), type, may_match);
    case TableFilterType::IN_FILTER:
      return MayBeIn(filter.Cast<duckdb::InFilter>(), type, may_match);
    case TableFilterType::IS_NULL:
      return may_match({.op = Predicate::Op::kIsNull, .values = {}});
    case TableFilterType::IS_NOT_NULL:
      return may_match({.op = Predicate::Op::kIsNotNull, .values = {}});
    case TableFilterType::CONJUNCTION_AND: {
      const auto& conjunction = filter.Cast<duckdb::ConjunctionAndFilter>();
      for (const auto& child : conjunction.child_filters) {
        if (!MayPass(*child, type, may_match)) return false;
      }
      const auto list = DenseList(conjunction, type);
      return !list || may_match(*list);
    }
    case TableFilterType::CONJUNCTION_OR: {
      for (const auto& child : filter.Cast<duckdb::ConjunctionOrFilter>().child_filters) {
        if (MayPass(*child, type, may_match)) return true;
      }
      return false;
    }
    case TableFilterType::OPTIONAL_FILTER: {
      const auto& child = filter.Cast<duckdb::OptionalFilter>().child_filter;
      return !child || MayPass(*child, type, may_match);
    }
    case TableFilterType::DYNAMIC_FILTER: {
      const auto& data = filter.Cast<duckdb::DynamicFilter>().filter_data;
      if (!data || !data->initialized) return true;
      const std::lock_guard<std::mutex> lock(data->lock);
      return !data->filter || MayPass(*data->filter, type, may_match);
    }
    case TableFilterType::EXPRESSION_FILTER: {
      const auto* list = ListOf(filter);
      return !list || MayPass(*list, type, may_match);
    }
    default:
      return true;
  }
}

FilterComparisons ComparisonsOf(const TableFilter& filter, const LogicalType& type) {
  FilterComparisons comparisons;
  // False of a conjunction ends it, true a disjunction; both are gone through.
  for (const bool answer : {false, true}) {
    MayPass(filter, type, [&](const Predicate& predicate) {
      comparisons.equality = comparisons.equality || predicate.op == Predicate::Op::kIn;
      comparisons.order = comparisons.order || predicate.op < Predicate::Op::kIsNull;
      return answer;
    });
  }
  return comparisons;
}

}  // namespace ariadne::scan
