#include "text/value_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <system_error>

#include <arrow/util/decimal.h>

#include "ariadne/errors.h"
#include "index/civil_time.h"
#include "text/text_encoding.h"

namespace ariadne::text {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != lower[i]) return false;
  }
  return true;
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

// Digits, with a point among or around them, and an exponent.
bool IsDecimalNumber(std::string_view text) {
  size_t at = 0;
  size_t digits = 0;
  const auto skip_digits = [&] {
    for (; at < text.size() && IsDigit(text[at]); ++at) ++digits;
  };
  skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    skip_digits();
  }
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    digits = 0;
    skip_digits();
    if (digits == 0) return false;
  }
  return at == text.size();
}

bool IsHexNumber(std::string_view text) {
  if (text.size() < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X')) return false;
  const size_t exponent = text.find_first_of("pP");
  if (exponent == std::string_view::npos) return false;
  std::string_view digits = text.substr(2, exponent - 2);
  const size_t point = digits.find('.');
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  std::string joined(digits);
  if (point != std::string_view::npos) joined.erase(point, 1);
  if (joined.empty() || joined.find_first_not_of(kHex) != std::string::npos) return false;
  std::string_view power = text.substr(exponent + 1);
  if (!power.empty() && (power[0] == '+' || power[0] == '-')) power.remove_prefix(1);
  if (power.empty()) return false;
  for (const char c : power) {
    if (!IsDigit(c)) return false;
  }
  return true;
}

template <typename T>
std::optional<T> ParseReal(std::string_view given) {
  std::string_view text = TrimBlanks(given);
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "NaN") return std::numeric_limits<T>::quiet_NaN();
  if (text == "Infinity") {
    return negative ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
  }
  if (text.empty()) return std::nullopt;
  const bool hex = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
  if (std::string_view("fFdD").find(text.back()) != std::string_view::npos) {
    std::string_view number = text.substr(0, text.size() - 1);
    if (hex ? IsHexNumber(number) : IsDecimalNumber(number)) text = number;
  }
  if (hex ? !IsHexNumber(text) : !IsDecimalNumber(text)) return std::nullopt;
  T value{};
  std::from_chars_result result{};
  if (hex) {
    result =
        std::from_chars(text.data() + 2, text.data() + text.size(), value, std::chars_format::hex);
  } else {
    result = std::from_chars(text.data(), text.data() + text.size(), value);
  }
  if (result.ec == std::errc::result_out_of_range) {
    // Too large is infinite and too small is zero in Java: the C library tells which.
    const std::string copy(text);
    value = sizeof(T) == sizeof(float) ? static_cast<T>(std::strtof(copy.c_str(), nullptr))
                                       : static_cast<T>(std::strtod(copy.c_str(), nullptr));
  } else if (result.ec != std::errc() || result.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

std::optional<int32_t> DayOf(int64_t year, int month, int day) {
  if (year < -5'000'000 || year > 5'000'000) return std::nullopt;
  const index::CivilDate date{static_cast<int>(year), month, day};
  if (month < 1 || month > 12 || day < 1 || !index::IsDate(date)) return std::nullopt;
  return static_cast<int32_t>(index::DayOf(date));
}

// Java takes the decimal digits of every script, of the Basic Multilingual Plane.
std::string WithAsciiDigits(std::string_view text) {
  static constexpr std::array<char32_t, 36> kZeros = {
      0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6,
      0x0c66, 0x0ce6, 0x0d66, 0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090,
      0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
      0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10};
  std::string ascii;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    char32_t code = length == 2 ? lead & 0x1f : lead & 0x0f;
    for (size_t k = 1; k < length && i + k < text.size(); ++k)
      code = code << 6 | (text[i + k] & 0x3f);
    bool found = false;
    for (const char32_t zero : kZeros) {
      if (length == 1 || length == 4 || code < zero || code > zero + 9) continue;
      ascii += static_cast<char>('0' + (code - zero));
      found = true;
    }
    if (!found) ascii.append(text.substr(i, length));
    i += length;
  }
  return ascii;
}

struct TimeParts {
  std::array<int64_t, 9> segments{1, 1, 1, 0, 0, 0, 0, 0, 0};
  std::string zone;
  bool only_time = false;
};

// The state machine of Spark's cast: a segment each for year, month, day, hour, minute, second and
// fraction, and the rest of the text as the zone.
class TimeSplitter {
 public:
  explicit TimeSplitter(std::string_view text) : text_(TrimAll(text)) {}

  std::optional<TimeParts> Split() {
    if (text_.empty()) return std::nullopt;
    size_t at = 0;
    int64_t sign = 0;
    if (text_[0] == '-' || text_[0] == '+') {
      sign = text_[0] == '-' ? -1 : 1;
      at = 1;
    }
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (IsDigit(c)) {
        if (segment_ == 6) ++fraction_digits_;
        if (digits_ < (segment_ == 6 ? 6 : 12)) value_ = value_ * 10 + (c - '0');
        ++digits_;
        continue;
      }
      if (at == 0 && c == 'T') {
        parts_.only_time = true;
        segment_ = 3;
      } else if (segment_ == 0 && c == ':' && sign == 0) {
        parts_.only_time = true;
        segment_ = 3;
        if (!Close()) return std::nullopt;
      } else if ((segment_ < 2 && c == '-') || (segment_ == 2 && (c == ' ' || c == 'T')) ||
                 ((segment_ == 3 || segment_ == 4) && c == ':') || (segment_ == 5 && c == '.')) {
        if (!Close()) return std::nullopt;
      } else if (segment_ == 5 || segment_ == 6) {
        if (!Close()) return std::nullopt;
        segment_ = 7;
        parts_.zone = std::string(TrimBlanks(text_.substr(at)));
        if (parts_.zone.empty()) return std::nullopt;
        break;
      } else {
        return std::nullopt;
      }
    }
    if (segment_ < 7 && !Close()) return std::nullopt;
    for (; fraction_digits_ < 6; ++fraction_digits_) parts_.segments[6] *= 10;
    if (sign != 0) parts_.segments[0] *= sign;
    return parts_;
  }

 private:
  bool Close() {
    const bool valid = segment_ == 6 ||
                       (segment_ == 0 ? digits_ >= 4 && digits_ <= 6 : digits_ > 0 && digits_ <= 2);
    if (!valid) return false;
    parts_.segments[segment_++] = value_;
    value_ = digits_ = 0;
    return true;
  }

  std::string_view text_;
  TimeParts parts_;
  int segment_ = 0;
  int64_t value_ = 0;
  int64_t digits_ = 0;
  int fraction_digits_ = 0;
};

