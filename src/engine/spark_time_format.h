#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "index/civil_time.h"

namespace ariadne::engine {

/// A date and time pattern of Spark ("yyyy-MM-dd HH:mm") by which times are written, in UTC and
/// English. Letters: y M L d D H h K k m s S a E Q q, 'quoted' text, and characters that are no
/// letters. What patterns read is text::TimePattern's. Immutable.
class TimeFormat {
 public:
  /// Throws UnsupportedSpark naming a letter, or a number of it, that is not supported.
  explicit TimeFormat(const std::string& pattern);

  /// `micros`: since 1970-01-01 UTC.
  void Append(int64_t micros, std::string* text) const;

  /// Microseconds within which, counted from 1970-01-01 UTC, all times have the same text: those of
  /// the finest field.
  [[nodiscard]] int64_t unit() const { return unit_; }

 private:
  enum class Field {
    kLiteral,
    kYear,
    kMonth,
    kDay,
    kDayOfYear,
    kHour24,
    kHour12,       // h: 1 to 12
    kHourOfHalf,   // K: 0 to 11
    kHourFromOne,  // k: 1 to 24
    kMinute,
    kSecond,
    kFraction,
    kHalf,
    kWeekday,
    kQuarter,
  };
  struct Item {
    Field field = Field::kLiteral;
    int count = 0;
    std::string text;  // of a literal
  };

  void Add(char letter, int count);

  std::string pattern_;
  std::vector<Item> items_;
  int64_t unit_ = index::kMicrosPerDay;
};

}  // namespace ariadne::engine
