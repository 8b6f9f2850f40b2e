#define XXH_INLINE_ALL
#include <openssl/evp.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/array/array_nested.h>
#include <arrow/type.h>

#include "engine/spark_coercion.h"
#include "engine/spark_functions.h"
#include "engine/spark_kernel.h"

namespace ariadne::engine {

namespace {

using arrow::Type;

// Spark's murmur3: the 32-bit one of x86, except that bytes past the last whole word are mixed in
// one by one, each as a signed word.
struct Murmur3 {
  using Value = int32_t;

  static uint32_t Rotate(uint32_t x, int by) { return (x << by) | (x >> (32 - by)); }
  static uint32_t Mix(uint32_t hash, uint32_t word) {
    hash ^= Rotate(word * 0xCC9E2D51U, 15) * 0x1B873593U;
    return Rotate(hash, 13) * 5 + 0xE6546B64U;
  }
  static int32_t Finish(uint32_t hash, uint32_t length) {
    hash ^= length;
    hash = (hash ^ (hash >> 16)) * 0x85EBCA6BU;
    hash = (hash ^ (hash >> 13)) * 0xC2B2AE35U;
    return static_cast<int32_t>(hash ^ (hash >> 16));
  }
  static Value Int(int32_t value, Value seed) {
    return Finish(Mix(static_cast<uint32_t>(seed), static_cast<uint32_t>(value)), 4);
  }
  static Value Long(int64_t value, Value seed) {
    const auto bits = static_cast<uint64_t>(value);
    uint32_t hash = Mix(static_cast<uint32_t>(seed), static_cast<uint32_t>(bits));
    hash = Mix(hash, static_cast<uint32_t>(bits >> 32));
    return Finish(hash, 8);
  }
  static Value Bytes(std::string_view bytes, Value seed) {
    auto hash = static_cast<uint32_t>(seed);
    size_t at = 0;
    for (; at + 4 <= bytes.size(); at += 4) {
      uint32_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof(word));
      hash = Mix(hash, word);
    }
    for (; at < bytes.size(); ++at) {
      hash = Mix(hash, static_cast<uint32_t>(int32_t{static_cast<int8_t>(bytes[at])}));
    }
    return Finish(hash, static_cast<uint32_t>(bytes.size()));
  }
};

struct XxHash64 {
  using Value = int64_t;

