#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "query/main_index.h"
#include "storage/layout.h"

namespace ariadne::query {

/// A byte a row, for each part of the main index: 0 where the row's file is ruled out.
using RowMasks = std::vector<std::vector<uint8_t>>;

/// Values asked of one indexed column.
struct ColumnAsk {
  IndexedColumn column;
  std::shared_ptr<arrow::DataType> type;
  /// As index::ConvertProbe gives them.
  std::shared_ptr<arrow::Array> values;
};

/// Where an ask is answered from.
struct ProbeSite {
  const MainIndex* main_index = nullptr;
  const storage::IndexLayout* layout = nullptr;
  /// Zone of bloom tokens whose writer is not known; empty: such filters are "maybe".
  std::string token_time_zone;
  int threads = 1;
};

/// Clears the rows that cannot hold any of the values, reading only where candidates are left: the
/// lookup file where there is one, else the cells of the row groups in question. What cannot be
/// read leaves its rows as they are.
void ProbeRows(const ColumnAsk& ask, const ProbeSite& site, RowMasks& masks);

}  // namespace ariadne::query
