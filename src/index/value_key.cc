#include "index/value_key.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/initialize.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/decimal.h>

#include "ariadne/errors.h"
#include "source/spark_schema.h"

namespace ariadne::index {
namespace {

constexpr uint64_t kSign = 1ULL << 63;

template <typename T>
const T* Raw(const arrow::Array& values) {
  return values.data()->GetValues<T>(1);
}

template <typename T>
void IntegerKeys(const arrow::Array& values, int64_t begin, int64_t count, uint64_t* keys) {
  const T* raw = Raw<T>(values) + begin;
  for (int64_t i = 0; i < count; ++i) keys[i] = KeyOfInteger(static_cast<int64_t>(raw[i]));
}

template <typename T>
void FloatingKeys(const arrow::Array& values, int64_t begin, int64_t count, uint64_t* keys) {
  const T* raw = Raw<T>(values) + begin;
  for (int64_t i = 0; i < count; ++i) keys[i] = KeyOfDouble(static_cast<double>(raw[i]));
}

template <typename T, typename FromKey>
std::shared_ptr<arrow::Array> FixedWidth(const std::shared_ptr<arrow::DataType>& type,
                                         std::span<const uint64_t> keys, FromKey from_key) {
  std::shared_ptr<arrow::Buffer> buffer =
      arrow::AllocateBuffer(static_cast<int64_t>(keys.size() * sizeof(T))).ValueOrDie();
  T* out = reinterpret_cast<T*>(buffer->mutable_data());
  for (size_t i = 0; i < keys.size(); ++i) out[i] = static_cast<T>(from_key(keys[i]));
  return arrow::MakeArray(arrow::ArrayData::Make(type, static_cast<int64_t>(keys.size()),
                                                 {nullptr, std::move(buffer)}, 0));
}

void AppendBigEndian(uint64_t word, std::string* bytes) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes->push_back(static_cast<char>(word >> shift));
}

}  // namespace

KeyShape ShapeOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DATE32:
    case arrow::Type::TIMESTAMP:
      return KeyShape::kWord;
    case arrow::Type::DECIMAL128:
      return KeyShape::kDoubleWord;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return KeyShape::kBytes;
    case arrow::Type::LIST:
    case arrow::Type::STRUCT:
      for (const auto& field : type.fields()) ShapeOf(*field->type());
      return KeyShape::kNested;
    default:
      throw UnsupportedColumn("values of type " + source::SparkTypeName(type) +
                              " cannot be indexed: " +
                              (type.id() == arrow::Type::MAP
                                   ? "maps have no equality in SQL; index a column made from them"
                                   : "Spark has no such type; cast the column"));
  }
}

void WordKeys(const arrow::Array& values, int64_t begin, int64_t count, uint64_t* keys) {
  switch (values.type_id()) {
    case arrow::Type::BOOL: {
      const auto& bits = static_cast<const arrow::BooleanArray&>(values);
      for (int64_t i = 0; i < count; ++i) keys[i] = KeyOfInteger(bits.Value(begin + i) ? 1 : 0);
      return;
    }
    case arrow::Type::INT8:
      return IntegerKeys<int8_t>(values, begin, count, keys);
    case arrow::Type::INT16:
      return IntegerKeys<int16_t>(values, begin, count, keys);
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
      return IntegerKeys<int32_t>(values, begin, count, keys);
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
      return IntegerKeys<int64_t>(values, begin, count, keys);
    case arrow::Type::FLOAT:
      return FloatingKeys<float>(values, begin, count, keys);
    case arrow::Type::DOUBLE:
      return FloatingKeys<double>(values, begin, count, keys);
    default:
      throw UnsupportedColumn("no word keys for type " + values.type()->ToString());
  }
}

