#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include <arrow/type_fwd.h>

namespace ariadne::engine {

struct EmbeddedDatabase;

/// Runs `sql` on a connection of its own and streams the result. Throws QueryError, Cancelled;
/// reads return ExecutionError, Cancelled. The stream keeps the database open and stops the query
/// when it is dropped.
std::shared_ptr<arrow::RecordBatchReader> OpenQueryStream(
    std::shared_ptr<EmbeddedDatabase> database, const std::string& sql, std::stop_token stop);

}  // namespace ariadne::engine
