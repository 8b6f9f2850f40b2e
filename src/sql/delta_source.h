#pragma once

#include <memory>

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

/// Adds the table function `delta('path')`: the newest snapshot of the Delta table at a path or
/// URL, its column mapping, partitions and deletion vectors honoured. `log` is told of the scans.
void RegisterDeltaSource(duckdb::DatabaseInstance& database,
                         std::shared_ptr<internal::LakeImpl> lake,
                         std::shared_ptr<scan::FileSets> sets, std::shared_ptr<PruningLog> log);

}  // namespace ariadne::sql
