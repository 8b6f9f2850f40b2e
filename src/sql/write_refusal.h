#pragma once

namespace duckdb {
class Connection;
class SQLStatement;
}  // namespace duckdb

namespace ariadne::sql {

/// Throws what RefuseWrite throws where the statement would change an attached lake, before
/// anything of it is looked at that may be wrong as well: its columns, or the number of its values.
void RefuseWritesToLakes(duckdb::Connection& connection, const duckdb::SQLStatement& statement);

}  // namespace ariadne::sql
