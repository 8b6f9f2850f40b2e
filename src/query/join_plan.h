#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"

namespace ariadne::query {

/// What a join makes: the columns of its result and where each comes from.
struct JoinPlan {
  struct Column {
    bool from_keys = false;
    int place = 0;  ///< Column of the keys, or place in `lake_columns`.
  };
  std::shared_ptr<arrow::Schema> schema;
  std::vector<Column> columns;            ///< Of the result, in order.
  std::vector<std::string> lake_columns;  ///< That the engine returns, in order.
  bool returns_keys = false;              ///< The engine returns `rid`.
  bool keeps_all_keys = false;            ///< Keys that match nothing are in the result.
  /// SELECT over relations `lake` and `keys`: first `rid` where `returns_keys`, then the columns of
  /// `lake_columns`.
  std::string sql;
};

/// Throws UnsupportedJoin for a type whose result would depend on rows of the lake that match
/// nothing (or that names the sides wrongly), ColumnNotFound for `select`.
JoinPlan PlanJoin(const arrow::Schema& lake, const arrow::Schema& keys, const JoinOptions& options);

}  // namespace ariadne::query
