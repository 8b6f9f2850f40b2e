#include "engine/query_stream.h"

#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/status.h>
#include <arrow/type.h>

#include <functional>
#include <optional>
#include <utility>

#include "ariadne/errors.h"
#include "duckdb/common/arrow/arrow_appender.hpp"
#include "duckdb/common/arrow/arrow_converter.hpp"
#include "duckdb/common/error_data.hpp"
#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/execution/executor.hpp"
#include "duckdb/function/table/arrow/arrow_type_info.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/pending_query_result.hpp"
#include "duckdb/main/prepared_statement.hpp"
#include "duckdb/main/query_result.hpp"
#include "duckdb/main/stream_query_result.hpp"
#include "duckdb/parser/sql_statement.hpp"
#include "engine/embedded_database.h"
#include "engine/engine_error.h"

namespace ariadne::engine {

namespace {

// A batch ends when it holds this much; one chunk of the engine is 2,048 rows.
constexpr int64_t kBatchRows = 32768;
constexpr size_t kBatchBytes = 16 << 20;

using duckdb::LogicalType;
using duckdb::LogicalTypeId;

/// The type in which a column is given: its own, save that what Arrow cannot hold, or what its
/// readers do not take, is text as the engine writes it.
LogicalType GivenAs(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::ENUM:
    case LogicalTypeId::UNION:
    case LogicalTypeId::INTERVAL:
    case LogicalTypeId::TIME_TZ:
    case LogicalTypeId::UHUGEINT:
    case LogicalTypeId::BIGNUM:
    case LogicalTypeId::BIT:
      return LogicalType::VARCHAR;
    case LogicalTypeId::ARRAY:
      return LogicalType::LIST(GivenAs(duckdb::ArrayType::GetChildType(type)));
    case LogicalTypeId::LIST:
      return LogicalType::LIST(GivenAs(duckdb::ListType::GetChildType(type)));
    case LogicalTypeId::MAP:
      return LogicalType::MAP(GivenAs(duckdb::MapType::KeyType(type)),
                              GivenAs(duckdb::MapType::ValueType(type)));
    case LogicalTypeId::STRUCT: {
      duckdb::child_list_t<LogicalType> children;
      for (const auto& [name, child] : duckdb::StructType::GetChildTypes(type)) {
        children.emplace_back(name, GivenAs(child));
      }
      return LogicalType::STRUCT(std::move(children));
    }
    default:
      return type;
  }
}

class QueryStream : public arrow::RecordBatchReader {
 public:
  QueryStream(std::shared_ptr<EmbeddedDatabase> database, const std::string& sql,
              std::stop_token stop, std::shared_ptr<duckdb::Connection> connection,
              bool rows_wanted, const BeforeStatement& before)
      : database_(std::move(database)), connection_(std::move(connection)) {
    if (!connection_) connection_ = Connect(*database_);
    stop_ = std::move(stop);
    auto statements = connection_->ExtractStatements(sql);
    if (statements.empty()) throw QueryError("There is no statement in: " + sql);
    for (auto& statement : statements) {
      const bool last = &statement == &statements.back();
      if (before) before(*connection_, *statement);
      Run(std::move(statement), rows_wanted && last);
    }

    for (const auto& type : result_->types) types_.push_back(GivenAs(type));
    ArrowSchema schema;
    duckdb::ArrowConverter::ToArrowSchema(&schema, types_, result_->names,
                                          result_->client_properties);
    auto imported = arrow::ImportSchema(&schema);
    if (!imported.ok()) throw QueryError(imported.status().message());
    schema_ = *imported;
  }

  ~QueryStream() override { Finish(); }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    if (!failure_.ok()) return failure_;
    if (!result_) return arrow::Status::OK();
    try {
      auto got = NextBatch();
      if (!got.ok()) failure_ = got.status();
      if (got.ok()) *batch = std::move(*got);
    } catch (const std::exception& error) {
      failure_ = EngineStatus(duckdb::ErrorData(error));
    }
    if (!failure_.ok() || !*batch) Finish();
    return failure_;
  }

  arrow::Status Close() override {
    Finish();
    return arrow::Status::OK();
  }

 private:
  void CheckGivesRows(const duckdb::SQLStatement& statement) {
    const auto prepared = connection_->Prepare(statement.Copy());
    // What cannot be prepared says why when it is run.
    if (prepared->HasError() ||
        prepared->GetStatementProperties().return_type != duckdb::StatementReturnType::NOTHING) {
      return;
    }
    throw InvalidArgument(
        "the last statement gives no rows that could be written: end with a query, or leave the "
        "output out");
  }

  // Leaves the result in `result_`; that of a statement before is read to its end by its own
  // effect.
  void Run(duckdb::unique_ptr<duckdb::SQLStatement> statement, bool rows_wanted) {
    if (stop_.stop_requested()) throw Cancelled("The query was stopped before it began");
    if (rows_wanted) CheckGivesRows(*statement);
    stopper_.reset();
    result_.reset();
    auto pending = connection_->PendingQuery(std::move(statement), duckdb::QueryParameters(true));
    if (pending->HasError()) ThrowEngineError(pending->GetErrorObject());
    // Starting a statement clears an earlier interrupt, so the stop is wired up only now; one that
    // has come in between takes effect at once.
    stopper_.emplace(stop_, [context = connection_->context] { context->Interrupt(); });
    result_ = pending->Execute();
    if (result_->HasError()) ThrowEngineError(result_->GetErrorObject());
  }

