#include "engine/spark_value_text.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>

#include "ariadne/errors.h"
#include "engine/spark_utf8.h"
#include "index/blank_text.h"
#include "index/civil_time.h"
#include "index/java_double.h"

namespace ariadne::engine {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Spark's trimAll: blanks and control characters, DEL among them.
std::string_view TrimAll(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

std::optional<std::string> SpecialNumber(std::string_view text) {
  const std::string lower = Lower(index::WithoutBlanks(text));
  if (lower == "inf" || lower == "+inf" || lower == "infinity" || lower == "+infinity") {
    return "inf";
  }
  if (lower == "-inf" || lower == "-infinity") return "-inf";
  if (lower == "nan") return "nan";
  return {};
}

// A FloatingPointLiteral of Java: digits, exponent, a trailing d or f; hexadecimal with a p.
bool IsJavaNumber(std::string_view text, bool* hexadecimal) {
  size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  *hexadecimal =
      text.size() > at + 1 && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');
  if (*hexadecimal) at += 2;
  const auto digit = [hexadecimal](char c) {
    return IsDigit(c) || (*hexadecimal && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
  };
  size_t digits = 0;
  bool point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !point) {
      point = true;
    } else if (digit(text[at])) {
      ++digits;
    } else {
      break;
    }
  }
  if (digits == 0) return false;
  const char mark = *hexadecimal ? 'p' : 'e';
  const bool exponent = at < text.size() && (text[at] | 0x20) == mark;
  if (exponent) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const size_t start = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    if (at == start) return false;
  } else if (*hexadecimal) {
    return false;
  }
  if (at < text.size() && ((text[at] | 0x20) == 'd' || (text[at] | 0x20) == 'f')) ++at;
  return at == text.size();
}

template <typename T>
std::optional<T> ParseFloating(std::string_view text) {
  const std::string_view trimmed = index::WithoutBlanks(text);
  bool hexadecimal = false;
  if (!IsJavaNumber(trimmed, &hexadecimal)) {
    const auto special = SpecialNumber(text);
    if (!special) return {};
    if (*special == "nan") return std::numeric_limits<T>::quiet_NaN();
    const T infinity = std::numeric_limits<T>::infinity();
    return *special == "inf" ? infinity : -infinity;
  }
  std::string number(trimmed);
  const char last = static_cast<char>(number.back() | 0x20);
  if (last == 'f' && !hexadecimal) number.pop_back();
  if (last == 'd' && !hexadecimal) number.pop_back();
  if (hexadecimal && number.find_first_of("pP") != std::string::npos && !IsDigit(number.back())) {
    number.pop_back();
  }
  if constexpr (std::is_same_v<T, float>) return std::strtof(number.c_str(), nullptr);
  return static_cast<T>(std::strtod(number.c_str(), nullptr));
}

// Java's ZoneId.SHORT_IDS.
const std::map<std::string, std::string>& ShortZones() {
  static const std::map<std::string, std::string> kZones = {
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
  return kZones;
}

// Offset in seconds of `+h`, `+hh`, `+hh:mm`, `+hhmm`, `+hh:mm:ss`, `+hhmmss` and, in Spark,
// `+h:mm` and `+hh:m`; at most 18 hours.
std::optional<int64_t> ParseOffset(std::string_view text) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return {};
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  std::array<int, 3> parts{};
  const auto take = [&text](size_t count) {
    int value = 0;
    for (size_t i = 0; i < count; ++i) value = value * 10 + (text[i] - '0');
    text.remove_prefix(count);
    return value;
  };
  const auto digits = [&text] {
    size_t count = 0;
    while (count < text.size() && IsDigit(text[count])) ++count;
    return count;
  };
  const size_t first = digits();
  if (first == text.size() && (first == 4 || first == 6)) {
    for (size_t i = 0; i < first / 2; ++i) parts[i] = take(2);
  } else {
    if (first != 1 && first != 2) return {};
    parts[0] = take(first);
    for (size_t i = 1; i < 3 && !text.empty(); ++i) {
      if (text[0] != ':') return {};
      text.remove_prefix(1);
      const size_t count = digits();
      // A single digit of minutes is Spark's own leniency, where nothing follows.
      if (count != 2 && !(i == 1 && count == 1 && text.size() == 1 && first == 2)) return {};
      parts[i] = take(count);
    }
  }
  if (!text.empty() || parts[1] > 59 || parts[2] > 59) return {};
  const int64_t seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
  if (seconds > 18 * 3600) return {};
  return sign * seconds;
}

// Microseconds since the epoch of what the zone's clock shows.
std::optional<int64_t> Instant(int64_t local, std::string_view zone) {
  if (zone.empty() || zone == "Z") return zone.empty() ? std::nullopt : std::optional(local);
  std::string name(zone);
  const auto known = ShortZones().find(name);
  if (known != ShortZones().end()) name = known->second;
  std::string_view offset = name;
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (offset.substr(0, prefix.size()) != prefix) continue;
    offset.remove_prefix(prefix.size());
    if (offset.empty()) return local;
    break;
  }
  int64_t instant = 0;
  if (const auto seconds = ParseOffset(offset)) {
    if (__builtin_sub_overflow(local, *seconds * 1'000'000, &instant)) return {};
    return instant;
  }
  if (offset.size() != name.size() || name.find_first_of("+-") == 0) return {};
  try {
    return index::TimeZone::Load(name).ToInstant(local);
  } catch (const InvalidArgument&) {
    return {};
  }
}

