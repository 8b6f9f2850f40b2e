#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

namespace ariadne::index {

/// A key of two words, compared as the 128-bit number high·2⁶⁴ + low.
struct Key128 {
  uint64_t high = 0;
  uint64_t low = 0;
  friend auto operator<=>(const Key128&, const Key128&) = default;  // NOLINT(modernize-use-nullptr)
};

/// How the values of a type are held as keys. Equal keys mean values that SQL calls equal (one NaN,
/// 0.0 = -0.0), and for all but kNested the keys sort as SQL sorts the values (NaN last, strings
/// and binary by unsigned bytes).
enum class KeyShape {
  kWord,        ///< One uint64: boolean, integers, float, double, date, timestamps.
  kDoubleWord,  ///< Key128: decimals, by unscaled value.
  kBytes,       ///< The bytes themselves: string, binary.
  kNested,      ///< Canonical bytes: lists and structs.
};

/// Throws UnsupportedColumn for types that no column of Spark's has, and for maps.
KeyShape ShapeOf(const arrow::DataType& type);

/// Keys of `count` values from `begin` on, for a kWord type. A NULL gives some key: ask for it.
void WordKeys(const arrow::Array& values, int64_t begin, int64_t count, uint64_t* keys);
/// Key of a decimal.
Key128 DecimalKey(const arrow::Array& values, int64_t i);
/// Bytes of a string or binary value; they live as long as the array.
std::string_view BytesAt(const arrow::Array& values, int64_t i);
/// Appends bytes that are equal for equal values, of any supported type; NULLs inside count as
/// values, as Spark's distinct has it.
void AppendCanonicalBytes(const arrow::Array& values, int64_t i, std::string* bytes);

/// The values that the keys came from, one NaN and 0.0 standing for their equals.
std::shared_ptr<arrow::Array> FromWordKeys(const std::shared_ptr<arrow::DataType>& type,
                                           std::span<const uint64_t> keys);
std::shared_ptr<arrow::Array> FromDecimalKeys(const std::shared_ptr<arrow::DataType>& type,
                                              std::span<const Key128> keys);

/// Key of an integer, boolean (0, 1), date or timestamp, and of a double or widened float.
inline uint64_t KeyOfInteger(int64_t value) { return static_cast<uint64_t>(value) ^ (1ULL << 63); }
uint64_t KeyOfDouble(double value);
/// The double (or widened float) and the signed integer behind a key.
double DoubleOfKey(uint64_t key);
inline int64_t IntegerOfKey(uint64_t key) { return static_cast<int64_t>(key ^ (1ULL << 63)); }

/// `values` as an array of `type`: itself where it is one, else cast (dictionaries decoded, large
/// strings narrowed). Returns nullptr where Arrow knows no such cast or a value does not survive.
std::shared_ptr<arrow::Array> AsType(const arrow::Array& values,
                                     const std::shared_ptr<arrow::DataType>& type);

/// AsType for the values that a file has of `column`, which is declared as `type`. Throws
/// SchemaMismatch that names the column and both types.
std::shared_ptr<arrow::Array> AsDeclared(const arrow::Array& values,
                                         const std::shared_ptr<arrow::DataType>& type,
                                         const std::string& column);

}  // namespace ariadne::index
