#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <memory>

#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/function/table_function.hpp"
#include "sql/lake_table.h"
#include "sql/pruning_log.h"

namespace ariadne::sql {

/// The scan of a table of the lake. When a query is planned its conditions are asked of the
/// indexes, and once more when the scan starts and the keys of joins are known; what is left is
/// read by `scan`, which applies all pushed filters exactly. Each scan is told to `log`. CSV and
/// JSON files are read whole: of a table over them filters are left to the engine, and what its
/// conditions ask of the indexes is asked when the query is planned alone.
duckdb::TableFunction LakeScanFunction(const LakeTable& table);

/// Bind data of LakeScanFunction. `entry` outlives the statement.
duckdb::unique_ptr<duckdb::FunctionData> BindLakeScan(duckdb::TableCatalogEntry& entry,
                                                      std::shared_ptr<const LakeTable> table,
                                                      std::shared_ptr<PruningLog> log);

/// Columns that a query may name and `*` leaves out.
duckdb::virtual_column_map_t VirtualColumns(const LakeTable& table);

}  // namespace ariadne::sql
