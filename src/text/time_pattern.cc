#include "text/time_pattern.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ariadne/errors.h"
#include "index/civil_time.h"
#include "text/value_text.h"

namespace ariadne::text {

namespace {

constexpr std::string_view kSupported =
    "y M L d D H h k K m s S a X x Z VV, quoted text '…' and optional parts […]";
constexpr std::array<std::string_view, 12> kMonths = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool StartsWith(std::string_view text, std::string_view wanted) {
  if (text.size() < wanted.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (Lower(text[i]) != Lower(wanted[i])) return false;
  }
  return true;
}

[[noreturn]] void Refuse(const std::string& owner, const std::string& what) {
  throw InvalidArgument(owner + ": " + what + ". Supported are the pattern letters " +
                        std::string(kSupported));
}

}  // namespace

struct TimePattern::Fields {
  std::optional<int64_t> year, month, day, day_of_year;
  std::optional<int64_t> hour, half_hour, minute, second, half, offset;
  std::optional<int64_t> nanos;
  std::string zone;

  // A field that two pieces give must have one value.
  static bool Set(std::optional<int64_t>* field, int64_t value) {
    if (*field && **field != value) return false;
    *field = value;
    return true;
  }

  /// Days since 1970-01-01; nullopt where there is no such day, or the fields contradict each
  /// other.
  [[nodiscard]] std::optional<int32_t> Day() const {
    const int64_t in_year = year.value_or(1970);
    constexpr int64_t kLastYear = 5'000'000;
    if (in_year < -kLastYear || in_year > kLastYear) return std::nullopt;
    const auto outside = [](const std::optional<int64_t>& value, int64_t most) {
      return value && (*value < 1 || *value > most);
    };
    if (outside(month, 12) || outside(day, 31) || outside(day_of_year, 366)) return std::nullopt;
    index::CivilDate date{static_cast<int>(in_year), static_cast<int>(month.value_or(1)),
                          static_cast<int>(day.value_or(1))};
    // Without a year Java cannot tell which day it is, and Spark leaves it out of account.
    if (day_of_year && year) {
      date = index::CivilDateOf(index::DayOf({date.year, 1, 1}) + *day_of_year - 1);
      const bool same = date.year == in_year && month.value_or(date.month) == date.month &&
                        day.value_or(date.day) == date.day;
      if (!same) return std::nullopt;
    }
    if (!index::IsDate(date)) return std::nullopt;
    return static_cast<int32_t>(index::DayOf(date));
  }

  /// The hour of the day, likewise.
  [[nodiscard]] std::optional<int64_t> Hour() const {
    if (!hour) return half.value_or(0) * 12 + half_hour.value_or(0);
    if (*hour < 0 || *hour > 23) return std::nullopt;
    const bool same =
        half.value_or(*hour / 12) == *hour / 12 && half_hour.value_or(*hour % 12) == *hour % 12;
    return same ? hour : std::nullopt;
  }

