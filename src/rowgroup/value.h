#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cmath>
#include <cstdint>
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

/// XXH64 with seed 0 of the plain encoding, as in the Parquet format's bloom filters.
inline uint64_t HashOf(int64_t value) { return XXH64(&value, sizeof(value), 0); }
inline uint64_t HashOf(double value) {
  const double canonical = Canonical(value);
  return XXH64(&canonical, sizeof(canonical), 0);
}
inline uint64_t HashOf(std::string_view value) { return XXH64(value.data(), value.size(), 0); }
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
