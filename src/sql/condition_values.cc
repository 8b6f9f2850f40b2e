#include "sql/condition_values.h"

#include <algorithm>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "duckdb/common/types/data_chunk.hpp"
#include "engine/arrow_batch.h"

namespace ariadne::sql {

std::shared_ptr<arrow::Array> ToArray(duckdb::ClientContext& context,
                                      const duckdb::vector<duckdb::Value>& values,
                                      const duckdb::LogicalType& engine_type,
                                      const std::shared_ptr<arrow::DataType>& type) {
  duckdb::DataChunk chunk;
  chunk.Initialize(duckdb::Allocator::DefaultAllocator(), {engine_type},
                   std::max<duckdb::idx_t>(values.size(), 1));
  for (duckdb::idx_t i = 0; i < values.size(); ++i) {
    if (values[i].type() != engine_type) return nullptr;
    chunk.SetValue(0, i, values[i]);
  }
  chunk.SetCardinality(values.size());
  const auto array = engine::ToRecordBatch(chunk, context)->column(0);
  // The engine names the session's time zone, which changes no instant.
  const bool timestamps =
      array->type_id() == arrow::Type::TIMESTAMP && type->id() == arrow::Type::TIMESTAMP;
  if (timestamps && array->type()->ToString() != type->ToString()) {
    const auto& from = static_cast<const arrow::TimestampType&>(*array->type());
    const auto& to = static_cast<const arrow::TimestampType&>(*type);
    const bool same = from.unit() == to.unit() && from.timezone().empty() == to.timezone().empty();
    return same ? array->View(type).ValueOr(nullptr) : nullptr;
  }
  return array->type()->Equals(*type) ? array : nullptr;
}

}  // namespace ariadne::sql
