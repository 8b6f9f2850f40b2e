#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "build/logged_files.h"
#include "index/bounds_probe.h"
#include "query/main_index.h"
#include "storage/layout.h"

namespace ariadne::query {

/// A byte a row, for each part of the main index: 0 where the row's file is ruled out.
using RowMasks = std::vector<std::vector<uint8_t>>;

/// Values asked of one indexed column.
struct ColumnAsk {
  IndexedColumn column;
  std::shared_ptr<arrow::DataType> type;
  /// Of a temporal column's timestamps; else nullptr.
  std::shared_ptr<arrow::DataType> timestamp;
  /// As index::ConvertProbe gives them.
  std::shared_ptr<arrow::Array> values;
};

/// Cheapest first: what they rule out, the dearer ones need not read.
int AskCost(IndexedColumn::Kind kind);

/// Where an ask is answered from.
struct ProbeSite {
  const MainIndex* main_index = nullptr;
  const storage::IndexLayout* layout = nullptr;
  /// What a Delta table's log says of the files; nullptr: nothing.
  const build::LoggedFiles* logged = nullptr;
  /// Zone of bloom tokens whose writer is not known; empty: such filters are "maybe".
  std::string token_time_zone;
  /// As build::ExplodedNamedByArray gives them.
  std::map<std::string, std::string> named_by_array;
  /// Columns whose files have filters because one of them is large.
  std::vector<std::string> auto_bloom;
  /// False positive rate that those filters have.
  double auto_bloom_fpr = 0.01;
  int threads = 1;
};

/// Clears the rows whose auto-bloom filter proves that none of the values is in the file; a row
/// without filter stays. Does nothing where the column has none, or so many values are asked that
/// one of them passes nearly every filter by chance.
void ProbeAutoBloom(const ColumnAsk& ask, const ProbeSite& site, RowMasks& masks);

/// Clears the rows that cannot hold any of the values, reading only where candidates are left: the
/// lookup file where there is one, else the cells of the row groups in question. What cannot be
/// read leaves its rows as they are. Not for temporal columns: see ProbeNewest.
void ProbeRows(const ColumnAsk& ask, const ProbeSite& site, RowMasks& masks);

/// Clears the rows that cannot hold any value within the bounds; `ask.values` is not looked at.
/// Reads the cells of the row groups that have candidates. Pairs in a large table stay as they are.
void ProbeBounds(const ColumnAsk& ask, const index::ValueBounds& bounds, const ProbeSite& site,
                 RowMasks& masks);

}  // namespace ariadne::query
