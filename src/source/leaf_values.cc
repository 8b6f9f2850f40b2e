#include "source/leaf_values.h"

#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/decimal.h>
#include <parquet/arrow/schema.h>
#include <parquet/properties.h>

namespace ariadne::source {

namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

constexpr int kMaxDecimalBytes = 16;

arrow::Status Unexpected(const arrow::DataType& type) {
  return arrow::Status::NotImplemented("its physical type does not hold ", type.ToString());
}

LeafResult FromBuffers(const TypePtr& type, int64_t count,
                       std::vector<std::shared_ptr<arrow::Buffer>> buffers) {
  return arrow::MakeArray(arrow::ArrayData::Make(type, count, std::move(buffers), 0));
}

template <typename T>
LeafResult CopyFixed(const T* values, int64_t count, const TypePtr& type) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(count * sizeof(T)));
  if (count > 0) std::memcpy(buffer->mutable_data(), values, count * sizeof(T));
  return FromBuffers(type, count, {nullptr, std::move(buffer)});
}

template <typename Small>
LeafResult Narrow(const int32_t* values, int64_t count, const TypePtr& type) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(count * sizeof(Small)));
  auto* out = reinterpret_cast<Small*>(buffer->mutable_data());
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<Small>(values[i]);
    if (static_cast<int32_t>(out[i]) != values[i]) {
      return arrow::Status::Invalid("the value ", values[i], " does not fit into ",
                                    type->ToString());
    }
  }
  return FromBuffers(type, count, {nullptr, std::move(buffer)});
}

template <typename Value>  // Value: index -> Result<Decimal128>
LeafResult Decimals(int64_t count, const TypePtr& type, const Value& value) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(count * sizeof(arrow::Decimal128)));
  uint8_t* out = buffer->mutable_data();
  for (int64_t i = 0; i < count; ++i) {
    ARROW_ASSIGN_OR_RAISE(const arrow::Decimal128 decimal, value(i));
    decimal.ToBytes(out + i * sizeof(arrow::Decimal128));
  }
  return FromBuffers(type, count, {nullptr, std::move(buffer)});
}

// Big-endian two's complement; bytes past the sixteenth may only repeat the sign.
arrow::Result<arrow::Decimal128> DecimalOf(const uint8_t* bytes, int64_t length) {
  if (length == 0) return arrow::Decimal128();
  while (length > kMaxDecimalBytes) {
    const uint8_t sign = (bytes[1] & 0x80) != 0 ? 0xFF : 0x00;
    if (bytes[0] != sign) return arrow::Status::Invalid("a decimal value exceeds 38 digits");
    ++bytes;
    --length;
  }
  return arrow::Decimal128::FromBigEndian(bytes, static_cast<int32_t>(length));
}

bool IsDecimal(const TypePtr& type) { return type->id() == arrow::Type::DECIMAL128; }

// `get` gives the bytes of a value.
template <typename Get>
LeafResult VariableLength(int64_t count, const TypePtr& type, const Get& get) {
  int64_t total = 0;
  for (int64_t i = 0; i < count; ++i) total += get(i).len;
  if (total > std::numeric_limits<int32_t>::max()) {
    return arrow::Status::CapacityError("a page's values exceed 2 GiB");
  }
  ARROW_ASSIGN_OR_RAISE(auto offsets, arrow::AllocateBuffer((count + 1) * sizeof(int32_t)));
  ARROW_ASSIGN_OR_RAISE(auto data, arrow::AllocateBuffer(total));
  auto* offset = reinterpret_cast<int32_t*>(offsets->mutable_data());
  uint8_t* out = data->mutable_data();
  int32_t end = 0;
  offset[0] = 0;
  for (int64_t i = 0; i < count; ++i) {
    const parquet::ByteArray value = get(i);
    if (value.len > 0) std::memcpy(out + end, value.ptr, value.len);
    end += static_cast<int32_t>(value.len);
    offset[i + 1] = end;
  }
  return FromBuffers(type, count, {nullptr, std::move(offsets), std::move(data)});
}

}  // namespace

arrow::Result<TypePtr> LeafType(const parquet::schema::Node& column) {
  // The column alone in a schema of its own: another that Arrow cannot read does no harm, and
  // nodes cannot have two parents.
  const auto& primitive = static_cast<const parquet::schema::PrimitiveNode&>(column);
  const auto copy = parquet::schema::PrimitiveNode::Make(
      primitive.name(), primitive.repetition(), primitive.logical_type(), primitive.physical_type(),
      primitive.type_length(), primitive.field_id());
  parquet::SchemaDescriptor schema;
  schema.Init(parquet::schema::GroupNode::Make("schema", parquet::Repetition::REQUIRED, {copy}));
  parquet::ArrowReaderProperties properties;
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  std::shared_ptr<arrow::Schema> result;
  ARROW_RETURN_NOT_OK(parquet::arrow::FromParquetSchema(&schema, properties, nullptr, &result));
  const auto& logical = *primitive.logical_type();
  if (primitive.physical_type() == parquet::Type::INT96) {
    return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  }
  // Spark reads both as text.
  if (logical.is_enum() || logical.is_JSON()) return arrow::utf8();
  return result->field(0)->type();
}

