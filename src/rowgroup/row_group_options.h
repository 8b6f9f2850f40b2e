#pragma once

#include <cstdint>
#include <string>

namespace ariadne::rowgroup {

/// Row-group indexes that queries build as they read. Every switch is off by default.
struct RowGroupOptions {
  bool column_bloom = false;    ///< Filters of columns that a query compares with constants.
  bool column_range = false;    ///< Smallest and largest values of such columns.
  bool expressions = false;     ///< Filters of expressions that a query compares with constants.
  bool persistence = false;     ///< Kept in a Delta table, and read from it at the start.
  int64_t min_table_bytes = 0;  ///< Nothing is built of smaller tables.
  /// What a process keeps in memory, least recently asked out first. 0: unbounded.
  int64_t store_entries = 0;
  int64_t store_bytes = int64_t{256} << 20;
  double fpr = 0.0001;  ///< False positive rate of the filters.
  std::string root;     ///< Where the Delta table lies, below `native/`. Empty: the lake's root.
  double load_timeout_seconds = 30;  ///< After which the load from the table is given up.
  double load_wait_seconds = 1;      ///< Longest that the first query waits for the load.

  [[nodiscard]] bool any() const {
    return column_bloom || column_range || expressions || persistence;
  }
};

}  // namespace ariadne::rowgroup
