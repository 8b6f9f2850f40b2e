#pragma once

// Includes the engine's headers: for the sources of this part only.

#include "duckdb/planner/table_filter.hpp"

namespace ariadne::scan {

/// A copy of the filter in which lists of values leave rows out. The engine's `IN`, and the keys
/// that a join finds on its other side, come as filters that nothing need obey, and that it looks
/// at for statistics alone: it reads all columns of all rows, and drops those that are not listed
/// above the scan. `type`: of the column. Rows are left out by the hash of their value, so that a
/// few may pass that are not listed.
duckdb::unique_ptr<duckdb::TableFilter> LeavingOutUnlisted(const duckdb::TableFilter& filter,
                                                           const duckdb::LogicalType& type);

/// The list that such a filter was made of; nullptr: it is another.
const duckdb::TableFilter* ListOf(const duckdb::TableFilter& filter);

}  // namespace ariadne::scan
