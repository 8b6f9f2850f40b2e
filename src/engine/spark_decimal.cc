#include "engine/spark_decimal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "index/java_double.h"
#include "text/value_text.h"

namespace ariadne::engine {

namespace {

using arrow::Decimal128;
using arrow::Decimal256;

constexpr int kMaxDigits = 38;
// Digits that Spark's decimal arithmetic keeps before it rounds to the type of the result.
constexpr int kContextDigits = 39;
constexpr int kMostScaling = 76;

bool IsNegative(const Decimal256& value) { return value < Decimal256(0); }

using Words = unsigned __int128;

bool FitsWords(const Decimal256& value) {
  const auto words = value.little_endian_array();
  return words[2] == 0 && words[3] == 0;
}
Words WordsOf(const Decimal256& value) {
  const auto words = value.little_endian_array();
  return static_cast<Words>(words[1]) << 64 | words[0];
}
Decimal256 FromWords(Words value) {
  return Decimal256(Decimal256::LittleEndianArray,
                    {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64), 0, 0});
}

// Cut towards zero; the rest has the sign of the dividend. Arrow's own division (26.0.1) is wrong
// for some numbers with many zeros: 92233720368547758 × 10^17 by 10^14 is one.
void LongDivision(const Decimal256& a, const Decimal256& b, Decimal256* quotient,
                  Decimal256* rest) {
  const bool a_negative = IsNegative(a);
  const bool b_negative = IsNegative(b);
  const Decimal256 dividend = Decimal256::Abs(a);
  const Decimal256 divisor = Decimal256::Abs(b);
  if (FitsWords(dividend) && FitsWords(divisor)) {
    *quotient = FromWords(WordsOf(dividend) / WordsOf(divisor));
    *rest = FromWords(WordsOf(dividend) % WordsOf(divisor));
  } else {
    const Decimal256 minus = -divisor;
    const auto bits = dividend.little_endian_array();
    std::array<uint64_t, 4> result{};
    Decimal256 left(0);
    for (int bit = 255; bit >= 0; --bit) {
      left = left + left + Decimal256(static_cast<int>(bits[bit / 64] >> (bit % 64) & 1));
      if (left < divisor) continue;
      left = left + minus;
      result[bit / 64] |= uint64_t{1} << (bit % 64);
    }
    *quotient = Decimal256(Decimal256::LittleEndianArray, result);
    *rest = left;
  }
  if (a_negative != b_negative) *quotient = -*quotient;
  if (a_negative) *rest = -*rest;
}

Decimal256 PowerOfTen(int exponent) { return Decimal256::GetScaleMultiplier(exponent); }

std::optional<Decimal128> Narrow(const Decimal256& value, int precision) {
  if (!value.FitsInPrecision(precision)) return {};
  const auto words = value.little_endian_array();
  return Decimal128(static_cast<int64_t>(words[1]), words[0]);
}

// Both at the larger of the scales: at most 76 digits.
int Align(const WideDecimal& a, const WideDecimal& b, Decimal256* left, Decimal256* right) {
  const int scale = std::max(a.scale, b.scale);
  *left = a.unscaled * PowerOfTen(scale - a.scale);
  *right = b.unscaled * PowerOfTen(scale - b.scale);
  return scale;
}

int Digits(const Decimal256& value) {
  const Decimal256 size = Decimal256::Abs(value);
  int digits = 1;
  while (digits <= kMostScaling && !size.FitsInPrecision(digits)) ++digits;
  return digits;
}

// One digit of a long division: 10·r = digit·b + the new r. Doublings stay below 2·b, and b below
// 2^254, where 10·r itself would not fit.
int NextDigit(const Decimal256& b, Decimal256* r) {
  const Decimal256 minus = -b;
  const auto twice = [&b, &minus](Decimal256* x) {
    *x = *x + *x;
    if (*x < b) return 0;
    *x = *x + minus;
    return 1;
  };
  Decimal256 x = *r;
  const int two = twice(&x);
  const Decimal256 double_r = x;
  const int four = 2 * two + twice(&x);
  const int eight = 2 * four + twice(&x);
  x = x + double_r;
  int digit = eight + two;
  if (!(x < b)) {
    x = x + minus;
    ++digit;
  }
  *r = x;
  return digit;
}

template <typename T>
T Nearest(const Decimal128& value, int scale) {
  const std::string text = value.ToIntegerString() + "e" + std::to_string(-scale);
  T number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

WideDecimal Wide(const Decimal128& value, int scale) { return {Decimal256(value), scale}; }

Decimal256 RoundTo(const WideDecimal& value, int scale, Rounding rounding) {
  if (scale >= value.scale) return value.unscaled * PowerOfTen(scale - value.scale);
  const int cut = value.scale - scale;
  const bool negative = IsNegative(value.unscaled);
  // All digits go: what is left is the direction.
  if (cut > kMostScaling) {
    const bool up =
        value.unscaled != Decimal256(0) && ((rounding == Rounding::kCeiling && !negative) ||
                                            (rounding == Rounding::kFloor && negative));
    return Decimal256(up ? (negative ? -1 : 1) : 0);
  }
  const Decimal256 unit = PowerOfTen(cut);
  Decimal256 quotient;
  Decimal256 rest;
  LongDivision(value.unscaled, unit, &quotient, &rest);
  if (rest == Decimal256(0)) return quotient;
  const Decimal256 size = Decimal256::Abs(rest);
  bool away = false;
  switch (rounding) {
    case Rounding::kHalfUp:
      away = !(size < Decimal256::GetHalfScaleMultiplier(cut));
      break;
    case Rounding::kCeiling:
      away = !negative;
      break;
    case Rounding::kFloor:
      away = negative;
      break;
    case Rounding::kDown:
      break;
  }
  if (away) quotient += Decimal256(negative ? -1 : 1);
  return quotient;
}

std::optional<Decimal128> ToDecimal(const WideDecimal& value, int precision, int scale) {
  // More digits to the left than there is room for, before they are multiplied out of 256 bits.
  if (scale > value.scale && Digits(value.unscaled) + scale - value.scale > kMostScaling) {
    if (value.unscaled == Decimal256(0)) return Decimal128(0);
    return {};
  }
  return Narrow(RoundTo(value, scale, Rounding::kHalfUp), precision);
}

WideDecimal Add(const WideDecimal& a, const WideDecimal& b) {
  Decimal256 left;
  Decimal256 right;
  const int scale = Align(a, b, &left, &right);
  return {left + right, scale};
}

WideDecimal Subtract(const WideDecimal& a, const WideDecimal& b) {
  return Add(a, {-b.unscaled, b.scale});
}

WideDecimal Multiply(const WideDecimal& a, const WideDecimal& b) {
  WideDecimal product{a.unscaled * b.unscaled, a.scale + b.scale};
  const int digits = Digits(product.unscaled);
  if (digits > kContextDigits) {
    const int scale = product.scale - (digits - kContextDigits);
    product = {RoundTo(product, scale, Rounding::kHalfUp), scale};
  }
  return product;
}

std::optional<WideDecimal> Remainder(const WideDecimal& a, const WideDecimal& b) {
  if (b.unscaled == Decimal256(0)) return {};
  Decimal256 left;
  Decimal256 right;
  const int scale = Align(a, b, &left, &right);
  Decimal256 quotient;
  Decimal256 rest;
  LongDivision(left, right, &quotient, &rest);
  return WideDecimal{rest, scale};
}

std::optional<Decimal128> Divide(const WideDecimal& a, const WideDecimal& b, int precision,
                                 int scale) {
  if (b.unscaled == Decimal256(0)) return {};
  Decimal256 left;
  Decimal256 right;
  Align(a, b, &left, &right);
  const bool negative = IsNegative(left) != IsNegative(right);
  right = Decimal256::Abs(right);
  Decimal256 quotient;
  Decimal256 rest;
  LongDivision(Decimal256::Abs(left), right, &quotient, &rest);
  if (!quotient.FitsInPrecision(kMaxDigits)) return {};
  // Spark divides to 39 fractional digits, rounded half up, and rounds these again.
  std::array<int, kContextDigits> digits{};
  for (int& digit : digits) digit = NextDigit(right, &rest);
  const int next = NextDigit(right, &rest);
  bool carry = next >= 5;
  for (int i = kContextDigits - 1; i >= 0 && carry; --i) {
    carry = digits[i] == 9;
    digits[i] = carry ? 0 : digits[i] + 1;
  }
  if (carry) quotient += Decimal256(1);
  for (int i = 0; i < scale; ++i) {
    quotient = quotient * Decimal256(10) + Decimal256(digits[i]);
    if (!quotient.FitsInPrecision(kMaxDigits)) return {};
  }
  if (scale < kContextDigits && digits[scale] >= 5) quotient += Decimal256(1);
  return Narrow(negative ? Decimal256(-quotient) : quotient, precision);
}

std::optional<int64_t> IntegralQuotient(const WideDecimal& a, const WideDecimal& b) {
  if (b.unscaled == Decimal256(0)) return {};
  Decimal256 left;
  Decimal256 right;
  Align(a, b, &left, &right);
  Decimal256 quotient;
  Decimal256 rest;
  LongDivision(left, right, &quotient, &rest);
  return static_cast<int64_t>(quotient.little_endian_array()[0]);
}

int Compare(const WideDecimal& a, const WideDecimal& b) {
  Decimal256 left;
  Decimal256 right;
  Align(a, b, &left, &right);
  return left < right ? -1 : left == right ? 0 : 1;
}

std::optional<Decimal128> DecimalFromDouble(double value, int precision, int scale) {
  if (!std::isfinite(value)) return {};
  return text::ParseDecimal(index::JavaDoubleToStringJdk18(value), precision, scale);
}

double DecimalToDouble(const Decimal128& value, int scale) { return Nearest<double>(value, scale); }
float DecimalToFloat(const Decimal128& value, int scale) { return Nearest<float>(value, scale); }

Decimal128 WholePart(const Decimal128& value, int scale) {
  const auto words = RoundTo(Wide(value, scale), 0, Rounding::kDown).little_endian_array();
  return Decimal128(static_cast<int64_t>(words[1]), words[0]);
}

}  // namespace ariadne::engine
