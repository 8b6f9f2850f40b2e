#pragma once

#include <memory>
#include <string>

namespace duckdb {
class DatabaseInstance;
}
namespace ariadne::internal {
class LakeImpl;
}
namespace ariadne::scan {
class FileSets;
}

namespace ariadne::sql {

class PruningLog;

/// Adds the table function `scan('…')`: of the index of that name, else of the Parquet files that a
/// path, folder or glob names, with the schema of the first and Hive partition columns.
/// `lake_name`: under which the lake is attached; `log`: is told of the scans.
void RegisterScanSource(duckdb::DatabaseInstance& database,
                        std::shared_ptr<internal::LakeImpl> lake, std::string lake_name,
                        std::shared_ptr<scan::FileSets> sets, std::shared_ptr<PruningLog> log);

}  // namespace ariadne::sql
