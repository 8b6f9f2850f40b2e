#include "engine/engine_error.h"

#include <arrow/status.h>

#include "ariadne/errors.h"
#include "duckdb/common/error_data.hpp"
#include "engine/session.h"

namespace ariadne::engine {

namespace {
constexpr char kStopped[] = "The query was stopped before it was done";
}

std::string EngineMessage(const duckdb::ErrorData& error) {
  const std::string& message = error.RawMessage();
  return message.substr(0, message.find('\n'));
}

void ThrowEngineError(const duckdb::ErrorData& error) {
  if (error.Type() == duckdb::ExceptionType::INTERRUPT) throw Cancelled(kStopped);
  throw QueryError(EngineMessage(error));
}

arrow::Status EngineStatus(const duckdb::ErrorData& error) {
  if (error.Type() == duckdb::ExceptionType::INTERRUPT) return StoppedStatus();
  return arrow::Status::ExecutionError(EngineMessage(error));
}

arrow::Status StoppedStatus() { return arrow::Status::Cancelled(kStopped); }

void ThrowIfFailed(const arrow::Status& status) {
  if (status.ok()) return;
  if (status.IsCancelled()) throw Cancelled(status.message());
  throw QueryError(status.message());
}

}  // namespace ariadne::engine
