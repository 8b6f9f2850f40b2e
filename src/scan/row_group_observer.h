#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <memory>
#include <string>
#include <vector>

#include "parquet_reader.hpp"
#include "rowgroup/row_group_build.h"
#include "scan/known_conditions.h"
#include "scan/row_group_indexing.h"

namespace ariadne::scan {

/// What a scan asks of a column of one file, and what of that row-group indexes can tell: the
/// filter that the reader applies to it, or a condition on an expression over it.
struct IndexTarget {
  duckdb::idx_t local = 0;                      ///< Place among the columns that the reader reads.
  duckdb::LogicalType column_type;              ///< As the reader gives it.
  std::string target;                           ///< See rowgroup::IndexKey.
  duckdb::LogicalType type;                     ///< Of the values indexed.
  const duckdb::TableFilter* filter = nullptr;  ///< Belongs to the reader.
  const ExpressionPredicate* predicate = nullptr;  ///< Exactly one of both is set.
};

/// What a scan asks of the columns of a file, once its filters are placed: `places` are the
/// declared columns' expressions over the reader's, by place in `projection`. The result points
/// into `reader.filters` and `predicates`.
std::vector<IndexTarget> IndexTargets(
    duckdb::ParquetReader& reader,
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& places,
    const duckdb::vector<duckdb::ColumnIndex>& projection,
    const std::vector<ExpressionPredicate>& predicates);

/// The column of values in the file that a declared one is read from as it is; nullptr: none is.
const duckdb::ParquetColumnSchema* StoredColumn(
    duckdb::ParquetReader& reader,
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& places,
    const duckdb::vector<duckdb::ColumnIndex>& projection, duckdb::idx_t column);

/// Whether a row group may hold rows that pass what the scan asks.
bool MayHoldRows(const std::vector<IndexTarget>& targets, const rowgroup::FileIdentity& file,
                 int32_t row_group, rowgroup::IndexStore& store);

class ColumnObserver;

/// Reads one row group in the place of the engine's reader and sees, of the columns to index, every
/// row before any filter, of this column or another, or any delete vector removes one. Where all
/// values of a page come from a dictionary the dictionary is seen instead, and the page need not be
/// decoded. Used by one thread.
class RowGroupObserver {
 public:
  /// nullptr: nothing is left to build. `scan` has just turned to the row group.
  static std::unique_ptr<RowGroupObserver> Start(
      duckdb::ClientContext& context, duckdb::ParquetReader& reader,
      duckdb::ParquetReaderScanState& scan, const std::vector<IndexTarget>& targets,
      const rowgroup::FileIdentity& file, int32_t row_group, const RowGroupIndexing& indexing,
      rowgroup::HashRooms& rooms);
  ~RowGroupObserver();

  /// The next rows, filtered, as ParquetReader::Scan gives them.
  void Scan(duckdb::ParquetReader& reader, duckdb::ParquetReaderScanState& scan,
            duckdb::DataChunk& chunk);

  /// After the last row: the builds that saw all of it, sealed.
  std::vector<std::unique_ptr<rowgroup::RowGroupBuild>> Finish();
  void Discard(rowgroup::DiscardReason reason);

 private:
  RowGroupObserver();
  std::vector<std::unique_ptr<ColumnObserver>> columns_;
};

}  // namespace ariadne::scan
