#include "engine/spark_time_pattern.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "engine/spark_node.h"
#include "index/civil_time.h"

namespace ariadne::engine {

namespace {

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 4> kQuarters = {"1st quarter", "2nd quarter", "3rd quarter",
                                                       "4th quarter"};
constexpr int kFullText = 4;   // letters that ask for the whole name
constexpr int kAnyWidth = 19;  // digits that java.time takes at most

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char LowerOf(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool SameText(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return LowerOf(x) == LowerOf(y);
         });
}

std::string Padded(int64_t value, int width) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::abs(value)).ptr;
  std::string text(value < 0 ? "-" : "");
  const auto length = static_cast<int>(end - digits.data() + text.size());
  text.append(static_cast<size_t>(std::max(0, width - length)), '0');
  return text.append(digits.data(), end);
}

// How many of a letter there may be: 0 for letters that are not supported.
int MostOf(char letter) {
  switch (letter) {
    case 'y':
      return 6;
    case 'M':
    case 'L':
    case 'E':
    case 'Q':
    case 'q':
      return 4;
    case 'd':
    case 'H':
    case 'h':
    case 'K':
    case 'k':
    case 'm':
    case 's':
      return 2;
    case 'D':
      return 3;
    case 'S':
      return 9;
    case 'a':
      return 1;
    default:
      return 0;
  }
}

// java.time: the year with a sign where there are more digits than asked for, from four letters on.
std::string YearText(int year, int count) {
  if (count == 2) return Padded(std::abs(year) % 100, 2);
  std::string digits = Padded(std::abs(static_cast<int64_t>(year)), count);
  if (year < 0) return "-" + digits;
  return count >= kFullText && static_cast<int>(digits.size()) > count ? "+" + digits : digits;
}

}  // namespace

struct TimePattern::Parsed {
  std::optional<int64_t> year, month, day, day_of_year;
  std::optional<int64_t> hour, hour_of_half, half;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t micros = 0;

  // A field that the pattern has twice must have one value.
  static bool Set(std::optional<int64_t>& field, int64_t value) {
    if (field && *field != value) return false;
    field = value;
    return true;
  }

  [[nodiscard]] std::optional<int64_t> Resolve() const {
    int64_t day_number = 0;
    const auto in_year = static_cast<int>(year.value_or(1970));
    if (day_of_year) {
      const int64_t first = index::DayOf({in_year, 1, 1});
      const int64_t days = index::DayOf({in_year + 1, 1, 1}) - first;
      if (*day_of_year < 1 || *day_of_year > days) return {};
      day_number = first + *day_of_year - 1;
      const index::CivilDate date = index::CivilDateOf(day_number);
      if ((month && *month != date.month) || (day && *day != date.day)) return {};
    } else {
      const index::CivilDate date{in_year, static_cast<int>(month.value_or(1)),
                                  static_cast<int>(day.value_or(1))};
      if (!index::IsDate(date)) return {};
      day_number = index::DayOf(date);
    }
    int64_t in_day = 0;
    if (hour) {
      in_day = *hour;
      if (half && *half != in_day / 12) return {};
      if (hour_of_half && *hour_of_half != in_day % 12) return {};
    } else if (hour_of_half) {
      in_day = half.value_or(0) * 12 + *hour_of_half;
    } else {
      in_day = half.value_or(0) * 12;
    }
    const __int128 exact = static_cast<__int128>(day_number) * index::kMicrosPerDay +
                           ((in_day * 60 + minute) * 60 + second) * 1'000'000 + micros;
    const auto out = static_cast<int64_t>(exact);
    return out == exact ? std::optional(out) : std::nullopt;
  }
};

bool TimePattern::Item::is_text() const {
  switch (field) {
    case Field::kLiteral:
    case Field::kHalf:
    case Field::kWeekday:
    case Field::kFraction:
      return true;
    case Field::kMonth:
    case Field::kQuarter:
      return count > 2;
    default:
      return false;
  }
}

TimePattern::TimePattern(const std::string& pattern, Use use) : pattern_(pattern) {
  const auto literal = [this](const std::string& text) {
    if (!items_.empty() && items_.back().field == Field::kLiteral) {
      items_.back().text += text;
    } else {
      items_.push_back({Field::kLiteral, 0, text});
    }
  };
  for (size_t at = 0; at < pattern.size();) {
    const char c = pattern[at];
    if (IsLetter(c)) {
      const size_t start = at;
      while (at < pattern.size() && pattern[at] == c) ++at;
      Add(c, static_cast<int>(at - start), use);
    } else if (c == '\'') {
      std::string text;
      bool closed = false;
      for (++at; at < pattern.size() && !closed; ++at) {
        if (pattern[at] != '\'') {
          text += pattern[at];
        } else if (at + 1 < pattern.size() && pattern[at + 1] == '\'') {
          text += pattern[at++];
        } else {
          closed = true;
        }
      }
      if (!closed) throw UnsupportedSpark("in the pattern '" + pattern + "' a quote is not closed");
      literal(text.empty() ? "'" : text);
    } else if (c == '[' || c == ']' || c == '{' || c == '}' || c == '#') {
      throw UnsupportedSpark("in the pattern '" + pattern + "' the character '" +
                             std::string(1, c) + "' is not supported");
    } else {
      literal(std::string(1, c));
      ++at;
    }
  }
}

