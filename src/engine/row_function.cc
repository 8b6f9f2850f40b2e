#include "engine/row_function.h"

#include <arrow/array.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <utility>

#include "ariadne/errors.h"
#include "duckdb.h"
#include "duckdb/common/error_data.hpp"
#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/execution/expression_executor_state.hpp"
#include "duckdb/function/scalar_function.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "engine/arrow_batch.h"
#include "engine/embedded_database.h"
#include "engine/engine_error.h"
#include "scan/column_types.h"

namespace ariadne::engine {

namespace {

void Check(const arrow::Status& status) {
  if (!status.ok()) throw QueryError(status.message());
}

void Check(duckdb_error_data error) {
  if (error == nullptr) return;
  const std::string message = duckdb_error_data_message(error);
  duckdb_destroy_error_data(&error);
  throw QueryError(message.substr(0, message.find('\n')));
}

/// What one thread of one query needs to take results over. A connection of its own, since the
/// function must not keep its database open.
struct CallState : duckdb::FunctionLocalState {
  CallState(duckdb::DatabaseInstance& database, const std::shared_ptr<arrow::Field>& result)
      : connection(database), result_schema(arrow::schema({result})) {
    ArrowSchema exported;
    Check(arrow::ExportSchema(*result_schema, &exported));
    const auto error = duckdb_schema_from_arrow(handle(), &exported, &converted);
    exported.release(&exported);
    Check(error);
  }
  ~CallState() override { duckdb_destroy_arrow_converted_schema(&converted); }
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;

  duckdb_connection handle() { return reinterpret_cast<duckdb_connection>(&connection); }

  duckdb::Connection connection;
  std::shared_ptr<arrow::Schema> result_schema;
  duckdb_arrow_converted_schema converted = nullptr;
};

struct FunctionInfo : duckdb::ScalarFunctionInfo {
  FunctionInfo(std::shared_ptr<arrow::Field> given_result, RowFunction given)
      : result(std::move(given_result)), function(std::move(given)) {}
  std::shared_ptr<arrow::Field> result;
  RowFunction function;
};

const FunctionInfo& InfoOf(const duckdb::BoundFunctionExpression& expression) {
  return expression.function.GetExtraFunctionInfo().Cast<FunctionInfo>();
}

duckdb::unique_ptr<duckdb::FunctionLocalState> InitCall(
    duckdb::ExpressionState& state, const duckdb::BoundFunctionExpression& expression,
    duckdb::FunctionData*) {
  return duckdb::make_uniq<CallState>(*state.GetContext().db, InfoOf(expression).result);
}

void FromArrow(const std::shared_ptr<arrow::Array>& values, CallState& state,
               duckdb::Vector& result) {
  ArrowArray exported;
  Check(arrow::ExportRecordBatch(
      *arrow::RecordBatch::Make(state.result_schema, values->length(), {values}), &exported));
  // The conversion gets a batch whose release does nothing: ours outlives the copy.
  ArrowArray lent = exported;
  lent.release = [](ArrowArray* array) { array->release = nullptr; };
  duckdb_data_chunk chunk = nullptr;
  const auto error = duckdb_data_chunk_from_arrow(state.handle(), &lent, state.converted, &chunk);
  if (error == nullptr) {
    auto& converted = *reinterpret_cast<duckdb::DataChunk*>(chunk);
    duckdb::VectorOperations::Copy(converted.data[0], result, converted.size(), 0, 0);
    duckdb_destroy_data_chunk(&chunk);
  }
  exported.release(&exported);
  Check(error);
}

void Call(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& expression = state.expr.Cast<duckdb::BoundFunctionExpression>();
  const FunctionInfo& info = InfoOf(expression);
  const auto batch = ToRecordBatch(arguments, state.GetContext());
  const auto values = info.function(*batch);
  if (!values || values->length() != batch->num_rows() ||
      !values->type()->Equals(info.result->type())) {
    throw QueryError("function '" + expression.function.name +
                     "' gave other values than it promised");
  }
  auto& local = duckdb::ExecuteFunctionState::GetFunctionState(state)->Cast<CallState>();
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  FromArrow(values, local, result);
}

}  // namespace

void RegisterRowFunction(EmbeddedDatabase& database, const std::string& name,
                         const arrow::Schema& arguments,
                         const std::shared_ptr<arrow::Field>& result, RowFunction function) {
  try {
    duckdb::vector<duckdb::LogicalType> types;
    for (const auto& field : arguments.fields()) types.push_back(scan::ToEngineType(*field));
    duckdb::ScalarFunction scalar(name, types, scan::ToEngineType(*result), Call);
    scalar.SetInitStateCallback(InitCall);
    scalar.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    scalar.SetExtraFunctionInfo(duckdb::make_shared_ptr<FunctionInfo>(result, std::move(function)));
    duckdb::ExtensionLoader loader(*database.database.instance, "ariadne");
    loader.RegisterFunction(std::move(scalar));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    ThrowEngineError(duckdb::ErrorData(error));
  }
}

}  // namespace ariadne::engine