uint64_t KeyOfDouble(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  if (value == 0) value = 0;  // drops the sign of -0.0
  const auto bits = std::bit_cast<uint64_t>(value);
  // IEEE bits of positive numbers sort as the numbers do, those of negative ones in reverse.
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

double DoubleOfKey(uint64_t key) {
  return std::bit_cast<double>((key & kSign) != 0 ? key ^ kSign : ~key);
}

Key128 DecimalKey(const arrow::Array& values, int64_t i) {
  const auto& decimals = static_cast<const arrow::Decimal128Array&>(values);
  const arrow::Decimal128 value(decimals.GetValue(i));
  return {static_cast<uint64_t>(value.high_bits()) ^ kSign, value.low_bits()};
}

std::string_view BytesAt(const arrow::Array& values, int64_t i) {
  return static_cast<const arrow::BinaryArray&>(values).GetView(i);
}

void AppendCanonicalBytes(const arrow::Array& values, int64_t i, std::string* bytes) {
  switch (ShapeOf(*values.type())) {
    case KeyShape::kWord: {
      uint64_t key = 0;
      WordKeys(values, i, 1, &key);
      return AppendBigEndian(key, bytes);
    }
    case KeyShape::kDoubleWord: {
      const Key128 key = DecimalKey(values, i);
      AppendBigEndian(key.high, bytes);
      return AppendBigEndian(key.low, bytes);
    }
    case KeyShape::kBytes: {
      const std::string_view value = BytesAt(values, i);
      AppendBigEndian(value.size(), bytes);
      bytes->append(value);
      return;
    }
    case KeyShape::kNested:
      break;
  }
  const auto append_nullable = [bytes](const arrow::Array& child, int64_t at) {
    bytes->push_back(child.IsNull(at) ? '\0' : '\1');
    if (!child.IsNull(at)) AppendCanonicalBytes(child, at, bytes);
  };
  if (values.type_id() == arrow::Type::LIST) {
    const auto& list = static_cast<const arrow::ListArray&>(values);
    AppendBigEndian(static_cast<uint64_t>(list.value_length(i)), bytes);
    for (int64_t at = list.value_offset(i); at < list.value_offset(i + 1); ++at) {
      append_nullable(*list.values(), at);
    }
    return;
  }
  const auto& fields = static_cast<const arrow::StructArray&>(values);
  for (int f = 0; f < fields.num_fields(); ++f) append_nullable(*fields.field(f), i);
}

std::shared_ptr<arrow::Array> FromWordKeys(const std::shared_ptr<arrow::DataType>& type,
                                           std::span<const uint64_t> keys) {
  switch (type->id()) {
    case arrow::Type::BOOL: {
      const auto count = static_cast<int64_t>(keys.size());
      std::shared_ptr<arrow::Buffer> bits = arrow::AllocateEmptyBitmap(count).ValueOrDie();
      for (int64_t i = 0; i < count; ++i) {
        if (IntegerOfKey(keys[i]) != 0) arrow::bit_util::SetBit(bits->mutable_data(), i);
      }
      return arrow::MakeArray(arrow::ArrayData::Make(type, count, {nullptr, std::move(bits)}, 0));
    }
    case arrow::Type::INT8:
      return FixedWidth<int8_t>(type, keys, IntegerOfKey);
    case arrow::Type::INT16:
      return FixedWidth<int16_t>(type, keys, IntegerOfKey);
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
      return FixedWidth<int32_t>(type, keys, IntegerOfKey);
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
      return FixedWidth<int64_t>(type, keys, IntegerOfKey);
    case arrow::Type::FLOAT:
      return FixedWidth<float>(type, keys, DoubleOfKey);
    case arrow::Type::DOUBLE:
      return FixedWidth<double>(type, keys, DoubleOfKey);
    default:
      throw UnsupportedColumn("no word keys for type " + type->ToString());
  }
}

std::shared_ptr<arrow::Array> FromDecimalKeys(const std::shared_ptr<arrow::DataType>& type,
                                              std::span<const Key128> keys) {
  std::shared_ptr<arrow::Buffer> buffer =
      arrow::AllocateBuffer(static_cast<int64_t>(keys.size() * 16)).ValueOrDie();
  uint8_t* out = buffer->mutable_data();
  for (size_t i = 0; i < keys.size(); ++i) {
    arrow::Decimal128(static_cast<int64_t>(keys[i].high ^ kSign), keys[i].low)
        .ToBytes(out + 16 * i);
  }
  return arrow::MakeArray(arrow::ArrayData::Make(type, static_cast<int64_t>(keys.size()),
                                                 {nullptr, std::move(buffer)}, 0));
}

std::shared_ptr<arrow::Array> AsType(const arrow::Array& values,
                                     const std::shared_ptr<arrow::DataType>& type) {
  if (values.type()->Equals(*type)) return arrow::MakeArray(values.data());
  static std::once_flag once;
  std::call_once(once, [] { (void)arrow::compute::Initialize(); });
  auto cast = arrow::compute::Cast(values, type);
  return cast.ok() ? *std::move(cast) : nullptr;
}

std::shared_ptr<arrow::Array> AsDeclared(const arrow::Array& values,
                                         const std::shared_ptr<arrow::DataType>& type,
                                         const std::string& column) {
  auto cast = AsType(values, type);
  if (cast != nullptr) return cast;
  throw SchemaMismatch("column '" + column + "' is declared as " + source::SparkTypeName(*type) +
                       ", values of type " + values.type()->ToString() + " cannot be read as that");
}

}  // namespace ariadne::index
