#include "index/legacy_java_digits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>

namespace ariadne::index {
namespace {

/// A value m × 2^(exponent - 52), m in [2^52, 2^53), of which `significant` leading bits are
/// stored: 53 or 24, fewer for subnormal values.
struct Binary {
  uint64_t mantissa;
  int exponent;
  int significant;
};

constexpr int kMantissaBits = 52;

template <typename Word>
Binary Decompose(Word bits, int stored_bits, int bias) {
  const Word fraction_mask = (Word{1} << stored_bits) - 1;
  Word fraction = bits & fraction_mask;
  int exponent = static_cast<int>(bits >> stored_bits);
  int significant = stored_bits + 1;
  if (exponent == 0) {
    const int width = std::bit_width(fraction);
    fraction <<= stored_bits + 1 - width;
    exponent = 1 - (stored_bits + 1 - width);
    significant = width;
  } else {
    fraction |= Word{1} << stored_bits;
  }
  return {static_cast<uint64_t>(fraction) << (kMantissaBits - stored_bits), exponent - bias,
          significant};
}

/// Natural numbers up to some 1,200 bits: what the largest and smallest doubles need.
class BigNatural {
 public:
  explicit BigNatural(uint64_t value) {
    limbs_[0] = static_cast<uint32_t>(value);
    limbs_[1] = static_cast<uint32_t>(value >> 32);
    size_ = limbs_[1] != 0 ? 2 : (limbs_[0] != 0 ? 1 : 0);
  }
  void Multiply(uint32_t factor) {
    uint64_t carry = 0;
    for (size_t i = 0; i < size_; ++i) {
      carry += static_cast<uint64_t>(limbs_[i]) * factor;
      limbs_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_[size_++] = static_cast<uint32_t>(carry);
  }
  void MultiplyPower5(int power) {
    for (; power >= 13; power -= 13) Multiply(1220703125);
    uint32_t rest = 1;
    for (; power > 0; --power) rest *= 5;
    Multiply(rest);
  }
  void ShiftLeft(int bits) {
    for (; bits >= 31; bits -= 31) Multiply(uint32_t{1} << 31);
    Multiply(uint32_t{1} << bits);
  }
  void Add(const BigNatural& other) {
    uint64_t carry = 0;
    size_ = std::max(size_, other.size_);
    for (size_t i = 0; i < size_; ++i) {
      carry += static_cast<uint64_t>(limbs_[i]) + other.limbs_[i];
      limbs_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_[size_++] = static_cast<uint32_t>(carry);
  }
  /// `other` must not be larger.
  void Subtract(const BigNatural& other) {
    int64_t borrow = 0;
    for (size_t i = 0; i < size_; ++i) {
      borrow += static_cast<int64_t>(limbs_[i]) - other.limbs_[i];
      limbs_[i] = static_cast<uint32_t>(borrow);
      borrow >>= 32;
    }
    while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
  }
  friend std::strong_ordering operator<=>(const BigNatural& a, const BigNatural& b) {
    if (a.size_ != b.size_) return a.size_ <=> b.size_;
    for (size_t i = a.size_; i-- > 0;) {
      if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
    }
    return std::strong_ordering::equal;
  }

 private:
  std::array<uint32_t, 44> limbs_{};
  size_t size_ = 0;
};

/// What a digit is decided on: remainder over scale, and the half gap to the neighbours, all scaled
/// by the same power. Each step gives the digit in front of the point of remainder / scale, and
/// multiplies the rest by ten.
struct Step {
  int digit;
  bool low;   // the digits so far are within the gap below the value
  bool high;  // one more in the last digit would be within the gap above
};

/// Arithmetic that wraps in a machine integer, as Java's does.
template <typename Signed, typename Unsigned>
class MachineSteps {
 public:
  MachineSteps(Unsigned remainder, Unsigned scale, Unsigned gap)
      : remainder_(remainder), scale_(scale), gap_(gap), tens_(scale * 10) {}
  Step Next() {
    const int digit = static_cast<int>(remainder_ / scale_);
    remainder_ = 10 * (remainder_ % scale_);
    gap_ *= 10;
    // A gap that has outgrown the integer is larger than any remainder.
    if (static_cast<Signed>(gap_) <= 0) return {digit, true, true};
    return {digit, static_cast<Signed>(remainder_) < static_cast<Signed>(gap_),
            static_cast<Signed>(remainder_ + gap_) > static_cast<Signed>(tens_)};
  }
  /// Sign of remainder - half a unit of the last digit.
  std::strong_ordering AgainstHalf() {
    return static_cast<Signed>((remainder_ << 1) - tens_) <=> Signed{0};
  }

 private:
  Unsigned remainder_, scale_, gap_, tens_;
};

class BigSteps {
 public:
  BigSteps(BigNatural remainder, BigNatural scale, BigNatural gap)
      : remainder_(remainder), scale_(scale), gap_(gap), tens_(scale) {
    tens_.Multiply(10);
  }
  Step Next() {
    int digit = 0;
    for (; remainder_ >= scale_; ++digit) remainder_.Subtract(scale_);
    remainder_.Multiply(10);
    gap_.Multiply(10);
    BigNatural sum = remainder_;
    sum.Add(gap_);
    return {digit, remainder_ < gap_, sum >= tens_};
  }
  std::strong_ordering AgainstHalf() {
    BigNatural twice = remainder_;
    twice.Add(remainder_);
    return twice <=> tens_;
  }

 private:
  BigNatural remainder_, scale_, gap_, tens_;
};

/// Adds one to the last digit.
void RoundUp(LegacyDigits* digits) {
  size_t i = digits->text.size();
  while (i > 0 && digits->text[i - 1] == '9') digits->text[--i] = '0';
  if (i > 0) {
    ++digits->text[i - 1];
    return;
  }
  digits->text[0] = '1';
  ++digits->exponent;
}

template <typename Steps>
LegacyDigits Generate(Steps steps, int decimal_exponent) {
  LegacyDigits digits;
  Step step = steps.Next();
  if (step.digit == 0 && !step.high) {
    --decimal_exponent;  // the estimate was one too high
  } else {
    digits.text.push_back(static_cast<char>('0' + step.digit));
  }
  // In scientific notation a second digit is always printed, so always developed.
  if (decimal_exponent < -3 || decimal_exponent >= 8) step.low = step.high = false;
  while (!step.low && !step.high) {
    step = steps.Next();
    digits.text.push_back(static_cast<char>('0' + step.digit));
  }
  digits.exponent = decimal_exponent + 1;
  if (step.high) {
    const auto half = steps.AgainstHalf();
    const bool odd = ((digits.text.back() - '0') & 1) != 0;
    if (!step.low || std::is_gt(half) || (std::is_eq(half) && odd)) RoundUp(&digits);
  }
  return digits;
}

/// Integers are printed whole; one past the value's precision loses the digits that the precision
/// does not vouch for, half up.
LegacyDigits Integer(uint64_t value, int dropped_digits) {
  LegacyDigits digits;
  if (dropped_digits > 0) {
    uint64_t power = 1;
    for (int i = 0; i < dropped_digits; ++i) power *= 10;
    const uint64_t rest = value % power;
    value /= power;
    if (rest >= power / 2) ++value;
  }
  digits.text = std::to_string(value);
  digits.exponent = static_cast<int>(digits.text.size()) + dropped_digits;
  while (digits.text.size() > 1 && digits.text.back() == '0') digits.text.pop_back();
  return digits;
}

/// Bits of 5^power, as far as the machine paths need it.
int BitsOfPower5(int power) {
  constexpr std::array<int, 27> kBits = {0,  3,  5,  7,  10, 12, 14, 17, 19, 21, 24, 26, 28, 31,
                                         33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61};
  return power < static_cast<int>(kBits.size()) ? kBits[power] : 3 * power;
}

uint64_t Power5(int power) {
  uint64_t value = 1;
  for (; power > 0; --power) value *= 5;
  return value;
}

/// floor(log10(value)), at times one too low or high: a line through log10 at 1.5.
int EstimateDecimalExponent(const Binary& value) {
  const double fraction = std::ldexp(static_cast<double>(value.mantissa), -kMantissaBits);
  return static_cast<int>(std::floor((fraction - 1.5) * 0.289529654 + 0.176091259 +
                                     static_cast<double>(value.exponent) * 0.301029995663981));
}

LegacyDigits Develop(Binary value) {
  const int trailing_zeros = std::countr_zero(value.mantissa);
  const int fraction_bits = kMantissaBits + 1 - trailing_zeros;
  const int bits_below_point = std::max(0, fraction_bits - value.exponent - 1);
  if (value.exponent <= 62 && value.exponent >= -21 && bits_below_point == 0) {
    // Below 2⁶³ and whole. The unit in the last place, 2^excess, hides floor(log10 2^excess)
    // digits.
    const int excess = value.exponent - value.significant - 1;
    const int dropped =
        value.exponent > value.significant && excess > 1 ? excess * 30103 / 100000 : 0;
    const uint64_t whole = value.exponent >= kMantissaBits
                               ? value.mantissa << (value.exponent - kMantissaBits)
                               : value.mantissa >> (kMantissaBits - value.exponent);
    return Integer(whole, dropped);
  }

  const int decimal_exponent = EstimateDecimalExponent(value);
  // value = mantissa 2^remainder2 5^remainder5 / (2^scale2 5^scale5) × 10^decimal_exponent, and
  // half a unit in the last place = 2^gap2 5^gap5 on the same scale.
  const int remainder5 = std::max(0, -decimal_exponent);
  int remainder2 = remainder5 + bits_below_point + value.exponent;
  const int scale5 = std::max(0, decimal_exponent);
  int scale2 = scale5 + bits_below_point;
  const int gap5 = remainder5;
  int gap2 = remainder2 - value.significant;
  const uint64_t mantissa = value.mantissa >> trailing_zeros;
  remainder2 -= fraction_bits - 1;
  const int shared = std::min(remainder2, scale2);
  remainder2 -= shared;
  scale2 -= shared;
  gap2 -= shared;
  // Below a power of two the neighbour is half as far.
  if (fraction_bits == 1) --gap2;
  if (gap2 < 0) {
    remainder2 -= gap2;
    scale2 -= gap2;
    gap2 = 0;
  }

  const int remainder_bits = fraction_bits + remainder2 + BitsOfPower5(remainder5);
  const int tens_bits = scale2 + 1 + BitsOfPower5(scale5 + 1);
  if (remainder_bits < 64 && tens_bits < 64) {
    const uint64_t remainder = (mantissa * Power5(remainder5)) << remainder2;
    const uint64_t scale = Power5(scale5) << scale2;
    const uint64_t gap = Power5(gap5) << gap2;
    if (remainder_bits < 32 && tens_bits < 32) {
      return Generate(
          MachineSteps<int32_t, uint32_t>(static_cast<uint32_t>(remainder),
                                          static_cast<uint32_t>(scale), static_cast<uint32_t>(gap)),
          decimal_exponent);
    }
    return Generate(MachineSteps<int64_t, uint64_t>(remainder, scale, gap), decimal_exponent);
  }
  const auto big = [](uint64_t start, int power5, int power2) {
    BigNatural number(start);
    number.MultiplyPower5(power5);
    number.ShiftLeft(power2);
    return number;
  };
  return Generate(
      BigSteps(big(mantissa, remainder5, remainder2), big(1, scale5, scale2), big(1, gap5, gap2)),
      decimal_exponent);
}

}  // namespace

LegacyDigits LegacyJavaDigits(double value) {
  return Develop(Decompose(std::bit_cast<uint64_t>(value), 52, 1023));
}

LegacyDigits LegacyJavaDigits(float value) {
  return Develop(Decompose(std::bit_cast<uint32_t>(value), 23, 127));
}

}  // namespace ariadne::index
