#pragma once

#include <string>

#include <arrow/type_fwd.h>

namespace duckdb {
class ErrorData;
}

namespace ariadne::engine {

/// First line of an error's message, without the engine's own prefix, and the names that could have
/// been meant.
std::string EngineMessage(const duckdb::ErrorData& error);
/// Throws Cancelled for an interrupted statement, else QueryError.
[[noreturn]] void ThrowEngineError(const duckdb::ErrorData& error);
/// The same as a Status of a stream: Cancelled or ExecutionError.
arrow::Status EngineStatus(const duckdb::ErrorData& error);

/// Status of a stream that was stopped.
arrow::Status StoppedStatus();

}  // namespace ariadne::engine
