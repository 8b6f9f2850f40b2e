#include "engine/arrow_batch.h"

#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <string>
#include <utility>

#include "ariadne/errors.h"
#include "duckdb/common/arrow/arrow_appender.hpp"
#include "duckdb/common/arrow/arrow_converter.hpp"
#include "duckdb/function/table/arrow/arrow_type_info.hpp"
#include "duckdb/main/client_context.hpp"

namespace ariadne::engine {

namespace {

template <typename T>
T Check(arrow::Result<T> result) {
  if (!result.ok()) throw QueryError(result.status().message());
  return std::move(result).MoveValueUnsafe();
}

}  // namespace

std::shared_ptr<arrow::RecordBatch> ToRecordBatch(duckdb::DataChunk& chunk,
                                                  duckdb::ClientContext& context) {
  const auto rows = chunk.size();
  if (chunk.ColumnCount() == 0) {
    return arrow::RecordBatch::Make(arrow::schema({}), static_cast<int64_t>(rows),
                                    arrow::ArrayVector());
  }
  auto properties = context.GetClientProperties();
  const auto types = chunk.GetTypes();
  duckdb::vector<std::string> names;
  for (size_t i = 0; i < types.size(); ++i) names.push_back("a" + std::to_string(i));
  ArrowSchema schema;
  duckdb::ArrowConverter::ToArrowSchema(&schema, types, names, properties);
  const auto imported = Check(arrow::ImportSchema(&schema));
  duckdb::ArrowAppender appender(types, rows, properties, {});
  appender.Append(chunk, 0, rows, rows);
  ArrowArray array = appender.Finalize();
  return Check(arrow::ImportRecordBatch(&array, imported));
}

}  // namespace ariadne::engine