  /// Microseconds since the epoch of the clock that shows the fields.
  [[nodiscard]] std::optional<int64_t> LocalMicros() const {
    const auto days = Day();
    const auto hours = Hour();
    if (!days || !hours) return std::nullopt;
    const int64_t seconds = *hours * 3600 + minute.value_or(0) * 60 + second.value_or(0);
    return JoinMicros(*days, seconds * 1'000'000 + nanos.value_or(0) / 1000);
  }
};

TimePattern::TimePattern(const std::string& owner, std::string pattern)
    : pattern_(std::move(pattern)) {
  // Pieces within quotes are literals; two quotes in a row are one, inside or outside.
  std::string_view rest = pattern_;
  while (!rest.empty()) {
    if (rest[0] == '\'') {
      std::string literal;
      size_t at = 1;
      while (true) {
        if (at >= rest.size()) Refuse(owner, "the pattern '" + pattern_ + "' has an open quote");
        if (rest[at] != '\'') {
          literal += rest[at++];
        } else if (at + 1 < rest.size() && rest[at + 1] == '\'') {
          literal += '\'';
          at += 2;
        } else {
          break;
        }
      }
      if (literal.empty()) literal = "'";
      pieces_.push_back({.field = Field::kLiteral, .text = literal});
      adjacent_ = -1;
      rest.remove_prefix(at + 1);
      continue;
    }
    size_t length = 1;
    if (IsLetter(rest[0])) {
      while (length < rest.size() && rest[length] == rest[0]) ++length;
      AddLetters(owner, rest[0], static_cast<int>(length));
    } else {
      AddPart(owner, rest.substr(0, 1));
    }
    rest.remove_prefix(length);
  }
  if (!open_.empty()) {
    // Java closes what the pattern leaves open.
    while (!open_.empty()) AddPart(owner, "]");
  }
}

void TimePattern::AddPart(const std::string& owner, std::string_view part) {
  adjacent_ = -1;
  const char c = part[0];
  if (c == '[') {
    open_.push_back(pieces_.size());
    pieces_.push_back({.field = Field::kOptionalBegin});
  } else if (c == ']') {
    if (open_.empty())
      Refuse(owner, "the pattern '" + pattern_ + "' closes a part that none opens");
    pieces_[open_.back()].end = pieces_.size();
    open_.pop_back();
    pieces_.push_back({.field = Field::kOptionalEnd});
  } else if (c == '{' || c == '}' || c == '#') {
    Refuse(owner, "the pattern '" + pattern_ + "' has the reserved character '" + c + "'");
  } else {
    pieces_.push_back({.field = Field::kLiteral, .text = std::string(part)});
  }
}

void TimePattern::AddNumber(Piece piece, int fixed_width) {
  if (fixed_width > 0) {
    piece.min_width = piece.max_width = fixed_width;
    // Digits without anything between: the first piece leaves as many as those behind it need.
    if (adjacent_ >= 0) {
      pieces_[adjacent_].reserved += fixed_width;
    } else {
      adjacent_ = static_cast<int>(pieces_.size());
    }
  } else {
    adjacent_ = static_cast<int>(pieces_.size());
  }
  pieces_.push_back(std::move(piece));
}

void TimePattern::AddLetters(const std::string& owner, char letter, int count) {
  const auto refuse = [&] {
    Refuse(owner, "in the pattern '" + pattern_ + "' the letter '" + std::string(1, letter) +
                      "', " + std::to_string(count) + " times, is not supported");
  };
  const auto number = [&](Field field) {
    if (count > 2) refuse();
    AddNumber({.field = field, .negative = count == 1}, count == 2 ? 2 : 0);
  };
  switch (letter) {
    case 'y':
      if (count > 6) refuse();
      if (count == 2) {
        AddNumber({.field = Field::kYear, .two_digits = true}, 2);
      } else {
        AddNumber(
            {.field = Field::kYear, .min_width = count, .exceeds_pad = count > 3, .negative = true},
            0);
      }
      break;
    case 'M':
    case 'L':
      if (count > 4) refuse();
      if (count > 2) {
        adjacent_ = -1;
        pieces_.push_back({.field = Field::kMonthName, .full_name = count == 4});
      } else {
        number(Field::kMonth);
      }
      break;
    case 'd':
      number(Field::kDay);
      break;
    case 'D': {
      if (count > 3) refuse();
      Piece piece{.field = Field::kDayOfYear, .min_width = count, .negative = count == 1};
      if (count > 1) piece.max_width = 3;
      AddNumber(std::move(piece), count == 3 ? 3 : 0);
      break;
    }
    case 'H':
      number(Field::kHour);
      break;
    case 'h':
      number(Field::kClockHalfHour);
      break;
    case 'k':
      number(Field::kClockHour);
      break;
    case 'K':
      number(Field::kHalfHour);
      break;
    case 'm':
      number(Field::kMinute);
      break;
    case 's':
      number(Field::kSecond);
      break;
    case 'S':
      if (count > 9) refuse();
      adjacent_ = -1;
      pieces_.push_back({.field = Field::kFraction, .max_width = count});
      break;
    case 'a':
      if (count > 1) refuse();
      adjacent_ = -1;
      pieces_.push_back({.field = Field::kHalf});
      break;
    case 'X':
    case 'x':
      if (count > 5) refuse();
      adjacent_ = -1;
      pieces_.push_back({.field = Field::kOffset,
                         .colon = count == 3 || count == 5,
                         .minutes_optional = count == 1,
                         .seconds = count > 3,
                         .text = letter == 'X'              ? "Z"
                                 : count == 1               ? "+00"
                                 : count == 3 || count == 5 ? "+00:00"
                                                            : "+0000"});
      break;
    case 'Z':
      if (count > 3) refuse();
      adjacent_ = -1;
      pieces_.push_back({.field = Field::kOffset, .text = "+0000"});
      break;
    case 'V':
      if (count != 2) refuse();
      adjacent_ = -1;
      pieces_.push_back({.field = Field::kZone});
      break;
    default:
      refuse();
  }
}

std::optional<size_t> TimePattern::ParseMonthName(const Piece& piece, std::string_view rest,
                                                  Fields* fields) {
  for (size_t month = 0; month < kMonths.size(); ++month) {
    const std::string_view name = piece.full_name ? kMonths[month] : kMonths[month].substr(0, 3);
    if (!StartsWith(rest, name)) continue;
    if (!Fields::Set(&fields->month, static_cast<int64_t>(month) + 1)) return std::nullopt;
    return name.size();
  }
  return std::nullopt;
}

std::optional<size_t> TimePattern::ParseHalf(std::string_view rest, Fields* fields) {
  const bool morning = StartsWith(rest, "am");
  if (!morning && !StartsWith(rest, "pm")) return std::nullopt;
  if (!Fields::Set(&fields->half, morning ? 0 : 1)) return std::nullopt;
  return 2;
}

std::optional<size_t> TimePattern::ParseFraction(const Piece& piece, std::string_view rest,
                                                 Fields* fields) {
  const size_t most = std::min<size_t>(piece.max_width, rest.size());
  size_t digits = 0;
  int64_t nanos = 0;
  for (; digits < most && IsDigit(rest[digits]); ++digits) nanos = nanos * 10 + rest[digits] - '0';
  if (digits == 0) return std::nullopt;
  constexpr size_t kNanoDigits = 9;
  for (size_t i = digits; i < kNanoDigits; ++i) nanos *= 10;
  if (!Fields::Set(&fields->nanos, nanos)) return std::nullopt;
  return digits;
}

std::optional<size_t> TimePattern::ParseOffset(const Piece& piece, std::string_view rest,
                                               Fields* fields) {
  if (StartsWith(rest, piece.text)) {
    if (!Fields::Set(&fields->offset, 0)) return std::nullopt;
    return piece.text.size();
  }
  if (rest.empty() || (rest[0] != '+' && rest[0] != '-')) return std::nullopt;
  size_t place = 1;
  const auto two_digits = [&](bool colon) -> std::optional<int64_t> {
    const size_t from = place + (colon ? 1 : 0);
    if (from + 2 > rest.size() || (colon && rest[place] != ':')) return std::nullopt;
    if (!IsDigit(rest[from]) || !IsDigit(rest[from + 1])) return std::nullopt;
    const int64_t value = (rest[from] - '0') * 10 + rest[from + 1] - '0';
    if (place > 1 && value > 59) return std::nullopt;
    place = from + 2;
    return value;
  };
  const auto hours = two_digits(false);
  if (!hours) return std::nullopt;
  const auto minutes = two_digits(piece.colon);
  if (!minutes && !piece.minutes_optional) return std::nullopt;
  const auto seconds =
      piece.seconds && minutes ? two_digits(piece.colon) : std::optional<int64_t>();
  const int64_t total = *hours * 3600 + minutes.value_or(0) * 60 + seconds.value_or(0);
  if (total > 18 * 3600) return std::nullopt;
  if (!Fields::Set(&fields->offset, rest[0] == '-' ? -total : total)) return std::nullopt;
  return place;
}

std::optional<size_t> TimePattern::ParseZone(std::string_view rest, Fields* fields) {
  constexpr std::string_view kOthers = "/_+-:~.";
  size_t length = 0;
  while (length < rest.size() && (IsLetter(rest[length]) || IsDigit(rest[length]) ||
                                  kOthers.find(rest[length]) != std::string_view::npos)) {
    ++length;
  }
  fields->zone = std::string(rest.substr(0, length));
  if (length == 0 || !InstantOf(0, fields->zone)) return std::nullopt;
  return length;
}

std::optional<size_t> TimePattern::ParseNumber(const Piece& piece, std::string_view rest,
                                               Fields* fields) {
  const bool negative = piece.negative && rest.starts_with('-');
  const bool positive = piece.exceeds_pad && rest.starts_with('+');
  const size_t sign = negative || positive ? 1 : 0;
  size_t digits = 0;
  while (sign + digits < rest.size() && IsDigit(rest[sign + digits])) ++digits;
  const auto least = static_cast<size_t>(piece.min_width);
  auto most = static_cast<size_t>(piece.max_width);
  const auto reserved = static_cast<size_t>(piece.reserved);
  if (reserved > 0) most = std::min(most, std::max(least, digits - std::min(digits, reserved)));
  digits = std::min(digits, most);
  constexpr size_t kMostDigits = 18;
  if (digits < least || digits > kMostDigits) return std::nullopt;
  int64_t value = 0;
  for (size_t i = 0; i < digits; ++i) value = value * 10 + (rest[sign + i] - '0');
  if (negative && value == 0) return std::nullopt;
  if (piece.exceeds_pad && !negative && positive != (digits > least)) return std::nullopt;
  if (!SetNumber(piece, negative ? -value : value, fields)) return std::nullopt;
  return sign + digits;
}

bool TimePattern::SetNumber(const Piece& piece, int64_t value, Fields* fields) {
  switch (piece.field) {
    case Field::kYear:
      return Fields::Set(&fields->year, piece.two_digits ? value + 2000 : value);
    case Field::kMonth:
      return Fields::Set(&fields->month, value);
    case Field::kDay:
      return Fields::Set(&fields->day, value);
    case Field::kDayOfYear:
      return Fields::Set(&fields->day_of_year, value);
    case Field::kHour:
      return Fields::Set(&fields->hour, value);
    case Field::kClockHour:
      return value >= 1 && value <= 24 && Fields::Set(&fields->hour, value % 24);
    case Field::kHalfHour:
      return value >= 0 && value <= 11 && Fields::Set(&fields->half_hour, value);
    case Field::kClockHalfHour:
      return value >= 1 && value <= 12 && Fields::Set(&fields->half_hour, value % 12);
    case Field::kMinute:
      return Fields::Set(&fields->minute, value);
    default:
      return Fields::Set(&fields->second, value);
  }
}

std::optional<size_t> TimePattern::ParsePiece(const Piece& piece, std::string_view rest,
                                              Fields* fields) {
  switch (piece.field) {
    case Field::kLiteral:
      return StartsWith(rest, piece.text) ? std::optional(piece.text.size()) : std::nullopt;
    case Field::kMonthName:
      return ParseMonthName(piece, rest, fields);
    case Field::kHalf:
      return ParseHalf(rest, fields);
    case Field::kFraction:
      return ParseFraction(piece, rest, fields);
    case Field::kOffset:
      return ParseOffset(piece, rest, fields);
    case Field::kZone:
      return ParseZone(rest, fields);
    case Field::kOptionalBegin:
    case Field::kOptionalEnd:
      return 0;
    default:
      return ParseNumber(piece, rest, fields);
  }
}

bool TimePattern::ParsePieces(size_t begin, size_t end, std::string_view text, size_t* at,
                              Fields* fields) const {
  for (size_t i = begin; i < end; ++i) {
    const Piece& piece = pieces_[i];
    if (piece.field == Field::kOptionalBegin) {
      Fields tried = *fields;
      size_t place = *at;
      if (ParsePieces(i + 1, piece.end, text, &place, &tried)) {
        *at = place;
        *fields = std::move(tried);
      }
      i = piece.end;
      continue;
    }
    const auto taken = ParsePiece(piece, text.substr(*at), fields);
    if (!taken) return false;
    *at += *taken;
  }
  return true;
}

bool TimePattern::Parse(std::string_view text, Fields* fields) const {
  size_t at = 0;
  if (!ParsePieces(0, pieces_.size(), text, &at, fields) || at != text.size()) return false;
  const auto outside = [](const std::optional<int64_t>& value, int64_t most) {
    return value && (*value < 0 || *value > most);
  };
  return !outside(fields->minute, 59) && !outside(fields->second, 59) && fields->Hour();
}

std::optional<int32_t> TimePattern::Date(std::string_view text) const {
  Fields fields;
  if (!Parse(text, &fields)) return std::nullopt;
  return fields.Day();
}

std::optional<int64_t> TimePattern::LocalTimestamp(std::string_view text) const {
  Fields fields;
  if (!Parse(text, &fields) || fields.offset || !fields.zone.empty()) return std::nullopt;
  return fields.LocalMicros();
}

std::optional<int64_t> TimePattern::Timestamp(std::string_view text) const {
  Fields fields;
  if (!Parse(text, &fields)) return std::nullopt;
  const auto local = fields.LocalMicros();
  if (!local) return std::nullopt;
  if (fields.offset) {
    int64_t instant = 0;
    if (__builtin_sub_overflow(*local, *fields.offset * 1'000'000, &instant)) return std::nullopt;
    return instant;
  }
  return fields.zone.empty() ? local : InstantOf(*local, fields.zone);
}

}  // namespace ariadne::text
