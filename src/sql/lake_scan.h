#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <memory>

#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/function/table_function.hpp"
#include "scan/file_sets.h"
#include "sql/lake_table.h"
#include "sql/pruning_log.h"

namespace duckdb {
class LogicalGet;
}

namespace ariadne::sql {

/// The scan of a table of the lake. When a query is planned its conditions are asked of the
/// indexes, and once more when the scan starts and the keys of joins are known; what is left is
/// read by `scan`, which applies all pushed filters exactly. Each scan is told to `log`.
duckdb::TableFunction LakeScanFunction(const LakeTable& table);

/// Makes the scan known to a database, whose optimizer copies plans by writing and reading them.
void RegisterLakeScan(duckdb::DatabaseInstance& database);

/// Bind data of LakeScanFunction. `entry` outlives the statement; `sets` is where the database
/// finds files by name.
duckdb::unique_ptr<duckdb::FunctionData> BindLakeScan(duckdb::TableCatalogEntry& entry,
                                                      std::shared_ptr<const LakeTable> table,
                                                      std::shared_ptr<PruningLog> log,
                                                      std::shared_ptr<scan::FileSets> sets);

/// Keeps in a scan of a table which exploded columns the bound query names: rows are repeated for
/// their elements even where the optimizer finds that nobody wants the values. For other scans it
/// does nothing.
void NoteNamedColumns(duckdb::LogicalGet& get);

/// Tells the log of a scan of a table whose query is explained. `planned`: it is a part of the
/// optimized plan. For other scans it does nothing.
void LogExplained(const duckdb::LogicalGet& get, bool planned);

}  // namespace ariadne::sql
