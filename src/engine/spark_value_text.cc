#include "engine/spark_value_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "index/blank_text.h"
#include "index/civil_time.h"
#include "index/java_double.h"
#include "text/value_text.h"

namespace ariadne::engine {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

// The words that Spark takes where Java finds no number.
template <typename T>
std::optional<T> SpecialNumber(std::string_view text) {
  const std::string lower = Lower(index::WithoutBlanks(text));
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  if (lower == "inf" || lower == "+inf" || lower == "infinity" || lower == "+infinity") {
    return kInfinity;
  }
  if (lower == "-inf" || lower == "-infinity") return -kInfinity;
  if (lower == "nan") return std::numeric_limits<T>::quiet_NaN();
  return {};
}

std::string YearText(int year) {
  std::array<char, 16> text{};
  // Java: four digits, a sign where there are more or where the year is negative.
  std::snprintf(text.data(), text.size(),
                year > 9999 ? "+%d"
                : year < 0  ? "-%04d"
                            : "%04d",
                std::abs(year));
  return text.data();
}

}  // namespace

std::optional<int64_t> ParseLong(std::string_view text, bool truncate) {
  text = text::TrimAll(text);
  if (text.empty()) return {};
  const bool negative = text[0] == '-';
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  if (text.empty()) return {};
  // Negative, since the least integer has no positive counterpart.
  int64_t value = 0;
  size_t at = 0;
  for (; at < text.size() && text[at] != '.'; ++at) {
    if (!IsDigit(text[at])) return {};
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_sub_overflow(value, text[at] - '0', &value)) {
      return {};
    }
  }
  if (at < text.size()) {
    if (!truncate) return {};
    for (++at; at < text.size(); ++at) {
      if (!IsDigit(text[at])) return {};
    }
  }
  if (negative) return value;
  if (value == std::numeric_limits<int64_t>::min()) return {};
  return -value;
}

std::optional<double> ParseDouble(std::string_view text) {
  const auto value = text::ParseDouble(text);
  return value ? value : SpecialNumber<double>(text);
}

std::optional<float> ParseFloat(std::string_view text) {
  const auto value = text::ParseFloat(text);
  return value ? value : SpecialNumber<float>(text);
}

std::optional<bool> ParseBoolean(std::string_view text) {
  const std::string lower = Lower(text::TrimAll(text));
  if (lower == "t" || lower == "true" || lower == "y" || lower == "yes" || lower == "1") {
    return true;
  }
  if (lower == "f" || lower == "false" || lower == "n" || lower == "no" || lower == "0") {
    return false;
  }
  return {};
}

std::string DateText(int32_t days) {
  const index::CivilDate date = index::CivilDateOf(days);
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "-%02d-%02d", date.month, date.day);
  return YearText(date.year) + text.data();
}

std::string TimestampText(int64_t micros) {
  const index::CivilTime time = index::CivilTimeOf(micros);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), " %02d:%02d:%02d", time.hour, time.minute, time.second);
  std::string out =
      DateText(static_cast<int32_t>(index::FloorDivide(micros, index::kMicrosPerDay))) +
      text.data();
  if (time.micros != 0) {
    std::snprintf(text.data(), text.size(), ".%06d", time.micros);
    out += text.data();
    out.erase(out.find_last_not_of('0') + 1);
  }
  return out;
}

std::string DoubleText(double value) { return index::JavaDoubleToStringJdk18(value); }
std::string FloatText(float value) { return index::JavaFloatToStringJdk18(value); }

}  // namespace ariadne::engine
