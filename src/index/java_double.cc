#include "index/java_double.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "index/legacy_java_digits.h"

namespace ariadne::index {
namespace {

/// Java's layout of 0.d1d2d3… × 10^exponent: plain between 10⁻³ and 10⁷, else computerized
/// scientific notation; at least one digit on either side of the point.
std::string Layout(bool negative, std::string_view digits, int exponent) {
  std::string text = negative ? "-" : "";
  const auto count = static_cast<int>(digits.size());
  if (exponent > 0 && exponent < 8) {
    text += digits.substr(0, std::min(count, exponent));
    if (count < exponent) text.append(exponent - count, '0');
    text += '.';
    text += count > exponent ? digits.substr(exponent) : "0";
  } else if (exponent <= 0 && exponent > -3) {
    text += "0.";
    text.append(-exponent, '0');
    text += digits;
  } else {
    text += digits.substr(0, 1);
    text += '.';
    text += count > 1 ? digits.substr(1) : "0";
    text += 'E';
    text += std::to_string(exponent - 1);
  }
  return text;
}

/// Digits without trailing zeros, and the exponent of 0.ddd × 10^exponent, of to_chars' scientific
/// form d.ddde±xx.
struct Digits {
  std::string text;
  int exponent = 0;
};
Digits Split(std::string_view scientific) {
  Digits digits;
  const size_t e = scientific.find('e');
  digits.text = scientific[0];
  if (e > 2) digits.text += scientific.substr(2, e - 2);
  std::string_view power = scientific.substr(e + 1);
  if (power[0] == '+') power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), digits.exponent);
  ++digits.exponent;
  while (digits.text.size() > 1 && digits.text.back() == '0') digits.text.pop_back();
  return digits;
}

/// Spellings that do not come from digits; empty for the others.
template <typename T>
std::string Special(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  return {};
}

/// The shortest decimal that reads back as the value; among those of at least two digits (Java
/// prints one digit as two) the closest to it.
template <typename T>
std::string Shortest(T value) {
  if (std::string special = Special(value); !special.empty()) return special;
  const T magnitude = std::abs(value);
  std::array<char, 64> text;
  const auto shortest = std::to_chars(text.data(), text.data() + text.size(), magnitude,
                                      std::chars_format::scientific);
  Digits digits = Split({text.data(), shortest.ptr});
  if (digits.text.size() == 1) {
    const auto two = std::to_chars(text.data(), text.data() + text.size(), magnitude,
                                   std::chars_format::scientific, 1);
    T back{};
    std::from_chars(text.data(), two.ptr, back);
    if (back == magnitude) digits = Split({text.data(), two.ptr});
  }
  return Layout(std::signbit(value), digits.text, digits.exponent);
}

template <typename T>
std::string Legacy(T value) {
  if (std::string special = Special(value); !special.empty()) return special;
  const LegacyDigits digits = LegacyJavaDigits(std::abs(value));
  return Layout(std::signbit(value), digits.text, digits.exponent);
}

}  // namespace

std::string JavaDoubleToString(double value) { return Shortest(value); }
std::string JavaFloatToString(float value) { return Shortest(value); }
std::string JavaDoubleToStringJdk18(double value) { return Legacy(value); }
std::string JavaFloatToStringJdk18(float value) { return Legacy(value); }

}  // namespace ariadne::index
