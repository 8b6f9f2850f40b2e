#pragma once

#include <functional>

#include "rowgroup/predicate.h"

namespace duckdb {
struct LogicalType;
class TableFilter;
}  // namespace duckdb

namespace ariadne::scan {

/// Whether a column of that type may pass the filter, as it is now, where `may_match` tells whether
/// one predicate may be true of some row. Parts that are no comparison with constants count as
/// true.
bool MayPass(const duckdb::TableFilter& filter, const duckdb::LogicalType& type,
             const std::function<bool(const rowgroup::Predicate&)>& may_match);

/// What a filter compares its column with constants by.
struct FilterComparisons {
  bool equality = false;  ///< `=` or IN.
  bool order = false;     ///< Any comparison.
};
FilterComparisons ComparisonsOf(const duckdb::TableFilter& filter, const duckdb::LogicalType& type);

}  // namespace ariadne::scan