std::optional<int64_t> LocalMicros(const TimeParts& parts) {
  const auto& part = parts.segments;
  if (part[3] > 23 || part[4] > 59 || part[5] > 59) return std::nullopt;
  const auto day = DayOf(part[0], static_cast<int>(part[1]), static_cast<int>(part[2]));
  if (!day) return std::nullopt;
  const int64_t seconds = part[3] * 3600 + part[4] * 60 + part[5];
  return JoinMicros(*day, seconds * 1'000'000 + part[6]);
}

// Two digits of an hour or a minute as java.time.ZoneOffset takes them: "+2", "+02", "+02:00",
// "+0200", "+02:00:30", "+020030". Seconds.
std::optional<int64_t> OffsetSeconds(std::string_view text) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const bool negative = text[0] == '-';
  std::string digits;
  const std::string_view rest = text.substr(1);
  switch (rest.size()) {
    case 1:
      digits = "0" + std::string(rest);
      break;
    case 2:
    case 4:
    case 6:
      digits = rest;
      break;
    case 5:
    case 8:
      if (rest[2] != ':' || (rest.size() == 8 && rest[5] != ':')) return std::nullopt;
      for (const char c : rest) {
        if (c != ':') digits += c;
      }
      break;
    default:
      return std::nullopt;
  }
  for (const char c : digits) {
    if (!IsDigit(c)) return std::nullopt;
  }
  if (digits.size() % 2 != 0) return std::nullopt;
  digits.resize(6, '0');
  const auto two = [&digits](int i) { return (digits[i] - '0') * 10 + digits[i + 1] - '0'; };
  const int64_t seconds = two(0) * 3600 + two(2) * 60 + two(4);
  if (two(2) > 59 || two(4) > 59 || seconds > 18 * 3600) return std::nullopt;
  return negative ? -seconds : seconds;
}

// Before Spark 3 an hour or a minute of an offset could lack a digit.
std::string PadOffset(const std::string& zone) {
  std::string padded = zone;
  for (size_t i = 0; i + 2 < padded.size(); ++i) {
    if ((padded[i] == '+' || padded[i] == '-') && IsDigit(padded[i + 1]) && padded[i + 2] == ':') {
      padded.insert(i + 1, "0");
      break;
    }
  }
  const size_t size = padded.size();
  if (size >= 5 && IsDigit(padded[size - 1]) && padded[size - 2] == ':' &&
      IsDigit(padded[size - 3]) && IsDigit(padded[size - 4]) &&
      (padded[size - 5] == '+' || padded[size - 5] == '-')) {
    padded.insert(size - 1, "0");
  }
  return padded;
}