LeafResult LeafArray(const bool* values, int64_t count, int, const TypePtr& type) {
  if (type->id() != arrow::Type::BOOL) return Unexpected(*type);
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(arrow::bit_util::BytesForBits(count)));
  std::memset(buffer->mutable_data(), 0, buffer->size());
  for (int64_t i = 0; i < count; ++i) {
    arrow::bit_util::SetBitTo(buffer->mutable_data(), i, values[i]);
  }
  return FromBuffers(type, count, {nullptr, std::move(buffer)});
}

LeafResult LeafArray(const int32_t* values, int64_t count, int, const TypePtr& type) {
  switch (type->id()) {
    case arrow::Type::INT8:
      return Narrow<int8_t>(values, count, type);
    case arrow::Type::UINT8:
      return Narrow<uint8_t>(values, count, type);
    case arrow::Type::INT16:
      return Narrow<int16_t>(values, count, type);
    case arrow::Type::UINT16:
      return Narrow<uint16_t>(values, count, type);
    case arrow::Type::INT32:
    case arrow::Type::UINT32:
    case arrow::Type::DATE32:
      return CopyFixed(values, count, type);
    case arrow::Type::DECIMAL128:
      return Decimals(count, type, [values](int64_t i) -> arrow::Result<arrow::Decimal128> {
        return arrow::Decimal128(values[i]);
      });
    default:
      return Unexpected(*type);
  }
}

LeafResult LeafArray(const int64_t* values, int64_t count, int, const TypePtr& type) {
  switch (type->id()) {
    case arrow::Type::INT64:
    case arrow::Type::UINT64:
    case arrow::Type::TIMESTAMP:
      return CopyFixed(values, count, type);
    case arrow::Type::DECIMAL128:
      return Decimals(count, type, [values](int64_t i) -> arrow::Result<arrow::Decimal128> {
        return arrow::Decimal128(values[i]);
      });
    default:
      return Unexpected(*type);
  }
}

LeafResult LeafArray(const parquet::Int96* values, int64_t count, int, const TypePtr& type) {
  if (type->id() != arrow::Type::TIMESTAMP) return Unexpected(*type);
  constexpr int64_t kEpochJulianDay = 2440588;
  constexpr int64_t kMicrosADay = 86'400'000'000;
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(count * sizeof(int64_t)));
  auto* out = reinterpret_cast<int64_t*>(buffer->mutable_data());
  for (int64_t i = 0; i < count; ++i) {
    int64_t nanoseconds = 0;
    std::memcpy(&nanoseconds, values[i].value.data(), sizeof(nanoseconds));
    const auto day = static_cast<int64_t>(static_cast<int32_t>(values[i].value[2]));
    int64_t micros = 0;
    if (__builtin_mul_overflow(day - kEpochJulianDay, kMicrosADay, &micros) ||
        __builtin_add_overflow(micros, nanoseconds / 1000, &out[i])) {
      return arrow::Status::Invalid("a timestamp (INT96) lies outside of 64-bit microseconds");
    }
  }
  return FromBuffers(type, count, {nullptr, std::move(buffer)});
}

LeafResult LeafArray(const float* values, int64_t count, int, const TypePtr& type) {
  return type->id() == arrow::Type::FLOAT ? CopyFixed(values, count, type)
                                          : LeafResult(Unexpected(*type));
}

LeafResult LeafArray(const double* values, int64_t count, int, const TypePtr& type) {
  return type->id() == arrow::Type::DOUBLE ? CopyFixed(values, count, type)
                                           : LeafResult(Unexpected(*type));
}

LeafResult LeafArray(const parquet::ByteArray* values, int64_t count, int, const TypePtr& type) {
  if (IsDecimal(type)) {
    return Decimals(count, type,
                    [values](int64_t i) { return DecimalOf(values[i].ptr, values[i].len); });
  }
  if (type->id() != arrow::Type::STRING && type->id() != arrow::Type::BINARY) {
    return Unexpected(*type);
  }
  return VariableLength(count, type, [values](int64_t i) { return values[i]; });
}

LeafResult LeafArray(const parquet::FixedLenByteArray* values, int64_t count, int width,
                     const TypePtr& type) {
  if (IsDecimal(type)) {
    return Decimals(count, type,
                    [values, width](int64_t i) { return DecimalOf(values[i].ptr, width); });
  }
  if (type->id() != arrow::Type::FIXED_SIZE_BINARY) return Unexpected(*type);
  return VariableLength(count, arrow::binary(), [values, width](int64_t i) {
    return parquet::ByteArray(static_cast<uint32_t>(width), values[i].ptr);
  });
}

}  // namespace ariadne::source
