#pragma once

#include <memory>
#include <string>

#include <arrow/type_fwd.h>

namespace ariadne::source {

/// Spark StructType JSON from an Arrow schema, and back. Types: string, boolean, byte, short,
/// integer, long, float, double, decimal(p,s), date, timestamp (Arrow timestamp[us, UTC]),
/// timestamp_ntz (timestamp[us]), binary, array, struct, map. Field metadata survives in the Arrow
/// field's metadata. Unsigned and other Arrow types map to what Spark reads them as from Parquet.
/// Throws UnsupportedColumn naming the column, SchemaMismatch for JSON that is no schema.
std::string ToSparkJson(const arrow::Schema& schema);
std::string FieldToSparkJson(const arrow::Field& field);
std::shared_ptr<arrow::Schema> FromSparkJson(const std::string& json);
/// Spark's name of a type as a person writes it: "bigint", "array<string>".
std::string SparkTypeName(const arrow::DataType& type);

/// True if Spark reads a Parquet column of type `file` as `declared` by widening only: same type,
/// int to bigint, float to double, smaller to larger decimal, int to decimal or double, nested
/// likewise.
bool CanReadAs(const arrow::DataType& file, const arrow::DataType& declared);

}  // namespace ariadne::source