// java.time.ZoneId.SHORT_IDS.
std::string LongZoneName(const std::string& name) {
  static const std::map<std::string, std::string> kShortIds = {
      {"ACT", "Australia/Darwin"},
      {"AET", "Australia/Sydney"},
      {"AGT", "America/Argentina/Buenos_Aires"},
      {"ART", "Africa/Cairo"},
      {"AST", "America/Anchorage"},
      {"BET", "America/Sao_Paulo"},
      {"BST", "Asia/Dhaka"},
      {"CAT", "Africa/Harare"},
      {"CNT", "America/St_Johns"},
      {"CST", "America/Chicago"},
      {"CTT", "Asia/Shanghai"},
      {"EAT", "Africa/Addis_Ababa"},
      {"ECT", "Europe/Paris"},
      {"IET", "America/Indiana/Indianapolis"},
      {"IST", "Asia/Kolkata"},
      {"JST", "Asia/Tokyo"},
      {"MIT", "Pacific/Apia"},
      {"NET", "Asia/Yerevan"},
      {"NST", "Pacific/Auckland"},
      {"PLT", "Asia/Karachi"},
      {"PNT", "America/Phoenix"},
      {"PRT", "America/Puerto_Rico"},
      {"PST", "America/Los_Angeles"},
      {"SST", "Pacific/Guadalcanal"},
      {"VST", "Asia/Ho_Chi_Minh"},
      {"EST", "-05:00"},
      {"MST", "-07:00"},
      {"HST", "-10:00"}};
  const auto found = kShortIds.find(name);
  return found == kShortIds.end() ? name : found->second;
}

