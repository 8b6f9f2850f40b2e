#include "index/number_literal.h"

#include <arrow/util/decimal.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "index/blank_text.h"

namespace ariadne::index {
namespace {

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) == y;
         });
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void NumberLiteral::Trim() {
  const size_t first = digits_.find_first_not_of('0');
  digits_.erase(0, std::min(first, digits_.size()));
  while (!digits_.empty() && digits_.back() == '0') {
    digits_.pop_back();
    ++exponent_;
  }
  if (digits_.empty()) exponent_ = 0;
}

NumberLiteral NumberLiteral::FromInteger(int64_t value) {
  return FromDecimal(std::to_string(value), 0);
}

NumberLiteral NumberLiteral::FromUnsigned(uint64_t value) {
  return FromDecimal(std::to_string(value), 0);
}

NumberLiteral NumberLiteral::FromDecimal(std::string_view unscaled, int scale) {
  NumberLiteral number;
  number.negative_ = !unscaled.empty() && unscaled[0] == '-';
  number.digits_ = unscaled.substr(number.negative_ ? 1 : 0);
  number.exponent_ = -scale;
  number.Trim();
  return number;
}

NumberLiteral NumberLiteral::FromDouble(double value) {
  NumberLiteral number;
  number.negative_ = std::signbit(value);
  if (!std::isfinite(value)) {
    number.kind_ = std::isnan(value) ? Kind::kNaN : Kind::kInfinity;
    return number;
  }
  std::array<char, 400> text;
  const double magnitude = std::abs(value);
  if (magnitude == std::trunc(magnitude)) {
    const auto end = std::to_chars(text.data(), text.data() + text.size(), magnitude,
                                   std::chars_format::fixed, 0);
    number.digits_.assign(text.data(), end.ptr);
    number.Trim();
    return number;
  }
  const auto end = std::to_chars(text.data(), text.data() + text.size(), magnitude,
                                 std::chars_format::scientific);
  number = *Parse({text.data(), static_cast<size_t>(end.ptr - text.data())});
  number.negative_ = std::signbit(value);
  return number;
}

std::optional<NumberLiteral> NumberLiteral::Parse(std::string_view text) {
  text = WithoutBlanks(text);
  NumberLiteral number;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    number.negative_ = text[0] == '-';
    text.remove_prefix(1);
  }
  if (EqualIgnoringCase(text, "nan")) {
    number.kind_ = Kind::kNaN;
    return number;
  }
  if (EqualIgnoringCase(text, "inf") || EqualIgnoringCase(text, "infinity")) {
    number.kind_ = Kind::kInfinity;
    return number;
  }
  bool any = false;
  const auto take_digits = [&] {
    size_t count = 0;
    while (count < text.size() && IsDigit(text[count])) ++count;
    number.digits_ += text.substr(0, count);
    text.remove_prefix(count);
    any = any || count > 0;
    return static_cast<int64_t>(count);
  };
  take_digits();
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    number.exponent_ = -take_digits();
  }
  if (!any) return {};
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    const bool negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    if (text.empty() || !IsDigit(text[0])) return {};
    int64_t power = 0;
    while (!text.empty() && IsDigit(text[0])) {
      // Far past anything that a type holds, and far from overflow.
      power = std::min<int64_t>(1'000'000'000, power * 10 + (text[0] - '0'));
      text.remove_prefix(1);
    }
    number.exponent_ += negative ? -power : power;
  }
  if (!text.empty()) return {};
  number.Trim();
  return number;
}

std::optional<int64_t> NumberLiteral::ToInteger() const {
  if (kind_ != Kind::kFinite || exponent_ < 0) return {};
  if (digits_.empty()) return 0;
  if (static_cast<int64_t>(digits_.size()) + exponent_ > 19) return {};
  std::string text = negative_ ? "-" : "";
  text += digits_;
  text.append(static_cast<size_t>(exponent_), '0');
  int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc()) return {};
  return value;
}

template <typename T>
std::optional<T> NumberLiteral::ToFloating(bool exact) const {
  const T sign = negative_ ? T{-1} : T{1};
  if (kind_ == Kind::kNaN) return std::numeric_limits<T>::quiet_NaN();
  if (kind_ == Kind::kInfinity) return sign * std::numeric_limits<T>::infinity();
  if (digits_.empty()) return T{0};
  const std::string text = digits_ + "e" + std::to_string(exponent_);
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc()) return {};
  if (exact) {
    const NumberLiteral back = FromDouble(static_cast<double>(value));
    if (back.digits_ != digits_ || back.exponent_ != exponent_) return {};
  }
  return sign * value;
}

std::optional<double> NumberLiteral::ToDouble(bool exact) const {
  return ToFloating<double>(exact);
}

std::optional<float> NumberLiteral::ToFloat(bool exact) const { return ToFloating<float>(exact); }

std::optional<Key128> NumberLiteral::ToDecimalKey(int precision, int scale) const {
  if (kind_ != Kind::kFinite) return {};
  const int64_t zeros = exponent_ + scale;
  if (!digits_.empty() && (zeros < 0 || static_cast<int64_t>(digits_.size()) + zeros > precision)) {
    return {};
  }
  std::string text = negative_ ? "-" : "";
  text += digits_.empty() ? "0" : digits_;
  if (!digits_.empty()) text.append(static_cast<size_t>(zeros), '0');
  const auto value = arrow::Decimal128::FromString(text);
  if (!value.ok()) return {};
  return Key128{static_cast<uint64_t>(value->high_bits()) ^ (1ULL << 63), value->low_bits()};
}

}  // namespace ariadne::index