  // nullptr: the result has ended.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch() {
    duckdb::ArrowAppender appender(types_, kBatchRows, result_->client_properties, {});
    int64_t rows = 0;
    size_t bytes = 0;
    while (!ended_ && rows < kBatchRows && bytes < kBatchBytes) {
      duckdb::unique_ptr<duckdb::DataChunk> chunk;
      duckdb::ErrorData error = AwaitRows();
      if (error.HasError() && !stop_.stop_requested()) return EngineStatus(error);
      const bool fetched = result_->TryFetch(chunk, error);
      // An interrupted result just ends: what is missing must not look like the end.
      if (stop_.stop_requested()) return StoppedStatus();
      // A fetch that fails without throwing leaves its reason in the result alone.
      if (result_->HasError()) error = result_->GetErrorObject();
      if (error.HasError() && error.Type() == duckdb::ExceptionType::INTERRUPT) {
        // One thread's failure interrupts the others, and what they say may come first.
        return arrow::Status::ExecutionError(
            "a part of the query failed, and the engine kept only that it was interrupted; to see "
            "why, run it with the option threads=1");
      }
      if (!fetched || error.HasError()) return EngineStatus(error);
      if (!chunk || chunk->size() == 0) {
        ended_ = true;
        break;
      }
      const auto size = chunk->size();
      bytes += chunk->GetAllocationSize();
      if (types_ != result_->types) chunk = Given(*chunk);
      appender.Append(*chunk, 0, size, size);
      rows += static_cast<int64_t>(size);
    }
    if (rows == 0) return nullptr;
    ArrowArray array = appender.Finalize();
    return arrow::ImportRecordBatch(&array, schema_);
  }

  // The rows in `types_`.
  duckdb::unique_ptr<duckdb::DataChunk> Given(duckdb::DataChunk& rows) {
    auto given = duckdb::make_uniq<duckdb::DataChunk>();
    given->Initialize(duckdb::Allocator::DefaultAllocator(), types_);
    for (duckdb::idx_t i = 0; i < types_.size(); ++i) {
      if (types_[i] == rows.data[i].GetType()) {
        given->data[i].Reference(rows.data[i]);
      } else {
        duckdb::VectorOperations::Cast(*connection_->context, rows.data[i], given->data[i],
                                       rows.size());
      }
    }
    given->SetCardinality(rows.size());
    return given;
  }

  // Lets the engine work until rows are there. One thread's failure interrupts the others, and a
  // fetch would tell of the interrupt alone: its cause is asked for here, while the query is there
  // to be asked. No error: it is for the fetch to tell what is.
  duckdb::ErrorData AwaitRows() {
    if (result_->type != duckdb::QueryResultType::STREAM_RESULT) return {};
    auto& stream = static_cast<duckdb::StreamQueryResult&>(*result_);
    auto& context = *connection_->context;
    try {
      for (;;) {
        const auto state = stream.ExecuteTask();
        if (state == duckdb::StreamExecutionResult::BLOCKED) {
          stream.WaitForTask();
        } else if (duckdb::StreamQueryResult::IsChunkReady(state)) {
          if (state != duckdb::StreamExecutionResult::CHUNK_READY || !context.interrupted)
            return {};
          break;
        }
      }
    } catch (const duckdb::InterruptException&) {
    }
    // An error that the result has already has ended the query.
    if (result_->HasError()) return result_->GetErrorObject();
    auto& executor = context.GetExecutor();
    return executor.HasError() ? executor.GetError() : duckdb::ErrorData();
  }

  // In this order: no interrupt may reach a connection that is gone.
  void Finish() {
    stopper_.reset();
    result_.reset();
    connection_.reset();
    database_.reset();
  }

  std::shared_ptr<EmbeddedDatabase> database_;
  std::shared_ptr<duckdb::Connection> connection_;
  duckdb::unique_ptr<duckdb::QueryResult> result_;
  std::optional<std::stop_callback<std::function<void()>>> stopper_;
  std::stop_token stop_;
  duckdb::vector<LogicalType> types_;  ///< In which columns are given.
  std::shared_ptr<arrow::Schema> schema_;
  arrow::Status failure_;
  bool ended_ = false;
};

}  // namespace

std::shared_ptr<arrow::RecordBatchReader> OpenQueryStream(
    std::shared_ptr<EmbeddedDatabase> database, const std::string& sql, std::stop_token stop,
    std::shared_ptr<duckdb::Connection> connection, bool rows_wanted,
    const BeforeStatement& before) {
  try {
    return std::make_shared<QueryStream>(std::move(database), sql, std::move(stop),
                                         std::move(connection), rows_wanted, before);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    ThrowEngineError(duckdb::ErrorData(error));
  }
}

}  // namespace ariadne::engine
