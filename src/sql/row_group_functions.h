#pragma once

#include <memory>

namespace duckdb {
class DatabaseInstance;
}
namespace ariadne::rowgroup {
class IndexStore;
}

namespace ariadne::sql {

/// Adds `ariadne_row_groups()`, the row-group indexes that the process holds now, and
/// `ariadne_row_group_counters()`, what became of them so far: to look at from a running process,
/// and with COPY to dump. `store`: nullptr where no switch of them is on; then calls are refused.
void RegisterRowGroupFunctions(duckdb::DatabaseInstance& database,
                               std::shared_ptr<rowgroup::IndexStore> store);

}  // namespace ariadne::sql