void TimePattern::Add(char letter, int count, Use use) {
  const bool parsable = use == Use::kFormat || (letter != 'E' && letter != 'Q' && letter != 'q');
  if (MostOf(letter) == 0 || !parsable) {
    throw UnsupportedSpark("in the pattern '" + pattern_ + "' the letter '" +
                           std::string(1, letter) + "' is not supported" +
                           (parsable ? "" : " for reading"));
  }
  if (count > MostOf(letter)) {
    throw UnsupportedSpark("in the pattern '" + pattern_ + "' there are too many '" +
                           std::string(1, letter) + "'");
  }
  const auto field = [letter] {
    switch (letter) {
      case 'y':
        return Field::kYear;
      case 'M':
      case 'L':
        return Field::kMonth;
      case 'd':
        return Field::kDay;
      case 'D':
        return Field::kDayOfYear;
      case 'H':
        return Field::kHour24;
      case 'h':
        return Field::kHour12;
      case 'K':
        return Field::kHourOfHalf;
      case 'k':
        return Field::kHourFromOne;
      case 'm':
        return Field::kMinute;
      case 's':
        return Field::kSecond;
      case 'S':
        return Field::kFraction;
      case 'a':
        return Field::kHalf;
      case 'E':
        return Field::kWeekday;
      default:
        return Field::kQuarter;
    }
  };
  items_.push_back({field(), count, {}});
}

std::optional<std::string> TimePattern::Format(int64_t micros) const {
  const index::CivilTime time = index::CivilTimeOf(micros);
  const int64_t day = index::FloorDivide(micros, index::kMicrosPerDay);
  const auto named = [](std::string_view name, int count) {
    return std::string(count == kFullText ? name : name.substr(0, 3));
  };
  std::string out;
  for (const Item& item : items_) {
    switch (item.field) {
      case Field::kLiteral:
        out += item.text;
        break;
      case Field::kYear:
        out += YearText(time.date.year, item.count);
        break;
      case Field::kMonth:
        out += item.is_text() ? named(kMonths[time.date.month - 1], item.count)
                              : Padded(time.date.month, item.count);
        break;
      case Field::kDay:
        out += Padded(time.date.day, item.count);
        break;
      case Field::kDayOfYear:
        out += Padded(day - index::DayOf({time.date.year, 1, 1}) + 1, item.count);
        break;
      case Field::kHour24:
        out += Padded(time.hour, item.count);
        break;
      case Field::kHour12:
        out += Padded((time.hour + 11) % 12 + 1, item.count);
        break;
      case Field::kHourOfHalf:
        out += Padded(time.hour % 12, item.count);
        break;
      case Field::kHourFromOne:
        out += Padded((time.hour + 23) % 24 + 1, item.count);
        break;
      case Field::kMinute:
        out += Padded(time.minute, item.count);
        break;
      case Field::kSecond:
        out += Padded(time.second, item.count);
        break;
      case Field::kFraction:
        out += (Padded(time.micros, 6) + "000").substr(0, item.count);
        break;
      case Field::kHalf:
        out += time.hour < 12 ? "AM" : "PM";
        break;
      case Field::kWeekday:
        out += named(kWeekdays[index::FloorRemainder(day + 3, 7)], item.count);
        break;
      case Field::kQuarter: {
        const int quarter = (time.date.month - 1) / 3 + 1;
        out += item.count == kFullText ? std::string(kQuarters[quarter - 1])
               : item.count == 3       ? "Q" + std::to_string(quarter)
                                       : Padded(quarter, item.count);
        break;
      }
    }
  }
  return out;
}

// Digits that the numbers of fixed width right behind this one take: it leaves them to them.
int TimePattern::WidthAfter(size_t place) const {
  int width = 0;
  for (size_t i = place + 1; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.is_text()) break;
    const bool fixed = item.count == 2 && item.field != Field::kDayOfYear;
    const bool fixed_day = item.field == Field::kDayOfYear && item.count == 3;
    if (!fixed && !fixed_day) break;
    width += item.count;
  }
  return width;
}

