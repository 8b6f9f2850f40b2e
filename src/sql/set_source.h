#pragma once

#include <memory>
#include <string>

#include "duckdb/function/table_function.hpp"
#include "duckdb/parser/tableref.hpp"

namespace duckdb {
class DatabaseInstance;
}

namespace ariadne::scan {
class FileSets;
struct FileSet;
}  // namespace ariadne::scan

namespace ariadne::sql {

class PruningLog;

/// Registers files that a query names under `name`, and gives a reference to their scan: what a
/// function that names files gives in its place. Scans are told to `log` under that name. Throws
/// SchemaMismatch.
duckdb::unique_ptr<duckdb::TableRef> RefToFiles(const std::string& name,
                                                std::shared_ptr<const scan::FileSet> files,
                                                scan::FileSets& sets,
                                                const std::shared_ptr<PruningLog>& log);

/// Adds a table function of one text, which stands for what `replace` makes of it.
void RegisterSource(duckdb::DatabaseInstance& database, const std::string& name,
                    duckdb::table_function_bind_replace_t replace,
                    duckdb::shared_ptr<duckdb::TableFunctionInfo> info);

}  // namespace ariadne::sql
