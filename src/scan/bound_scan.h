#pragma once

// Includes the engine's headers: for the sources of parts that stand on it only.

#include <memory>

#include "duckdb/function/table_function.hpp"
#include "scan/file_sets.h"

namespace ariadne::scan {

/// A scan of one set of Parquet files, for table functions that wrap it: its callbacks go with its
/// bind data. Columns are the set's schema, and the virtual ones `filename`, `file_row_number`,
/// `file_index` (place in the set).
struct BoundScan {
  duckdb::TableFunction function;
  duckdb::unique_ptr<duckdb::FunctionData> bind_data;
};

BoundScan BindScanOf(duckdb::ClientContext& context, std::shared_ptr<RegisteredSet> set);

}  // namespace ariadne::scan