// The parts of a timestamp, read left to right.
struct TimestampReader {
  std::string_view text;
  size_t at = 0;

  // Digits of one part; false unless `least` to `most` of them.
  bool Digits(size_t least, size_t most, int64_t* value) {
    const size_t start = at;
    *value = 0;
    while (at < text.size() && IsDigit(text[at]) && at - start <= most) {
      *value = *value * 10 + (text[at++] - '0');
    }
    return at - start >= least && at - start <= most;
  }
  [[nodiscard]] bool Done() const { return at == text.size(); }
  bool Take(char c) {
    if (Done() || text[at] != c) return false;
    ++at;
    return true;
  }
};

std::optional<int64_t> DaysOf(int64_t year, int64_t month, int64_t day) {
  const index::CivilDate date{static_cast<int>(year), static_cast<int>(month),
                              static_cast<int>(day)};
  if (!index::IsDate(date)) return {};
  return index::DayOf(date);
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
  text = TrimAll(text);
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

std::optional<double> ParseDouble(std::string_view text) { return ParseFloating<double>(text); }
std::optional<float> ParseFloat(std::string_view text) { return ParseFloating<float>(text); }

std::optional<bool> ParseBoolean(std::string_view text) {
  const std::string lower = Lower(TrimAll(text));
  if (lower == "t" || lower == "true" || lower == "y" || lower == "yes" || lower == "1") {
    return true;
  }
  if (lower == "f" || lower == "false" || lower == "n" || lower == "no" || lower == "0") {
    return false;
  }
  return {};
}

std::optional<int32_t> ParseDate(std::string_view text) {
  TimestampReader reader{TrimAll(text)};
  const bool negative = reader.Take('-');
  if (!negative) reader.Take('+');
  int64_t year = 0;
  int64_t month = 1;
  int64_t day = 1;
  if (!reader.Digits(4, 7, &year)) return {};
  if (reader.Take('-')) {
    if (!reader.Digits(1, 2, &month)) return {};
    if (reader.Take('-')) {
      if (!reader.Digits(1, 2, &day)) return {};
      // A time of day, or anything else, may follow the day.
      if (reader.Take(' ') || reader.Take('T')) reader.at = reader.text.size();
    }
  }
  if (!reader.Done()) return {};
  const auto days = DaysOf(negative ? -year : year, month, day);
  if (!days || *days > INT32_MAX || *days < INT32_MIN) return {};
  return static_cast<int32_t>(*days);
}

std::optional<int64_t> ParseTimestamp(std::string_view text, bool zoned) {
  TimestampReader reader{TrimAll(text)};
  const bool negative = reader.Take('-');
  if (!negative) reader.Take('+');
  int64_t year = 0;
  std::array<int64_t, 2> date{1, 1};
  std::array<int64_t, 3> time{};
  int64_t micros = 0;
  std::string_view zone;
  if (!reader.Digits(4, 6, &year)) return {};
  bool has_time = false;
  for (size_t i = 0; i < 2 && reader.Take('-'); ++i) {
    if (!reader.Digits(1, 2, &date[i])) return {};
    has_time = i == 1 && (reader.Take(' ') || reader.Take('T'));
  }
  if (has_time) {
    if (!reader.Digits(1, 2, &time[0])) return {};
    bool seconds = false;
    for (size_t i = 1; i < 3 && reader.Take(':'); ++i) {
      if (!reader.Digits(1, 2, &time[i])) return {};
      seconds = i == 2;
    }
    if (seconds && reader.Take('.')) {
      const size_t start = reader.at;
      for (; !reader.Done() && IsDigit(reader.text[reader.at]); ++reader.at) {
        // Past microseconds digits are cut off.
        if (reader.at - start < 6) micros = micros * 10 + (reader.text[reader.at] - '0');
      }
      for (size_t digits = reader.at - start; digits < 6; ++digits) micros *= 10;
    }
    if (seconds && !reader.Done()) {
      zone = TrimAll(reader.text.substr(reader.at));
      reader.at = reader.text.size();
    }
  }
  if (!reader.Done() || time[0] > 23 || time[1] > 59 || time[2] > 59) return {};
  const auto days = DaysOf(negative ? -year : year, date[0], date[1]);
  if (!days) return {};
  const __int128 exact = static_cast<__int128>(*days) * index::kMicrosPerDay +
                         ((time[0] * 60 + time[1]) * 60 + time[2]) * 1'000'000 + micros;
  const auto local = static_cast<int64_t>(exact);
  if (local != exact) return {};
  if (zone.empty()) return local;
  const auto instant = Instant(local, zone);
  return zoned || !instant ? instant : local;
}

std::string AsciiDigits(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = std::min(Utf8Length(text[at]), text.size() - at);
    int32_t digit = -1;
    // Java looks at units of UTF-16: digits beyond the first plane are none.
    if (length == 2 || length == 3) {
      uint32_t code = static_cast<unsigned char>(text[at]) & (0xFF >> (length + 1));
      for (size_t i = 1; i < length; ++i) code = code << 6 | (text[at + i] & 0x3F);
      digit = u_charDigitValue(static_cast<UChar32>(code));
    }
    if (digit >= 0) {
      out += static_cast<char>('0' + digit);
    } else {
      out += text.substr(at, length);
    }
    at += length;
  }
  return out;
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
