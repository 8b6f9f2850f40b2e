#include "sql/sql_session.h"

#include <utility>

#include "ariadne/errors.h"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/query_result.hpp"
#include "engine/embedded_database.h"
#include "engine/engine_error.h"
#include "engine/query_stream.h"
#include "engine/session.h"
#include "query/index_state.h"
#include "sql/storage_extension.h"

namespace ariadne::sql {

namespace {

constexpr char kLake[] = "lake";
/// Keys of a join reach the indexes as a list up to this many rows, past it as a range.
constexpr char kListKeys[] = "SET GLOBAL dynamic_or_filter_threshold = 10000";

}  // namespace

struct SqlSession::State {
  std::shared_ptr<internal::LakeImpl> lake;
  std::shared_ptr<PruningLog> log;
  std::shared_ptr<engine::EmbeddedDatabase> database;
  std::shared_ptr<duckdb::Connection> connection;
};

SqlSession::SqlSession(const std::string& root, const Options& options)
    : state_(std::make_unique<State>()) {
  state_->lake = std::make_shared<internal::LakeImpl>(root, options);
  state_->log = std::make_shared<PruningLog>();
  engine::SessionOptions session;
  session.memory_bytes = options.memory_bytes;
  session.threads = options.threads;
  try {
    state_->database = std::make_shared<engine::EmbeddedDatabase>(session, state_->lake->stores);
    RegisterStorageExtension(*state_->database->database.instance, state_->lake, state_->log,
                             state_->database->sets);
    engine::Execute(*state_->database, kListKeys);
    engine::Execute(*state_->database, "ATTACH " +
                                           engine::Session::Literal(state_->lake->root_url) +
                                           " AS " + kLake + " (TYPE ariadne)");
    state_->connection = engine::Connect(*state_->database);
    // Progress is kept, and shown by whoever asks for it.
    for (const char* setting :
         {"SET enable_progress_bar = true", "SET enable_progress_bar_print = false",
          "SET progress_bar_time = 0", "USE lake"}) {
      const auto done = state_->connection->Query(setting);
      if (done->HasError()) engine::ThrowEngineError(done->GetErrorObject());
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    engine::ThrowEngineError(duckdb::ErrorData(error));
  }
}

SqlSession::~SqlSession() = default;

std::shared_ptr<arrow::RecordBatchReader> SqlSession::Query(const std::string& statements,
                                                            std::stop_token stop) {
  return engine::OpenQueryStream(state_->database, statements, std::move(stop), state_->connection);
}

double SqlSession::Progress() const { return state_->connection->GetQueryProgress(); }

std::vector<ScanReport> SqlSession::Reports() const { return state_->log->Reports(); }

}  // namespace ariadne::sql
