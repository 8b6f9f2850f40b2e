#include "engine/engine_error.h"

#include <arrow/status.h>

#include <memory>
#include <vector>

#include "ariadne/errors.h"
#include "duckdb/common/error_data.hpp"
#include "engine/session.h"
#include "scan/gone_file.h"

namespace ariadne::engine {

namespace {
constexpr char kStopped[] = "The query was stopped before it was done";

bool IsGone(const duckdb::ErrorData& error) {
  return error.ExtraInfo().find(scan::kGoneFile) != error.ExtraInfo().end();
}

/// Of a Status: a file to read is not there.
class GoneFile : public arrow::StatusDetail {
 public:
  [[nodiscard]] const char* type_id() const override { return scan::kGoneFile; }
  [[nodiscard]] std::string ToString() const override { return "a file is gone"; }
};

/// What the first line of the engine's message about a CSV file leaves to the lines below it.
std::string CsvReason(const std::string& message, size_t end_of_first) {
  for (size_t begin = end_of_first; begin != std::string::npos;) {
    const size_t end = message.find('\n', ++begin);
    const std::string line = message.substr(begin, end - begin);
    begin = end;
    if (line.empty() || line.starts_with("Original Line")) continue;
    return line.starts_with("Possible") ? "" : line;
  }
  return "";
}

/// The lines that name what could have been meant.
std::vector<std::string> Candidates(const std::string& message, size_t end_of_first) {
  std::vector<std::string> lines;
  for (size_t begin = end_of_first; begin != std::string::npos;) {
    const size_t end = message.find('\n', ++begin);
    const std::string line = message.substr(begin, end - begin);
    begin = end;
    if (line.starts_with("Did you mean") || line.starts_with("Candidate ")) lines.push_back(line);
  }
  return lines;
}
}  // namespace

std::string EngineMessage(const duckdb::ErrorData& error) {
  const std::string& message = error.RawMessage();
  const size_t end = message.find('\n');
  std::string first = message.substr(0, end);
  if (first.starts_with("CSV Error on Line") || first.starts_with("Error when sniffing file")) {
    const std::string reason = CsvReason(message, end);
    if (!reason.empty()) first += ": " + reason;
  }
  first.erase(first.find_last_not_of(" \t") + 1);
  for (const std::string& line : Candidates(message, end)) first += " " + line;
  return first;
}

void ThrowEngineError(const duckdb::ErrorData& error) {
  if (error.Type() == duckdb::ExceptionType::INTERRUPT) throw Cancelled(kStopped);
  if (IsGone(error)) throw FileNotFound(EngineMessage(error));
  throw QueryError(EngineMessage(error));
}

arrow::Status EngineStatus(const duckdb::ErrorData& error) {
  if (error.Type() == duckdb::ExceptionType::INTERRUPT) return StoppedStatus();
  if (IsGone(error)) {
    return {arrow::StatusCode::IOError, EngineMessage(error), std::make_shared<GoneFile>()};
  }
  return arrow::Status::ExecutionError(EngineMessage(error));
}

arrow::Status StoppedStatus() { return arrow::Status::Cancelled(kStopped); }

void ThrowIfFailed(const arrow::Status& status) {
  if (status.ok()) return;
  if (status.IsCancelled()) throw Cancelled(status.message());
  if (status.detail() != nullptr && status.detail()->type_id() == std::string(scan::kGoneFile)) {
    throw FileNotFound(status.message());
  }
  throw QueryError(status.message());
}

}  // namespace ariadne::engine
