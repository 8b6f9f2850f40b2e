#include "engine/session.h"

#include <arrow/table.h>

#include <utility>

#include "ariadne/errors.h"
#include "duckdb/common/error_data.hpp"
#include "engine/embedded_database.h"
#include "engine/engine_error.h"
#include "engine/query_stream.h"
#include "engine/row_function.h"
#include "engine/table_loader.h"
#include "engine/table_reader.h"
#include "scan/scan_function.h"
#include "text/text_format.h"
#include "text/text_reader.h"

namespace ariadne::engine {

struct Session::State {
  std::shared_ptr<EmbeddedDatabase> database;
};

Session::Session(const SessionOptions& options, std::shared_ptr<storage::Stores> stores)
    : state_(std::make_unique<State>()) {
  try {
    state_->database = std::make_shared<EmbeddedDatabase>(options, std::move(stores));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    ThrowEngineError(duckdb::ErrorData(error));
  }
}

Session::~Session() = default;

void Session::RegisterFiles(const std::string& name, std::shared_ptr<const scan::FileSet> files) {
  auto& database = *state_->database;
  if (text::IsTextFormat(files->format)) {
    text::CheckTextSchema(*files->schema,
                          text::ReadTextOptions({files->format, files->read_options}));
  } else if (files->format != "parquet") {
    throw InvalidArgument("Files of format '" + files->format +
                          "' cannot be read; there are parquet, csv and json");
  }
  database.sets->Put(name, std::move(files));
  Execute(database, "CREATE OR REPLACE VIEW " + Quote(name) + " AS SELECT * FROM " + ScanOf(name));
}

std::string Session::ScanOf(const std::string& name) {
  return std::string(scan::kScanFunction) + "(" + Literal(name) + ")";
}

void Session::RegisterFunction(const std::string& name, const arrow::Schema& arguments,
                               const std::shared_ptr<arrow::Field>& result, RowFunction function) {
  RegisterRowFunction(*state_->database, name, arguments, result, std::move(function));
}

void Session::RegisterTable(const std::string& name, const std::shared_ptr<arrow::Table>& table) {
  LoadTable(*state_->database, name, *table);
}

scan::ScanMetrics Session::Metrics(const std::string& name) const {
  return state_->database->sets->Metrics(name);
}

std::shared_ptr<arrow::RecordBatchReader> Session::Query(const std::string& sql,
                                                         std::stop_token stop) {
  return OpenQueryStream(state_->database, sql, std::move(stop));
}

std::shared_ptr<arrow::Table> Session::ReadTable(const std::string& url,
                                                 const WrittenColumns& written,
                                                 const std::string& delimiter) {
  return engine::ReadTable(state_->database, url, written, delimiter);
}

std::string Session::Quote(const std::string& identifier) {
  std::string quoted = "\"";
  for (char c : identifier) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + '"';
}

std::string Session::Literal(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') quoted += c;
    quoted += c;
  }
  return quoted + '\'';
}

}  // namespace ariadne::engine
