#include "engine/spark_sql_function.h"

#include <arrow/array/array_nested.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "ariadne/errors.h"
#include "duckdb/common/arrow/arrow_appender.hpp"
#include "duckdb/common/arrow/arrow_converter.hpp"
#include "duckdb/common/exception/binder_exception.hpp"
#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/execution/expression_executor_state.hpp"
#include "duckdb/function/scalar_function.hpp"
#include "duckdb/function/table/arrow/arrow_type_info.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "engine/spark_expression.h"
#include "engine/spark_kernel.h"
#include "scan/column_types.h"

namespace ariadne::engine {

namespace {

using duckdb::idx_t;
using duckdb::LogicalType;

void CopyToVector(const arrow::Array& array, duckdb::Vector& out);

template <typename T>
void CopyFixed(const arrow::Array& array, duckdb::Vector& out) {
  std::memcpy(duckdb::FlatVector::GetData(out), array.data()->GetValues<T>(1),
              array.length() * sizeof(T));
}

template <typename Stored>
void CopyDecimals(const arrow::Array& array, duckdb::Vector& out) {
  const Values<arrow::Decimal128> values(array);
  auto* stored = duckdb::FlatVector::GetData<Stored>(out);
  for (int64_t row = 0; row < array.length(); ++row) {
    const arrow::Decimal128 value = values[row];
    if constexpr (std::is_same_v<Stored, duckdb::hugeint_t>) {
      stored[row] = duckdb::hugeint_t(value.high_bits(), value.low_bits());
    } else {
      stored[row] = static_cast<Stored>(value.low_bits());
    }
  }
}

void CopyDecimals(const arrow::Array& array, duckdb::Vector& out) {
  switch (out.GetType().InternalType()) {
    case duckdb::PhysicalType::INT16:
      return CopyDecimals<int16_t>(array, out);
    case duckdb::PhysicalType::INT32:
      return CopyDecimals<int32_t>(array, out);
    case duckdb::PhysicalType::INT64:
      return CopyDecimals<int64_t>(array, out);
    default:
      return CopyDecimals<duckdb::hugeint_t>(array, out);
  }
}

void CopyStrings(const arrow::Array& array, duckdb::Vector& out) {
  const Values<std::string_view> values(array);
  auto* stored = duckdb::FlatVector::GetData<duckdb::string_t>(out);
  for (int64_t row = 0; row < array.length(); ++row) {
    if (values.IsNull(row)) continue;
    stored[row] =
        duckdb::StringVector::AddStringOrBlob(out, values[row].data(), values[row].size());
  }
}

void CopyLists(const arrow::Array& array, duckdb::Vector& out) {
  const auto& lists = static_cast<const arrow::ListArray&>(array);
  const int64_t start = lists.value_offset(0);
  const auto elements = lists.values()->Slice(start, lists.value_offset(array.length()) - start);
  auto* entries = duckdb::ListVector::GetData(out);
  for (int64_t row = 0; row < array.length(); ++row) {
    entries[row].offset = static_cast<idx_t>(lists.value_offset(row) - start);
    entries[row].length = static_cast<idx_t>(lists.value_length(row));
  }
  duckdb::ListVector::Reserve(out, static_cast<idx_t>(elements->length()));
  duckdb::ListVector::SetListSize(out, static_cast<idx_t>(elements->length()));
  CopyToVector(*elements, duckdb::ListVector::GetEntry(out));
}

void CopyStructs(const arrow::Array& array, duckdb::Vector& out) {
  auto& members = duckdb::StructVector::GetEntries(out);
  const auto& structs = static_cast<const arrow::StructArray&>(array);
  for (size_t i = 0; i < members.size(); ++i) {
    CopyToVector(*Checked(structs.GetFlattenedField(static_cast<int>(i))), *members[i]);
  }
}

// Into a flat vector with room for the array's rows.
void CopyToVector(const arrow::Array& array, duckdb::Vector& out) {
  auto& validity = duckdb::FlatVector::Validity(out);
  for (int64_t row = 0; row < array.length(); ++row) {
    if (array.IsNull(row)) validity.SetInvalid(static_cast<idx_t>(row));
  }
  switch (array.type_id()) {
    case arrow::Type::NA:
      return;
    case arrow::Type::BOOL: {
      const Values<bool> values(array);
      auto* stored = duckdb::FlatVector::GetData<bool>(out);
      for (int64_t row = 0; row < array.length(); ++row) stored[row] = values[row];
      return;
    }
    case arrow::Type::INT8:
      return CopyFixed<int8_t>(array, out);
    case arrow::Type::INT16:
      return CopyFixed<int16_t>(array, out);
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
      return CopyFixed<int32_t>(array, out);
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
      return CopyFixed<int64_t>(array, out);
    case arrow::Type::FLOAT:
      return CopyFixed<float>(array, out);
    case arrow::Type::DOUBLE:
      return CopyFixed<double>(array, out);
    case arrow::Type::DECIMAL128:
      return CopyDecimals(array, out);
    case arrow::Type::LIST:
      return CopyLists(array, out);
    case arrow::Type::STRUCT:
      return CopyStructs(array, out);
    default:
      return CopyStrings(array, out);
  }
}

struct SparkBinding : public duckdb::FunctionData {
  std::shared_ptr<const SparkExpression> expression;
  std::shared_ptr<arrow::Schema> schema;

