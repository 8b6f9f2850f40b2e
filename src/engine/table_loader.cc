#include "engine/table_loader.h"

#include <arrow/array/array_base.h>
#include <arrow/array/concatenate.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <memory>
#include <utility>

#include "ariadne/errors.h"
#include "duckdb.h"
#include "duckdb/common/error_data.hpp"
#include "duckdb/function/table/arrow/arrow_duck_schema.hpp"
#include "duckdb/main/appender.hpp"
#include "duckdb/main/query_result.hpp"
#include "engine/embedded_database.h"
#include "engine/engine_error.h"

namespace ariadne::engine {

namespace {

void Check(const arrow::Status& status, const std::string& name) {
  if (!status.ok()) throw QueryError("Table '" + name + "': " + status.message());
}

void Check(duckdb_error_data error, const std::string& name) {
  if (error == nullptr) return;
  const std::string message = duckdb_error_data_message(error);
  duckdb_destroy_error_data(&error);
  throw QueryError("Table '" + name + "': " + message.substr(0, message.find('\n')));
}

struct Converted {
  ~Converted() { duckdb_destroy_arrow_converted_schema(&schema); }
  duckdb_arrow_converted_schema schema = nullptr;
};

struct Chunk {
  ~Chunk() { duckdb_destroy_data_chunk(&chunk); }
  duckdb_data_chunk chunk = nullptr;
};

struct ExportedBatch {
  ~ExportedBatch() {
    if (array.release != nullptr) array.release(&array);
  }
  ArrowArray array{};
};

class Loader {
 public:
  Loader(EmbeddedDatabase& database, std::string name)
      : connection_(Connect(database)), name_(std::move(name)) {}

  void Load(const arrow::Table& table) {
    ArrowSchema schema;
    Check(arrow::ExportSchema(*table.schema(), &schema), name_);
    const auto error = duckdb_schema_from_arrow(handle(), &schema, &converted_.schema);
    schema.release(&schema);
    Check(error, name_);

    Create(table);
    duckdb::Appender appender(*connection_, name_);
    arrow::TableBatchReader batches(table);
    batches.set_chunksize(STANDARD_VECTOR_SIZE);
    std::shared_ptr<arrow::RecordBatch> batch;
    while (true) {
      Check(batches.ReadNext(&batch), name_);
      if (!batch) break;
      Append(appender, *batch);
    }
    appender.Close();
  }

 private:
  duckdb_connection handle() { return reinterpret_cast<duckdb_connection>(connection_.get()); }

  void Create(const arrow::Table& table) {
    const auto& types = reinterpret_cast<duckdb::ArrowTableSchema*>(converted_.schema)->GetTypes();
    std::string sql = "CREATE OR REPLACE TABLE " + Session::Quote(name_) + " (";
    for (int i = 0; i < table.num_columns(); ++i) {
      if (i > 0) sql += ", ";
      sql += Session::Quote(table.field(i)->name()) + " " + types[i].ToString();
    }
    auto result = connection_->Query(sql + ")");
    if (result->HasError()) ThrowEngineError(result->GetErrorObject());
  }

  /// The engine's conversion takes the wrong values of structs within structs of a slice.
  std::shared_ptr<arrow::RecordBatch> Unsliced(const arrow::RecordBatch& batch) const {
    arrow::ArrayVector columns = batch.columns();
    for (auto& column : columns) {
      if (column->type()->num_fields() == 0 || column->offset() == 0) continue;
      auto copy = arrow::Concatenate({column});
      Check(copy.status(), name_);
      column = *std::move(copy);
    }
    return arrow::RecordBatch::Make(batch.schema(), batch.num_rows(), std::move(columns));
  }

  void Append(duckdb::Appender& appender, const arrow::RecordBatch& batch) {
    ExportedBatch exported;
    Check(arrow::ExportRecordBatch(*Unsliced(batch), &exported.array), name_);
    // The conversion gives the batch away with its first column, while it still reads the others:
    // it gets one whose release does nothing, and ours outlives the chunk.
    ArrowArray lent = exported.array;
    lent.release = [](ArrowArray* array) { array->release = nullptr; };
    Chunk chunk;
    Check(duckdb_data_chunk_from_arrow(handle(), &lent, converted_.schema, &chunk.chunk), name_);
    appender.AppendDataChunk(*reinterpret_cast<duckdb::DataChunk*>(chunk.chunk));
  }

  std::unique_ptr<duckdb::Connection> connection_;
  std::string name_;
  Converted converted_;
};

}  // namespace

void LoadTable(EmbeddedDatabase& database, const std::string& name, const arrow::Table& table) {
  try {
    Loader(database, name).Load(table);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    ThrowEngineError(duckdb::ErrorData(error));
  }
}

}  // namespace ariadne::engine
