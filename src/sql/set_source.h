#pragma once

#include <memory>
#include <string>

#include "duckdb/function/table_function.hpp"
#include "duckdb/parser/tableref.hpp"

namespace duckdb {
class DatabaseInstance;
}

namespace ariadne::sql {

/// A reference to the scan of a registered file set: what a function that names files gives in its
/// place.
duckdb::unique_ptr<duckdb::TableRef> RefToSet(const std::string& set);

/// Adds a table function of one text, which stands for what `replace` makes of it.
void RegisterSource(duckdb::DatabaseInstance& database, const std::string& name,
                    duckdb::table_function_bind_replace_t replace,
                    duckdb::shared_ptr<duckdb::TableFunctionInfo> info);

}  // namespace ariadne::sql
