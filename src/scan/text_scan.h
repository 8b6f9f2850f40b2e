#pragma once

#include <memory>

#include "scan/file_sets.h"
#include "storage/object_store.h"

namespace duckdb {
class DatabaseInstance;
}

namespace ariadne::scan {

/// Name of the table function: `SELECT * FROM ariadne_text_scan('set')`.
inline constexpr char kTextScanFunction[] = "ariadne_text_scan";

/// Adds the table function `ariadne_text_scan(set VARCHAR)`, which reads the sets of CSV and JSON
/// files that `sets` holds when a statement is bound: the rows that Spark reads (text::TextReader),
/// files in parallel, only the columns asked for made. Virtual columns are `filename`,
/// `file_index`, the place of a row's file in the set, and `file_row_number`, that of the row in
/// its file, both from 0. It is reached through `ariadne_scan`, whatever the format of the set.
void RegisterTextScanFunction(duckdb::DatabaseInstance& database,
                              std::shared_ptr<const FileSets> sets,
                              std::shared_ptr<const storage::Stores> stores);

}  // namespace ariadne::scan
