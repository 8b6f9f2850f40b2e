#pragma once

#include <memory>

#include <arrow/type_fwd.h>

namespace duckdb {
class ClientContext;
class DataChunk;
}  // namespace duckdb

namespace ariadne::engine {

/// A copy of the chunk's rows; columns are named a0, a1, ... Throws QueryError.
std::shared_ptr<arrow::RecordBatch> ToRecordBatch(duckdb::DataChunk& chunk,
                                                  duckdb::ClientContext& context);

}  // namespace ariadne::engine
