#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <memory>
#include <string>
#include <vector>

#include "duckdb/common/multi_file/multi_file_list.hpp"
#include "duckdb/planner/expression.hpp"
#include "rowgroup/predicate.h"

namespace ariadne::scan {

/// A condition of a query that compares an expression over one column with constants: every row of
/// the scan that the query uses makes it true.
struct ExpressionPredicate {
  duckdb::idx_t column = 0;                           ///< Place among the declared columns.
  duckdb::unique_ptr<duckdb::Expression> expression;  ///< Over a reference 0 to the column.
  rowgroup::Predicate predicate;

  [[nodiscard]] ExpressionPredicate Copy() const;
  [[nodiscard]] bool Equals(const ExpressionPredicate& other) const;
  /// Canonical text of the expression over a column that is `column_target` in a file.
  [[nodiscard]] std::string Target(const std::string& column_target) const;
};

/// What is known of every row of a scan that the query uses.
struct KnownConditions {
  std::vector<ExpressionPredicate> predicates;
  std::vector<duckdb::idx_t> null_columns;  ///< Declared columns that are NULL, ascending.
};

/// `known` and what a query's conditions (ANDed) say: those that are `f(column) = constant` or
/// `f(column) IN (constants)`, with an f whose result depends on nothing but the column's value
/// (casts and a list of known functions, nested, no time zones in between), and `column IS NULL`.
std::shared_ptr<const KnownConditions> WithConditions(
    std::shared_ptr<const KnownConditions> known, const duckdb::MultiFilePushdownInfo& scan,
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& conditions);

}  // namespace ariadne::scan
