#pragma once

#include <arrow/type.h>

#include <optional>
#include <random>
#include <string>

namespace ariadne {

/// An unscaled value of up to `digits` (at most 38) digits, whose last are often zero.
inline __int128 RandomUnscaled(std::mt19937_64& random, int digits) {
  __int128 value = 0;
  const int zeros = static_cast<int>(random() % (digits + 1));
  for (int i = 0; i < digits; ++i) {
    value = value * 10 + (i < digits - zeros ? static_cast<int>(random() % 10) : 0);
  }
  return random() % 2 == 0 ? value : -value;
}

inline __int128 PowerOfTen(int exponent) {
  __int128 power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

inline std::string DigitsOf(__int128 value) {
  std::string digits;
  for (__int128 rest = value < 0 ? -value : value; rest > 0; rest /= 10) {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  return (value < 0 ? "-" : "") + (digits.empty() ? "0" : digits);
}

/// `value` at `scale` as one of `to`, if that holds it exactly: by hand, digit by digit.
inline std::optional<__int128> Rescaled(__int128 value, int scale, const arrow::DecimalType& to) {
  for (; scale > to.scale(); --scale) {
    if (value % 10 != 0) return std::nullopt;
    value /= 10;
  }
  const __int128 limit = PowerOfTen(to.precision());
  for (; scale < to.scale(); ++scale) {
    if (value >= limit / 10 || value <= -limit / 10) return std::nullopt;
    value *= 10;
  }
  if (value >= limit || value <= -limit) return std::nullopt;
  return value;
}

}  // namespace ariadne
