#pragma once

#include <string>

namespace ariadne::index {

/// The value 0.d1d2d3… × 10^exponent, d1 not 0.
struct LegacyDigits {
  std::string text;
  int exponent = 0;
};

/// Digits that JDK 18 and earlier print for a finite positive value. They follow Steele and White,
/// "How to Print Floating-Point Numbers Accurately" (1990), with an estimate of the power of ten
/// and shortcuts of their own, which is why the last digits are not always the fewest.
LegacyDigits LegacyJavaDigits(double value);
LegacyDigits LegacyJavaDigits(float value);

}  // namespace ariadne::index
