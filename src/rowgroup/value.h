#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

namespace ariadne::rowgroup {

/// How values of a column are compared. Every engine type that can be indexed is one of these:
/// integers, dates, timestamps and decimals of up to 18 digits by their stored integer, floats as
/// doubles, text, binary and wider integers by their bytes in an order that memcmp keeps.
enum class Domain : uint8_t { kInteger = 0, kDouble = 1, kBytes = 2 };

/// A value that is not NULL; the alternative is that of its domain.
using Value = std::variant<int64_t, double, std::string>;

/// The one bit pattern of all doubles that SQL compares as equal: -0.0 is 0.0, and NaN is NaN
/// whatever its payload.
inline double Canonical(double value) {
  if (value == 0) return 0.0;
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

// The hash of a filter: written for speed, since a query pays for each value it lets by. Part of
// what is persisted: where it changes, the version in index_table.cc must.

/// Both halves of the product, folded: one multiplication mixes all bits into all.
inline uint64_t FoldedProduct(uint64_t left, uint64_t right) {
  const auto product = static_cast<unsigned __int128>(left) * right;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}
inline uint64_t HashOf(int64_t value) {
  return FoldedProduct(static_cast<uint64_t>(value) ^ 0xa0761d6478bd642fULL, 0xe7037ed1a0b428dbULL);
}
inline uint64_t HashOf(double value) { return HashOf(std::bit_cast<int64_t>(Canonical(value))); }

/// Bytes up to which a text is hashed as a block of fixed size.
inline constexpr size_t kShortText = 12;
/// Of a text of `kShortText` bytes at most: `head` is its length in the lower half and its first
/// four bytes in the upper, `tail` the other eight; what lies past its end is zero.
inline uint64_t HashOfShortText(uint64_t head, uint64_t tail) {
  return FoldedProduct(head ^ 0xa0761d6478bd642fULL, tail ^ 0xe7037ed1a0b428dbULL);
}
inline uint64_t HashOf(std::string_view value) {
  if (value.size() > kShortText) return XXH64(value.data(), value.size(), 0);
  struct {
    uint32_t length;
    char text[kShortText];
  } block{static_cast<uint32_t>(value.size()), {}};
  std::memcpy(block.text, value.data(), value.size());
  uint64_t words[2];
  static_assert(sizeof(block) == sizeof(words) && std::endian::native == std::endian::little);
  std::memcpy(words, &block, sizeof(words));
  return HashOfShortText(words[0], words[1]);
}
inline uint64_t HashOf(const Value& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return HashOf(std::string_view(held));
        } else {
          return HashOf(held);
        }
      },
      value);
}

}  // namespace ariadne::rowgroup