  duckdb::unique_ptr<FunctionData> Copy() const override {
    return duckdb::make_uniq<SparkBinding>(*this);
  }
  bool Equals(const FunctionData& other) const override {
    const auto& same = other.Cast<SparkBinding>();
    return expression->text() == same.expression->text() && schema->Equals(*same.schema);
  }
};

std::shared_ptr<arrow::Schema> SchemaOf(duckdb::ClientContext& context, const LogicalType& row) {
  duckdb::vector<LogicalType> types;
  duckdb::vector<duckdb::string> names;
  for (const auto& [name, type] : duckdb::StructType::GetChildTypes(row)) {
    names.push_back(name);
    types.push_back(type);
  }
  ArrowSchema schema;
  auto properties = context.GetClientProperties();
  duckdb::ArrowConverter::ToArrowSchema(&schema, types, names, properties);
  return Checked(arrow::ImportSchema(&schema));
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  if (arguments[0]->HasParameter() || arguments[1]->HasParameter()) {
    throw duckdb::ParameterNotResolvedException();
  }
  if (!arguments[0]->IsFoldable() ||
      arguments[1]->return_type.id() != duckdb::LogicalTypeId::STRUCT) {
    throw duckdb::BinderException("%s takes the text of an expression and a struct of columns",
                                  kSparkFunction);
  }
  const auto text = duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[0]);
  auto binding = duckdb::make_uniq<SparkBinding>();
  try {
    binding->schema = SchemaOf(context, arguments[1]->return_type);
    binding->expression = SparkExpression::Compile(text.ToString(), *binding->schema);
    const arrow::Field result(text.ToString(), binding->expression->type());
    function.SetReturnType(scan::ToEngineType(result));
  } catch (const Error& error) {
    throw duckdb::BinderException(error.what());
  }
  function.arguments[1] = arguments[1]->return_type;
  return binding;
}

void Execute(duckdb::DataChunk& arguments, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const auto& function = state.expr.Cast<duckdb::BoundFunctionExpression>();
  const auto& binding = function.bind_info->Cast<SparkBinding>();
  auto& context = state.GetContext();
  const idx_t rows = arguments.size();
  duckdb::Vector& row = arguments.data[1];
  row.Flatten(rows);

  duckdb::DataChunk columns;
  duckdb::vector<LogicalType> types;
  for (const auto& [name, type] : duckdb::StructType::GetChildTypes(row.GetType())) {
    types.push_back(type);
  }
  columns.InitializeEmpty(types);
  auto& members = duckdb::StructVector::GetEntries(row);
  for (idx_t i = 0; i < members.size(); ++i) columns.data[i].Reference(*members[i]);
  columns.SetCardinality(rows);
  duckdb::ArrowAppender appender(types, rows, context.GetClientProperties(), {});
  appender.Append(columns, 0, rows, rows);
  ArrowArray exported = appender.Finalize();
  try {
    const auto batch = Checked(arrow::ImportRecordBatch(&exported, binding.schema));
    CopyToVector(*binding.expression->Evaluate(*batch), result);
  } catch (const Error& error) {
    throw duckdb::InvalidInputException(error.what());
  }
}

}  // namespace

void RegisterSparkExpression(duckdb::DatabaseInstance& database) {
  duckdb::ScalarFunction function(kSparkFunction, {LogicalType::VARCHAR, LogicalType::ANY},
                                  LogicalType::ANY, Execute, Bind);
  // NULL has to reach expressions such as `x is null`.
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  duckdb::ExtensionLoader loader(database, "ariadne");
  loader.RegisterFunction(function);
}

}  // namespace ariadne::engine