// Zones are few and loading one is slow.
std::optional<index::TimeZone> Region(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::optional<index::TimeZone>> zones;
  if (name.find_first_of("/ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 0) return std::nullopt;
  const std::lock_guard lock(mutex);
  const auto found = zones.find(name);
  if (found != zones.end()) return found->second;
  constexpr size_t kMostZones = 2000;
  if (zones.size() > kMostZones) zones.clear();
  std::optional<index::TimeZone> zone;
  try {
    zone = index::TimeZone::Load(name);
  } catch (const Error&) {
    zone.reset();
  }
  zones.emplace(name, zone);
  return zone;
}

}  // namespace

std::string_view TrimAll(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<int64_t> ParseInteger(std::string_view text, int64_t smallest, int64_t largest) {
  if (!IsAscii(text)) {
    const std::string digits = WithAsciiDigits(text);
    return IsAscii(digits) ? ParseInteger(digits, smallest, largest) : std::nullopt;
  }
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < smallest || value > largest) return std::nullopt;
  return value;
}

std::optional<double> ParseDouble(std::string_view text) { return ParseReal<double>(text); }
std::optional<float> ParseFloat(std::string_view text) { return ParseReal<float>(text); }

std::optional<bool> ParseBoolean(std::string_view text) {
  if (EqualsIgnoringCase(text, "true")) return true;
  if (EqualsIgnoringCase(text, "false")) return false;
  return std::nullopt;
}

std::optional<DecimalDigits> ParseDecimalDigits(std::string_view text) {
  if (!IsAscii(text)) {
    const std::string digits = WithAsciiDigits(text);
    return IsAscii(digits) ? ParseDecimalDigits(digits) : std::nullopt;
  }
  DecimalDigits number;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    number.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (!IsDecimalNumber(text)) return std::nullopt;
  if (const size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    const auto given = ParseInteger(text.substr(e + 1), std::numeric_limits<int32_t>::min(),
                                    std::numeric_limits<int32_t>::max());
    if (!given) return std::nullopt;
    number.scale = -*given;
    text = text.substr(0, e);
  }
  bool behind_point = false;
  for (const char c : text) {
    if (c == '.') {
      behind_point = true;
      continue;
    }
    if (behind_point) ++number.scale;
    if (c != '0' || !number.digits.empty()) number.digits += c;
  }
  // The scale of a BigDecimal is an int.
  if (number.scale > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return number;
}

std::optional<arrow::Decimal128> ParseDecimal(std::string_view text, int precision, int scale) {
  auto number = ParseDecimalDigits(text);
  if (!number) return std::nullopt;
  std::string& digits = number->digits;
  if (digits.empty()) return arrow::Decimal128(0);
  // Keep what stands before the last digit of the scale, round by the next.
  const int64_t kept = static_cast<int64_t>(digits.size()) - number->scale + scale;
  if (kept > precision) return std::nullopt;
  if (kept < 0) return arrow::Decimal128(0);
  const bool round_up =
      kept < static_cast<int64_t>(digits.size()) && digits[static_cast<size_t>(kept)] >= '5';
  digits.resize(static_cast<size_t>(kept), '0');
  arrow::Decimal128 value = digits.empty() ? arrow::Decimal128(0) : arrow::Decimal128(digits);
  if (round_up) value += arrow::Decimal128(1);
  if (!value.FitsInPrecision(precision)) return std::nullopt;
  return number->negative ? -value : value;
}

std::optional<arrow::Decimal128> ParseDecimalText(std::string text, int precision, int scale) {
  std::erase(text, ',');
  return ParseDecimal(text, precision, scale);
}

std::optional<int32_t> CastDate(std::string_view given) {
  std::string_view text = TrimAll(given);
  if (text.empty()) return std::nullopt;
  int64_t sign = 1;
  if (text[0] == '-' || text[0] == '+') {
    sign = text[0] == '-' ? -1 : 1;
    text.remove_prefix(1);
  }
  std::array<int64_t, 3> segments{1, 1, 1};
  size_t segment = 0;
  int digits = 0;
  int64_t value = 0;
  const auto valid = [&] {
    return segment == 0 ? digits >= 4 && digits <= 7 : digits > 0 && digits <= 2;
  };
  size_t at = 0;
  for (; at < text.size() && text[at] != ' ' && text[at] != 'T'; ++at) {
    if (segment < 2 && text[at] == '-') {
      if (!valid()) return std::nullopt;
      segments[segment++] = value;
      value = digits = 0;
    } else {
      if (!IsDigit(text[at])) return std::nullopt;
      if (digits < 8) value = value * 10 + (text[at] - '0');
      ++digits;
    }
  }
  if (!valid() || (segment < 2 && at < text.size())) return std::nullopt;
  segments[segment] = value;
  return DayOf(sign * segments[0], static_cast<int>(segments[1]), static_cast<int>(segments[2]));
}

std::optional<int64_t> CastTimestamp(std::string_view text) {
  const auto parts = TimeSplitter(text).Split();
  if (!parts || parts->only_time) return std::nullopt;
  const auto local = LocalMicros(*parts);
  if (!local || parts->zone.empty()) return local;
  return InstantOf(*local, PadOffset(parts->zone));
}

std::optional<int64_t> CastLocalTimestamp(std::string_view text, bool takes_zone) {
  const auto parts = TimeSplitter(text).Split();
  if (!parts || parts->only_time) return std::nullopt;
  const bool zoned = !parts->zone.empty();
  if (zoned && !(takes_zone && InstantOf(0, PadOffset(parts->zone)))) return std::nullopt;
  return LocalMicros(*parts);
}

std::optional<int64_t> InstantOf(int64_t local_micros, const std::string& zone) {
  const auto minus = [local_micros](int64_t seconds) -> std::optional<int64_t> {
    int64_t instant = 0;
    if (__builtin_sub_overflow(local_micros, seconds * 1'000'000, &instant)) return std::nullopt;
    return instant;
  };
  const std::string name = LongZoneName(zone);
  if (name == "Z" || name == "UTC" || name == "GMT" || name == "UT") return local_micros;
  if (const auto seconds = OffsetSeconds(name)) return minus(*seconds);
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (!name.starts_with(prefix)) continue;
    if (const auto seconds = OffsetSeconds(std::string_view(name).substr(prefix.size()))) {
      return minus(*seconds);
    }
  }
  if (name.find_first_of("+-") == 0) return std::nullopt;
  const auto region = Region(name);
  if (!region) return std::nullopt;
  return region->ToInstant(local_micros);
}

std::optional<int64_t> JoinMicros(int64_t days, int64_t micros_of_day) {
  int64_t micros = 0;
  // The first day of the range begins before it.
  if (days < 0 && micros_of_day > 0) {
    days += 1;
    micros_of_day -= index::kMicrosPerDay;
  }
  if (__builtin_mul_overflow(days, index::kMicrosPerDay, &micros) ||
      __builtin_add_overflow(micros, micros_of_day, &micros)) {
    return std::nullopt;
  }
  return micros;
}

}  // namespace ariadne::text
