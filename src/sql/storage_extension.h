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

/// Makes `ATTACH 'root' AS name (TYPE ariadne)` known to a database, and the table function
/// `ariadne_pruning_log()` over `log`. `lake`, where given, is the one that its own root stands
/// for: other roots are opened with the options of ATTACH. `sets`: what the database's
/// `ariadne_scan` reads (scan::RegisterScanFunction).
void RegisterStorageExtension(duckdb::DatabaseInstance& database,
                              std::shared_ptr<internal::LakeImpl> lake,
                              std::shared_ptr<PruningLog> log,
                              std::shared_ptr<scan::FileSets> sets);

}  // namespace ariadne::sql
