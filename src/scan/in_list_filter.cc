#include "scan/in_list_filter.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "duckdb/common/vector_operations/unary_executor.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/filter/conjunction_filter.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/filter/in_filter.hpp"
#include "duckdb/planner/filter/optional_filter.hpp"
#include "rowgroup/value.h"
#include "scan/index_values.h"

namespace ariadne::scan {

namespace {

using duckdb::FilterPropagateResult;
using duckdb::LogicalType;
using duckdb::PhysicalType;
using duckdb::TableFilter;
using duckdb::TableFilterType;
using FilterPtr = duckdb::unique_ptr<TableFilter>;

/// Hashes of values (rowgroup::HashOf), to be asked for many.
class HashSet {
 public:
  explicit HashSet(const std::vector<uint64_t>& hashes)
      : slots_(std::bit_ceil(4 * hashes.size())), mask_(slots_.size() - 1) {
    for (const uint64_t hash : hashes) {
      size_t at = Place(hash);
      while (slots_[at] != kNone && slots_[at] != Held(hash)) at = (at + 1) & mask_;
      slots_[at] = Held(hash);
    }
  }
  [[nodiscard]] bool Holds(uint64_t hash) const {
    for (size_t at = Place(hash); slots_[at] != kNone; at = (at + 1) & mask_) {
      if (slots_[at] == Held(hash)) return true;
    }
    return false;
  }

 private:
  static constexpr uint64_t kNone = 0;
  static uint64_t Held(uint64_t hash) { return hash == kNone ? 1 : hash; }
  [[nodiscard]] size_t Place(uint64_t hash) const { return (hash >> 32) & mask_; }

  std::vector<uint64_t> slots_;
  size_t mask_;
};

/// An expression, as far as the engine applies it to rows; what it asks of statistics goes to the
/// list.
class InListFilter final : public duckdb::ExpressionFilter {
 public:
  InListFilter(duckdb::unique_ptr<duckdb::Expression> is_listed, FilterPtr list)
      : ExpressionFilter(std::move(is_listed)), list_(std::move(list)) {}

  FilterPropagateResult CheckStatistics(duckdb::BaseStatistics& statistics) const override {
    return list_->CheckStatistics(statistics);
  }
  FilterPtr Copy() const override {
    return duckdb::make_uniq<InListFilter>(expr->Copy(), list_->Copy());
  }
  [[nodiscard]] const TableFilter& list() const { return *list_; }

 private:
  FilterPtr list_;
};

/// Whether the hash of each value is held; NULL of NULL. `hash`: of a T.
template <typename T, typename Hash>
duckdb::scalar_function_t Asking(std::shared_ptr<const HashSet> listed, const Hash& hash) {
  return [listed = std::move(listed), hash](duckdb::DataChunk& given, duckdb::ExpressionState&,
                                            duckdb::Vector& result) {
    duckdb::UnaryExecutor::Execute<T, bool>(given.data[0], result, given.size(),
                                            [&](T value) { return listed->Holds(hash(value)); });
  };
}

/// Empty: values of the type are not looked for.
duckdb::scalar_function_t Asking(std::shared_ptr<const HashSet> listed, const LogicalType& type) {
  const auto integer = [](auto value) { return rowgroup::HashOf(static_cast<int64_t>(value)); };
  const auto number = [](auto value) { return rowgroup::HashOf(static_cast<double>(value)); };
  const auto text = [](const duckdb::string_t& value) { return HashOfText(value); };
  switch (type.InternalType()) {
    case PhysicalType::INT8:
      return Asking<int8_t>(std::move(listed), integer);
    case PhysicalType::INT16:
      return Asking<int16_t>(std::move(listed), integer);
    case PhysicalType::INT32:
      return Asking<int32_t>(std::move(listed), integer);
    case PhysicalType::INT64:
      return Asking<int64_t>(std::move(listed), integer);
    case PhysicalType::FLOAT:
      return Asking<float>(std::move(listed), number);
    case PhysicalType::DOUBLE:
      return Asking<double>(std::move(listed), number);
    case PhysicalType::VARCHAR:
      return Asking<duckdb::string_t>(std::move(listed), text);
    default:
      return nullptr;
  }
}

FilterPtr OfList(const duckdb::OptionalFilter& filter, const LogicalType& type) {
  if (!filter.child_filter || filter.child_filter->filter_type != TableFilterType::IN_FILTER) {
    return nullptr;
  }
  std::vector<uint64_t> hashes;
  for (const auto& listed : filter.child_filter->Cast<duckdb::InFilter>().values) {
    const auto value = ToIndexValue(listed, type);
    if (!value) return nullptr;
    hashes.push_back(rowgroup::HashOf(*value));
  }
  auto ask = Asking(std::make_shared<HashSet>(hashes), type);
  if (!ask) return nullptr;
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
  arguments.push_back(duckdb::make_uniq<duckdb::BoundReferenceExpression>(type, 0ULL));
  duckdb::ScalarFunction function("ariadne_is_listed", {type}, LogicalType::BOOLEAN,
                                  std::move(ask));
  return duckdb::make_uniq<InListFilter>(
      duckdb::make_uniq<duckdb::BoundFunctionExpression>(LogicalType::BOOLEAN, std::move(function),
                                                         std::move(arguments), nullptr),
      filter.child_filter->Copy());
}

}  // namespace

FilterPtr LeavingOutUnlisted(const TableFilter& filter, const LogicalType& type) {
  switch (filter.filter_type) {
    case TableFilterType::OPTIONAL_FILTER: {
      auto list = OfList(filter.Cast<duckdb::OptionalFilter>(), type);
      return list ? std::move(list) : filter.Copy();
    }
    case TableFilterType::CONJUNCTION_AND: {
      auto conjunction = duckdb::make_uniq<duckdb::ConjunctionAndFilter>();
      for (const auto& child : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
        conjunction->child_filters.push_back(LeavingOutUnlisted(*child, type));
      }
      return conjunction;
    }
    default:
      return filter.Copy();
  }
}

const TableFilter* ListOf(const TableFilter& filter) {
  const auto* list = dynamic_cast<const InListFilter*>(&filter);
  return list ? &list->list() : nullptr;
}

}  // namespace ariadne::scan
