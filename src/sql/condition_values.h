#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <memory>

#include <arrow/type_fwd.h>

#include "duckdb/common/types/value.hpp"

namespace duckdb {
class ClientContext;
}

namespace ariadne::sql {

/// The values, all of type `engine_type`, as an array of `type`; nullptr where the engine's values
/// are not of that type.
std::shared_ptr<arrow::Array> ToArray(duckdb::ClientContext& context,
                                      const duckdb::vector<duckdb::Value>& values,
                                      const duckdb::LogicalType& engine_type,
                                      const std::shared_ptr<arrow::DataType>& type);

}  // namespace ariadne::sql
