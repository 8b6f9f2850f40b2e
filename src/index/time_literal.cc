#include "index/time_literal.h"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "ariadne/errors.h"
#include "index/blank_text.h"
#include "index/civil_time.h"

namespace ariadne::index {
namespace {

/// Reads text from the left.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  bool Take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// `least` to `most` digits.
  std::optional<int64_t> Digits(size_t least, size_t most) {
    size_t count = 0;
    int64_t value = 0;
    while (count < most && count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') {
      value = value * 10 + (rest_[count++] - '0');
    }
    if (count < least) return {};
    rest_.remove_prefix(count);
    last_count_ = count;
    return value;
  }
  /// Digits that the last call took.
  [[nodiscard]] size_t last_count() const { return last_count_; }

 private:
  std::string_view rest_;
  size_t last_count_ = 0;
};

std::optional<int64_t> ParseDay(Cursor* cursor) {
  const bool negative = cursor->Take('-');
  if (!negative) cursor->Take('+');
  const auto year = cursor->Digits(4, 6);
  if (!year) return {};
  CivilDate date{static_cast<int>(negative ? -*year : *year), 1, 1};
  if (cursor->Take('-')) {
    const auto month = cursor->Digits(1, 2);
    if (!month) return {};
    date.month = static_cast<int>(*month);
    if (cursor->Take('-')) {
      const auto day = cursor->Digits(1, 2);
      if (!day) return {};
      date.day = static_cast<int>(*day);
    }
  }
  if (!IsDate(date)) return {};
  return DayOf(date);
}

struct OfDay {
  int64_t micros = 0;
  int64_t nanos = 0;  // below a microsecond
};

std::optional<OfDay> ParseTimeOfDay(Cursor* cursor) {
  const auto hour = cursor->Digits(1, 2);
  if (!hour || *hour > 23 || !cursor->Take(':')) return {};
  const auto minute = cursor->Digits(1, 2);
  if (!minute || *minute > 59) return {};
  OfDay time;
  time.micros = (*hour * 60 + *minute) * 60'000'000;
  if (!cursor->Take(':')) return time;
  const auto second = cursor->Digits(1, 2);
  if (!second || *second > 59) return {};
  time.micros += *second * 1'000'000;
  if (!cursor->Take('.')) return time;
  auto fraction = cursor->Digits(0, 9);
  for (size_t digits = cursor->last_count(); digits < 9; ++digits) *fraction *= 10;
  time.micros += *fraction / 1000;
  time.nanos = *fraction % 1000;
  return time;
}

}  // namespace

std::optional<TimeLiteral> TimeLiteral::Parse(std::string_view text) {
  Cursor cursor(WithoutBlanks(text));
  const auto day = ParseDay(&cursor);
  if (!day) return {};
  TimeLiteral literal;
  literal.days = *day;
  if (cursor.done()) return literal;
  if (!cursor.Take(' ') && !cursor.Take('T')) return {};
  const auto time = ParseTimeOfDay(&cursor);
  if (!time) return {};
  literal.micros_of_day = time->micros;
  literal.nanos_below_micro = time->nanos;
  const std::string name(WithoutBlanks(cursor.rest()));
  if (name.empty()) return literal;
  std::optional<TimeZone> zone;
  try {
    zone = TimeZone::Load(name);
  } catch (const InvalidArgument&) {
    return {};
  }
  // Years that microseconds do not reach are asked of the zone whole cycles of 400 years nearer.
  constexpr int64_t kCycleDays = 146'097;
  constexpr int64_t kReachedDays = 100'000'000;
  const int64_t cycles = std::abs(*day) > kReachedDays ? *day / kCycleDays : 0;
  const int64_t instant =
      zone->ToInstant((*day - cycles * kCycleDays) * kMicrosPerDay + time->micros);
  literal.days = FloorDivide(instant, kMicrosPerDay);
  literal.micros_of_day = instant - literal.days * kMicrosPerDay;
  literal.days += cycles * kCycleDays;
  return literal;
}

}  // namespace ariadne::index
