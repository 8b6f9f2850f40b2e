#pragma once

#include <cstdint>
#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <parquet/schema.h>
#include <parquet/types.h>

namespace ariadne::source {

/// Arrow type of a top-level primitive column by its Parquet annotations alone (an Arrow schema
/// stored in the file is left aside, as Spark leaves it). INT96 is timestamp[us, UTC].
arrow::Result<std::shared_ptr<arrow::DataType>> LeafType(const parquet::schema::Node& column);

using LeafResult = arrow::Result<std::shared_ptr<arrow::Array>>;

/// `count` physical values, none of them NULL, as an array of `type`, which `LeafType` gave.
/// `width`: bytes of a fixed-length value. Invalid where a value lies outside of the type,
/// NotImplemented where the physical type never holds such a type.
LeafResult LeafArray(const bool* values, int64_t count, int width,
                     const std::shared_ptr<arrow::DataType>& type);
LeafResult LeafArray(const int32_t* values, int64_t count, int width,
                     const std::shared_ptr<arrow::DataType>& type);
LeafResult LeafArray(const int64_t* values, int64_t count, int width,
                     const std::shared_ptr<arrow::DataType>& type);
LeafResult LeafArray(const parquet::Int96* values, int64_t count, int width,
                     const std::shared_ptr<arrow::DataType>& type);
LeafResult LeafArray(const float* values, int64_t count, int width,
                     const std::shared_ptr<arrow::DataType>& type);
LeafResult LeafArray(const double* values, int64_t count, int width,
                     const std::shared_ptr<arrow::DataType>& type);
LeafResult LeafArray(const parquet::ByteArray* values, int64_t count, int width,
                     const std::shared_ptr<arrow::DataType>& type);
LeafResult LeafArray(const parquet::FixedLenByteArray* values, int64_t count, int width,
                     const std::shared_ptr<arrow::DataType>& type);

}  // namespace ariadne::source
