#pragma once

#include <arrow/type_fwd.h>

namespace duckdb {
struct LogicalType;
}

namespace ariadne::scan {

/// The engine's type of a declared column. timestamp[us, zone] is TIMESTAMP WITH TIME ZONE,
/// timestamp[us] is TIMESTAMP, binary is BLOB. Throws UnsupportedColumn for an Arrow type that no
/// Spark schema has.
duckdb::LogicalType ToEngineType(const arrow::Field& field);
/// Whether ToEngineType takes the column.
bool HasEngineType(const arrow::Field& field);

/// True if a file's column of type `file` gives the values of `declared` by widening only: what
/// source::CanReadAs is for Arrow types.
bool CanWiden(const duckdb::LogicalType& file, const duckdb::LogicalType& declared);

}  // namespace ariadne::scan
