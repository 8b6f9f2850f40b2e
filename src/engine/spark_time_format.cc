#include "engine/spark_time_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

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
constexpr int kFullText = 4;  // letters that ask for the whole name
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
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
}

std::optional<std::string> TimeFormat::Format(int64_t micros) const {
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
        out += item.count > 2 ? named(kMonths[time.date.month - 1], item.count)
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

}  // namespace ariadne::engine
