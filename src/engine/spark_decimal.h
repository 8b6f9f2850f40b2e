#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <arrow/util/decimal.h>

namespace ariadne::engine {

/// A decimal number: digits × 10^-scale, up to 76 digits.
struct WideDecimal {
  arrow::Decimal256 unscaled;
  int scale = 0;
};

/// Where a rounded value lies: HALF_UP of java.math.RoundingMode, CEILING, FLOOR, DOWN.
enum class Rounding { kHalfUp, kCeiling, kFloor, kDown };

/// The value at `scale`, which may be negative.
arrow::Decimal256 RoundTo(const WideDecimal& value, int scale, Rounding rounding);
/// The value as decimal(precision, scale), rounded half up; empty where it has too many digits.
std::optional<arrow::Decimal128> ToDecimal(const WideDecimal& value, int precision, int scale);
WideDecimal Wide(const arrow::Decimal128& value, int scale);

// Arithmetic as Spark's Decimal does it; empty for a division by zero.
WideDecimal Add(const WideDecimal& a, const WideDecimal& b);
WideDecimal Subtract(const WideDecimal& a, const WideDecimal& b);
WideDecimal Multiply(const WideDecimal& a, const WideDecimal& b);
std::optional<WideDecimal> Remainder(const WideDecimal& a, const WideDecimal& b);
/// Of two decimals of at most 38 digits, as decimal(precision, scale).
std::optional<arrow::Decimal128> Divide(const WideDecimal& a, const WideDecimal& b, int precision,
                                        int scale);
/// Whole part of the quotient, cut to the low 64 bits.
std::optional<int64_t> IntegralQuotient(const WideDecimal& a, const WideDecimal& b);
int Compare(const WideDecimal& a, const WideDecimal& b);

/// By way of the digits that Java prints the value with. Empty for NaN and the infinities too.
std::optional<arrow::Decimal128> DecimalFromDouble(double value, int precision, int scale);

/// The nearest double or float.
double DecimalToDouble(const arrow::Decimal128& value, int scale);
float DecimalToFloat(const arrow::Decimal128& value, int scale);
/// What is before the point, with scale 0.
arrow::Decimal128 WholePart(const arrow::Decimal128& value, int scale);

}  // namespace ariadne::engine
