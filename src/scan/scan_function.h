#pragma once

#include <memory>

#include "scan/file_sets.h"

namespace duckdb {
class DatabaseInstance;
class LogicalGet;
}  // namespace duckdb

namespace ariadne::scan {

/// Name of the table function: `SELECT * FROM ariadne_scan('set')`.
inline constexpr char kScanFunction[] = "ariadne_scan";

/// Adds the table function `ariadne_scan(set VARCHAR)` to the database. It reads the sets that
/// `sets` holds when a statement is bound: projection and filters are pushed in, row groups are
/// skipped by statistics against constant and join filters. For a set of CSV or JSON files it
/// stands for `ariadne_text_scan`.
/// `indexing`: of scans that are bound by BindScanOf; nullptr: none.
void RegisterScanFunction(duckdb::DatabaseInstance& database, std::shared_ptr<const FileSets> sets,
                          std::shared_ptr<const RowGroupIndexing> indexing);

/// The set that an operator of a plan reads; nullptr: it is no scan of one.
const RegisteredSet* SetOf(const duckdb::LogicalGet& get);

}  // namespace ariadne::scan
