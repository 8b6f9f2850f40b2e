#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <arrow/type_fwd.h>

namespace duckdb {
class Connection;
class SQLStatement;
}  // namespace duckdb

namespace ariadne::engine {

struct EmbeddedDatabase;

using BeforeStatement = std::function<void(duckdb::Connection&, const duckdb::SQLStatement&)>;

/// Runs the statements of `sql` in turn, on `connection` or, without one, on a connection of its
/// own, and streams the result of the last. Throws QueryError, Cancelled; reads return
/// ExecutionError, Cancelled. The stream keeps the database open and stops the query when it is
/// dropped. `rows_wanted`: a last statement that gives no rows, as CREATE VIEW, is not run; throws
/// InvalidArgument. `before`, where given, is called before each statement is planned, and may
/// throw.
std::shared_ptr<arrow::RecordBatchReader> OpenQueryStream(
    std::shared_ptr<EmbeddedDatabase> database, const std::string& sql, std::stop_token stop,
    std::shared_ptr<duckdb::Connection> connection = nullptr, bool rows_wanted = false,
    const BeforeStatement& before = {});

}  // namespace ariadne::engine