// As java.time's strict parser: widths by the number of letters, a sign for years alone.
bool TimePattern::ParseNumber(const Item& item, size_t place, std::string_view text, size_t* at,
                              int64_t* value) const {
  const bool is_year = item.field == Field::kYear && item.count != 2;
  int least = item.count;
  int most = kAnyWidth;
  if (item.count == 2 && item.field != Field::kDayOfYear) most = 2;
  if (item.field == Field::kDayOfYear && item.count > 1) most = 3;
  const bool exceeds = is_year && item.count >= kFullText;
  bool negative = false;
  bool positive = false;
  const bool may_sign = item.count == 1 || is_year;
  if (*at < text.size() && text[*at] == '-' && may_sign) negative = true;
  if (*at < text.size() && text[*at] == '+' && exceeds) positive = true;
  if (negative || positive) ++*at;
  const auto available = [&] {
    int digits = 0;
    while (*at + digits < text.size() && IsDigit(text[*at + digits])) ++digits;
    return digits;
  };
  const int after = least == most ? 0 : WidthAfter(place);
  int length = std::min(available(), most + after);
  if (after > 0) length = std::max(least, length - after);
  length = std::min(length, available());
  if (length < least || length > kAnyWidth - 1) return false;
  *value = 0;
  for (int i = 0; i < length; ++i) *value = *value * 10 + (text[*at + i] - '0');
  *at += length;
  if (negative) {
    if (*value == 0) return false;
    *value = -*value;
  }
  if (exceeds) {
    if (positive && length <= item.count) return false;
    if (!positive && !negative && length > item.count) return false;
  }
  return true;
}

bool TimePattern::ParseItem(size_t place, std::string_view text, size_t* at, Parsed* parsed) const {
  const Item& item = items_[place];
  if (item.field == Field::kLiteral) {
    if (!SameText(text.substr(std::min(*at, text.size()), item.text.size()), item.text)) {
      return false;
    }
    *at += item.text.size();
    return true;
  }
  if (item.field == Field::kHalf) {
    const std::string_view half = text.substr(std::min(*at, text.size()), 2);
    if (!SameText(half, "AM") && !SameText(half, "PM")) return false;
    *at += 2;
    return Parsed::Set(parsed->half, SameText(half, "PM") ? 1 : 0);
  }
  if (item.field == Field::kMonth && item.is_text()) {
    for (size_t month = 0; month < kMonths.size(); ++month) {
      const auto name = item.count == kFullText ? kMonths[month] : kMonths[month].substr(0, 3);
      if (!SameText(text.substr(std::min(*at, text.size()), name.size()), name)) continue;
      *at += name.size();
      return Parsed::Set(parsed->month, static_cast<int64_t>(month) + 1);
    }
    return false;
  }
  if (item.field == Field::kFraction) {
    int64_t nanos = 0;
    int digits = 0;
    for (; digits < item.count && *at < text.size() && IsDigit(text[*at]); ++digits, ++*at) {
      nanos = nanos * 10 + (text[*at] - '0');
    }
    if (digits == 0) return false;
    for (; digits < 9; ++digits) nanos *= 10;
    parsed->micros = nanos / 1000;
    return true;
  }
  int64_t value = 0;
  if (!ParseNumber(item, place, text, at, &value)) return false;
  const auto between = [&value](int64_t least, int64_t most) {
    return value >= least && value <= most;
  };
  switch (item.field) {
    case Field::kYear:
      if (item.count == 2) value += 2000;
      return between(-999'999'999, 999'999'999) && Parsed::Set(parsed->year, value);
    case Field::kMonth:
      return between(1, 12) && Parsed::Set(parsed->month, value);
    case Field::kDay:
      return between(1, 31) && Parsed::Set(parsed->day, value);
    case Field::kDayOfYear:
      return between(1, 366) && Parsed::Set(parsed->day_of_year, value);
    case Field::kHour24:
      return between(0, 23) && Parsed::Set(parsed->hour, value);
    case Field::kHourFromOne:
      return between(1, 24) && Parsed::Set(parsed->hour, value % 24);
    case Field::kHour12:
      return between(1, 12) && Parsed::Set(parsed->hour_of_half, value % 12);
    case Field::kHourOfHalf:
      return between(0, 11) && Parsed::Set(parsed->hour_of_half, value);
    case Field::kMinute:
      parsed->minute = value;
      return between(0, 59);
    case Field::kSecond:
      parsed->second = value;
      return between(0, 59);
    default:
      return false;
  }
}

std::optional<int64_t> TimePattern::Parse(std::string_view text) const {
  Parsed parsed;
  size_t at = 0;
  for (size_t place = 0; place < items_.size(); ++place) {
    if (!ParseItem(place, text, &at, &parsed)) return {};
  }
  if (at != text.size()) return {};
  return parsed.Resolve();
}

}  // namespace ariadne::engine
