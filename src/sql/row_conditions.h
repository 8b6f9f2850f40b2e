#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <string>
#include <utility>
#include <vector>

#include "duckdb/common/column_index.hpp"
#include "duckdb/common/vector.hpp"
#include "duckdb/planner/expression.hpp"
#include "duckdb/planner/table_filter.hpp"
#include "query/row_condition.h"
#include "sql/lake_table.h"

namespace ariadne::sql {

/// Why a condition of a query does not prune, in words.
struct NotPruned {
  std::string condition;
  std::string reason;
};

/// Turns what a query asks of the rows of a table into what the table's indexes can judge. The rest
/// becomes kAny, and its reason is kept.
class ConditionReader {
 public:
  /// `columns`: the table's columns in the order in which the scan has them.
  ConditionReader(duckdb::ClientContext& context, const LakeTable& table,
                  const duckdb::vector<duckdb::ColumnIndex>& columns);

  /// A condition in which columns are references to the scan `table_index`.
  query::RowCondition Read(const duckdb::Expression& expression, duckdb::idx_t table_index);
  /// A filter on column number `column` of the scan. What it does not know yet is kAny.
  query::RowCondition Read(const duckdb::TableFilter& filter, duckdb::idx_t column);

  [[nodiscard]] const std::vector<NotPruned>& not_pruned() const { return not_pruned_; }

 private:
  using Values = duckdb::vector<duckdb::Value>;

  query::RowCondition ReadComparison(const duckdb::Expression& expression);
  query::RowCondition ReadBetween(const duckdb::Expression& expression);
  query::RowCondition ReadOperator(const duckdb::Expression& expression);
  query::RowCondition ReadList(const duckdb::Expression& expression);
  query::RowCondition ReadConjunction(const duckdb::Expression& expression);
  query::RowCondition ReadAny(const duckdb::Expression& expression);

  /// The column that the expression is; nullptr, with a reason kept, where it is none with an
  /// index.
  const LakeTable::Column* IndexedColumnOf(const duckdb::Expression& side,
                                           const std::string& condition);
  const LakeTable::Column* ColumnAt(duckdb::idx_t column) const;
  /// The computed column whose expression it is; nullptr: none.
  const LakeTable::Column* ComputedColumnOf(const duckdb::Expression& side) const;
  bool Constant(const duckdb::Expression& expression, duckdb::Value* value) const;
  query::RowCondition Compare(const LakeTable::Column& column, duckdb::ExpressionType comparison,
                              const duckdb::Value& value, const std::string& text);
  query::RowCondition Within(const LakeTable::Column& column, const std::string& text,
                             index::ValueBounds bounds);
  query::RowCondition In(const LakeTable::Column& column, const Values& values,
                         const std::string& text);
  /// `condition` on a computed column, made wide enough for what `side` gives: see
  /// CountsYearsByEra.
  query::RowCondition InAnyEra(const duckdb::Expression& side, const LakeTable::Column& column,
                               query::RowCondition condition);
  std::shared_ptr<arrow::Array> ArrayOf(const LakeTable::Column& column, const Values& values,
                                        const std::string& text);
  query::RowCondition Unknown(const std::string& condition, const std::string& reason);

  duckdb::ClientContext& context_;
  const LakeTable& table_;
  const duckdb::vector<duckdb::ColumnIndex>& columns_;
  bool counts_time_as_spark_;  ///< The session: in UTC, by the Gregorian calendar.
  duckdb::idx_t table_index_ = 0;
  std::vector<NotPruned> not_pruned_;
};

}  // namespace ariadne::sql
