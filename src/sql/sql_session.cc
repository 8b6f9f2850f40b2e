#include "sql/sql_session.h"

#include <utility>

#include "ariadne/errors.h"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/query_result.hpp"
#include "engine/embedded_database.h"
#include "engine/engine_error.h"
#include "engine/query_stream.h"
#include "engine/session.h"
#include "engine/table_loader.h"
#include "query/index_state.h"
#include "query/row_group_service.h"
#include "rowgroup/index_service.h"
#include "sql/delta_source.h"
#include "sql/row_group_functions.h"
#include "sql/scan_source.h"
#include "sql/storage_extension.h"
#include "sql/write_refusal.h"

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
  std::unique_ptr<rowgroup::IndexService> row_groups;  ///< nullptr: off.
};

SqlSession::SqlSession(const std::string& root, const Options& options,
                       const rowgroup::RowGroupOptions& row_groups)
    : state_(std::make_unique<State>()) {
  state_->lake = std::make_shared<internal::LakeImpl>(root, options);
  state_->log = std::make_shared<PruningLog>();
  engine::SessionOptions session;
  session.memory_bytes = options.memory_bytes;
  session.threads = options.threads;
  if (row_groups.any()) {
    state_->row_groups = query::OpenRowGroups(*state_->lake, row_groups);
    session.row_groups = query::RowGroupIndexingOf(row_groups, state_->row_groups->store());
  }
  try {
    state_->database = std::make_shared<engine::EmbeddedDatabase>(session, state_->lake->stores);
    auto& instance = *state_->database->database.instance;
    RegisterStorageExtension(instance, state_->lake, state_->log, state_->database->sets);
    RegisterScanSource(instance, state_->lake, kLake, state_->database->sets, state_->log);
    RegisterDeltaSource(instance, state_->lake, state_->database->sets, state_->log);
    RegisterRowGroupFunctions(instance, state_->row_groups ? state_->row_groups->store() : nullptr);
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
                                                            std::stop_token stop,
                                                            bool rows_wanted) {
  if (state_->row_groups) state_->row_groups->BeforeQuery();
  return engine::OpenQueryStream(state_->database, statements, std::move(stop), state_->connection,
                                 rows_wanted, RefuseWritesToLakes);
}

void SqlSession::AddTable(const std::string& name, const arrow::Table& table) {
  engine::LoadTable(*state_->database, name, table);
  // Names without a database are looked for among temporary ones and in the lake.
  const std::string quoted = engine::Session::Quote(name);
  const auto done = state_->connection->Query("CREATE OR REPLACE TEMP VIEW " + quoted +
                                              " AS FROM memory.main." + quoted);
  if (done->HasError()) engine::ThrowEngineError(done->GetErrorObject());
}

double SqlSession::Progress() const { return state_->connection->GetQueryProgress(); }

std::vector<ScanReport> SqlSession::Reports() const { return state_->log->Reports(); }

}  // namespace ariadne::sql