  template <typename T>
  static Value Of(T value, Value seed) {
    return static_cast<Value>(XXH64(&value, sizeof(value), static_cast<uint64_t>(seed)));
  }
  static Value Int(int32_t value, Value seed) { return Of(value, seed); }
  static Value Long(int64_t value, Value seed) { return Of(value, seed); }
  static Value Bytes(std::string_view bytes, Value seed) {
    return static_cast<Value>(XXH64(bytes.data(), bytes.size(), static_cast<uint64_t>(seed)));
  }
};

// java.math.BigInteger.toByteArray: two's complement, first byte first, as short as can be.
std::string BigIntegerBytes(const arrow::Decimal128& value) {
  std::array<uint8_t, 16> bytes;
  value.ToBytes(bytes.data());
  std::reverse(bytes.begin(), bytes.end());
  size_t skip = 0;
  while (skip < 15 && ((bytes[skip] == 0 && bytes[skip + 1] < 0x80) ||
                       (bytes[skip] == 0xFF && bytes[skip + 1] >= 0x80))) {
    ++skip;
  }
  return {reinterpret_cast<const char*>(bytes.data()) + skip, 16 - skip};
}

template <typename Hash>
typename Hash::Value HashRow(const arrow::Array& array, int64_t row, typename Hash::Value seed) {
  if (array.IsNull(row)) return seed;
  switch (array.type_id()) {
    case Type::BOOL:
      return Hash::Int(Values<bool>(array)[row] ? 1 : 0, seed);
    case Type::INT8:
      return Hash::Int(Values<int8_t>(array)[row], seed);
    case Type::INT16:
      return Hash::Int(Values<int16_t>(array)[row], seed);
    case Type::INT32:
    case Type::DATE32:
      return Hash::Int(Values<int32_t>(array)[row], seed);
    case Type::INT64:
    case Type::TIMESTAMP:
      return Hash::Long(Values<int64_t>(array)[row], seed);
    case Type::FLOAT: {
      const float value = Values<float>(array)[row];
      int32_t bits = 0x7FC00000;
      if (!std::isnan(value)) std::memcpy(&bits, &value, sizeof(bits));
      return Hash::Int(value == 0 ? 0 : bits, seed);
    }
    case Type::DOUBLE: {
      const double value = Values<double>(array)[row];
      int64_t bits = 0x7FF8000000000000;
      if (!std::isnan(value)) std::memcpy(&bits, &value, sizeof(bits));
      return Hash::Long(value == 0 ? 0 : bits, seed);
    }
    case Type::DECIMAL128: {
      const auto value = Values<arrow::Decimal128>(array)[row];
      if (PrecisionOf(array.type()) <= 18) {
        return Hash::Long(static_cast<int64_t>(value.low_bits()), seed);
      }
      return Hash::Bytes(BigIntegerBytes(value), seed);
    }
    case Type::STRING:
    case Type::BINARY:
      return Hash::Bytes(Values<std::string_view>(array)[row], seed);
    case Type::LIST: {
      const auto& lists = static_cast<const arrow::ListArray&>(array);
      for (int64_t at = lists.value_offset(row); at < lists.value_offset(row + 1); ++at) {
        seed = HashRow<Hash>(*lists.values(), at, seed);
      }
      return seed;
    }
    case Type::STRUCT: {
      const auto& structs = static_cast<const arrow::StructArray&>(array);
      for (const auto& field : structs.fields()) seed = HashRow<Hash>(*field, row, seed);
      return seed;
    }
    default:
      return seed;
  }
}

void CheckHashable(const SparkType& type, const std::string& function) {
  if (type->id() == Type::MAP) throw UnsupportedSpark("'" + function + "' does not take maps");
  for (const auto& field : type->fields()) CheckHashable(field->type(), function);
}

// Each argument's hash is the seed of the next one; the first seed is 42.
template <typename Hash>
SparkNodePtr BindHash(const SparkNodes& arguments) {
  using Value = typename Hash::Value;
  const SparkType type = sizeof(Value) == 4 ? arrow::int32() : arrow::int64();
  for (const auto& argument : arguments) {
    CheckHashable(argument->type, sizeof(Value) == 4 ? "hash" : "xxhash64");
  }
  return KernelNode(type, arguments, [type](const SparkArrays& in, int64_t rows) {
    Writer<Value> writer(rows);
    for (int64_t row = 0; row < rows; ++row) {
      Value hash = 42;
      for (const auto& column : in) hash = HashRow<Hash>(*column, row, hash);
      writer.Append(hash);
    }
    return writer.Finish(type);
  });
}

std::string HexDigest(std::string_view bytes, const EVP_MD* kind) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, kind, nullptr) != 1) {
    throw QueryError("A digest could not be computed: this machine's libcrypto refuses it");
  }
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kHex[digest[i] >> 4];
    text += kHex[digest[i] & 15];
  }
  return text;
}

SparkNodePtr BindMd5(const SparkNodes& arguments) {
  return KernelNode(arrow::utf8(), {Coerce(arguments[0], arrow::binary(), "'md5'")},
                    RowKernel<std::string_view>(arrow::utf8(), [](std::string_view bytes) {
                      return HexDigest(bytes, EVP_md5());
                    }));
}

const EVP_MD* Sha2(int bits) {
  switch (bits) {
    case 224:
      return EVP_sha224();
    case 0:
    case 256:
      return EVP_sha256();
    case 384:
      return EVP_sha384();
    case 512:
      return EVP_sha512();
    default:
      return nullptr;
  }
}

SparkNodePtr BindSha2(const SparkNodes& arguments) {
  return KernelNode(
      arrow::utf8(),
      {Coerce(arguments[0], arrow::binary(), "'sha2'"),
       Coerce(arguments[1], arrow::int32(), "'sha2'")},
      RowKernel<std::string_view, int32_t>(
          arrow::utf8(), [](std::string_view bytes, int32_t bits) -> std::optional<std::string> {
            const EVP_MD* kind = Sha2(bits);
            if (kind == nullptr) return {};
            return HexDigest(bytes, kind);
          }));
}

}  // namespace

void AddHashes(SparkFunctions& functions) {
  functions["hash"] = {1, SparkFunction::kAnyNumber, BindHash<Murmur3>};
  functions["xxhash64"] = {1, SparkFunction::kAnyNumber, BindHash<XxHash64>};
  functions["md5"] = {1, 1, BindMd5};
  functions["sha2"] = {2, 2, BindSha2};
}

}  // namespace ariadne::engine
