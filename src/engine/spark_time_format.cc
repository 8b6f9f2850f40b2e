#include "engine/spark_time_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "engine/spark_node.h"

namespace ariadne::engine {

namespace {

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 4> kQuarters = {"1st quarter", "2nd quarter", "3rd quarter",
                                                       "4th quarter"};
constexpr int kFullText = 4;  // letters that ask for the whole name
constexpr int64_t kMicrosPerSecond = 1'000'000;
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// The number with zeros before it up to a width, a minus counted.
void AppendPadded(int64_t value, int width, std::string* text) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::abs(value)).ptr;
  const auto length = static_cast<int>(end - digits.data()) + (value < 0 ? 1 : 0);
  if (value < 0) text->push_back('-');
  if (length < width) text->append(static_cast<size_t>(width - length), '0');
  text->append(digits.data(), end);
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
void AppendYear(int64_t year, int count, std::string* text) {
  if (count == 2) return AppendPadded(std::abs(year) % 100, 2, text);
  if (year < 0) text->push_back('-');
  const size_t begin = text->size();
  AppendPadded(std::abs(year), count, text);
  if (year >= 0 && count >= kFullText && static_cast<int>(text->size() - begin) > count) {
    text->insert(begin, 1, '+');
  }
}

// Microseconds within which a field stays the same, counted from 1970 on.
int64_t UnitOf(char letter, int count) {
  switch (letter) {
    case 'a':
      return index::kMicrosPerDay / 2;
    case 'H':
    case 'h':
    case 'K':
    case 'k':
      return int64_t{3600} * kMicrosPerSecond;
    case 'm':
      return int64_t{60} * kMicrosPerSecond;
    case 's':
      return kMicrosPerSecond;
    case 'S': {
      int64_t unit = kMicrosPerSecond;
      for (int i = 0; i < std::min(count, 6); ++i) unit /= 10;
      return unit;
    }
    default:
      return index::kMicrosPerDay;
  }
}

}  // namespace

TimeFormat::TimeFormat(const std::string& pattern) : pattern_(pattern) {
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
      Add(c, static_cast<int>(at - start));
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

void TimeFormat::Add(char letter, int count) {
  if (MostOf(letter) == 0) {
    throw UnsupportedSpark("in the pattern '" + pattern_ + "' the letter '" +
                           std::string(1, letter) + "' is not supported");
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
  unit_ = std::min(unit_, UnitOf(letter, count));
}

void TimeFormat::Append(int64_t micros, std::string* text) const {
  const index::CivilTime time = index::CivilTimeOf(micros);
  const int64_t day = index::FloorDivide(micros, index::kMicrosPerDay);
  const auto named = [text](std::string_view name, int count) {
    text->append(count == kFullText ? name : name.substr(0, 3));
  };
  for (const Item& item : items_) {
    switch (item.field) {
      case Field::kLiteral:
        text->append(item.text);
        break;
      case Field::kYear:
        AppendYear(time.date.year, item.count, text);
        break;
      case Field::kMonth:
        if (item.count > 2) {
          named(kMonths[time.date.month - 1], item.count);
        } else {
          AppendPadded(time.date.month, item.count, text);
        }
        break;
      case Field::kDay:
        AppendPadded(time.date.day, item.count, text);
        break;
      case Field::kDayOfYear:
        AppendPadded(day - index::DayOf({time.date.year, 1, 1}) + 1, item.count, text);
        break;
      case Field::kHour24:
        AppendPadded(time.hour, item.count, text);
        break;
      case Field::kHour12:
        AppendPadded((time.hour + 11) % 12 + 1, item.count, text);
        break;
      case Field::kHourOfHalf:
        AppendPadded(time.hour % 12, item.count, text);
        break;
      case Field::kHourFromOne:
        AppendPadded((time.hour + 23) % 24 + 1, item.count, text);
        break;
      case Field::kMinute:
        AppendPadded(time.minute, item.count, text);
        break;
      case Field::kSecond:
        AppendPadded(time.second, item.count, text);
        break;
      case Field::kFraction:
        AppendPadded(time.micros, 6, text);
        text->append("000");
        text->resize(text->size() - 9 + item.count);
        break;
      case Field::kHalf:
        text->append(time.hour < 12 ? "AM" : "PM");
        break;
      case Field::kWeekday:
        named(kWeekdays[index::FloorRemainder(day + 3, 7)], item.count);
        break;
      case Field::kQuarter: {
        const int quarter = (time.date.month - 1) / 3 + 1;
        if (item.count == kFullText) {
          text->append(kQuarters[quarter - 1]);
        } else {
          if (item.count == 3) text->push_back('Q');
          AppendPadded(quarter, item.count == 3 ? 1 : item.count, text);
        }
        break;
      }
    }
  }
}

}  // namespace ariadne::engine
