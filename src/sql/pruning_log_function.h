#pragma once

#include <memory>

namespace duckdb {
class DatabaseInstance;
}

namespace ariadne::sql {

class PruningLog;

/// Adds the table function `ariadne_pruning_log()`: a row a scan of a table that was planned or run
/// on this database, oldest first.
void RegisterPruningLogFunction(duckdb::DatabaseInstance& database,
                                std::shared_ptr<PruningLog> log);

}  // namespace ariadne::sql
