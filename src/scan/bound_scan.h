#pragma once

// Includes the engine's headers: for the sources of parts that stand on it only.

#include <memory>

#include "duckdb/function/table_function.hpp"
#include "scan/file_sets.h"
#include "scan/known_conditions.h"
#include "storage/object_store.h"

namespace ariadne::scan {

/// A scan of one set of files, for table functions that wrap it: its callbacks go with its bind
/// data. Columns are the set's schema, and the virtual ones `filename` and RowPlaces. That of CSV
/// and JSON files tells neither its progress nor its partitions.
struct BoundScan {
  duckdb::TableFunction function;
  duckdb::unique_ptr<duckdb::FunctionData> bind_data;
};

/// Row-group indexes are those of the database's session; `conditions`: what is known of the
/// query's rows (WithConditions). Throws InvalidArgument for a read option that is not supported.
BoundScan BindScanOf(duckdb::ClientContext& context, std::shared_ptr<RegisteredSet> set,
                     const std::shared_ptr<const storage::Stores>& stores,
                     std::shared_ptr<const KnownConditions> conditions);
/// The same for a set of CSV or JSON files alone.
BoundScan BindTextScanOf(std::shared_ptr<RegisteredSet> set,
                         std::shared_ptr<const storage::Stores> stores);

}  // namespace ariadne::scan
