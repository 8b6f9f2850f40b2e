#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "index/value_key.h"

namespace ariadne::index {

/// A number as a decimal: ±digits × 10^exponent, of any size, or NaN or an infinity.
class NumberLiteral {
 public:
  static NumberLiteral FromInteger(int64_t value);
  static NumberLiteral FromUnsigned(uint64_t value);
  /// `unscaled`: decimal digits, with a leading '-' if negative.
  static NumberLiteral FromDecimal(std::string_view unscaled, int scale);
  /// Whole values to the last digit; others as the shortest decimal that reads back as the value.
  static NumberLiteral FromDouble(double value);
  /// Parses `12`, `-1.5`, `1E10`, `NaN`, `Infinity`, `-inf`, in any letter case and between blanks.
  /// Empty for other text.
  static std::optional<NumberLiteral> Parse(std::string_view text);

  /// The integer, if the number is one of 64 bits.
  [[nodiscard]] std::optional<int64_t> ToInteger() const;
  /// The nearest double or float, if one is in range; with `exact`, only if it is the number.
  [[nodiscard]] std::optional<double> ToDouble(bool exact) const;
  [[nodiscard]] std::optional<float> ToFloat(bool exact) const;
  /// Key of the decimal(precision, scale), if it holds the number exactly.
  [[nodiscard]] std::optional<Key128> ToDecimalKey(int precision, int scale) const;

 private:
  enum class Kind { kFinite, kNaN, kInfinity };
  template <typename T>
  [[nodiscard]] std::optional<T> ToFloating(bool exact) const;
  void Trim();

  Kind kind_ = Kind::kFinite;
  bool negative_ = false;
  std::string digits_;  // no zeros at either end; empty for 0
  int64_t exponent_ = 0;
};

}  // namespace ariadne::index
