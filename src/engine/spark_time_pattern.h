#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ariadne::engine {

/// A date and time pattern of Spark ("yyyy-MM-dd HH:mm"), in UTC and English. Letters: y M L d D H
/// h K k m s S a E Q q, 'quoted' text, and characters that are no letters. Immutable.
class TimePattern {
 public:
  enum class Use { kFormat, kParse };

  /// Throws UnsupportedSpark naming a letter, or a number of it, that is not supported for `use`.
  TimePattern(const std::string& pattern, Use use);

  /// `micros`: since 1970-01-01 UTC. Empty where a field does not fit its width, where Spark
  /// throws.
  [[nodiscard]] std::optional<std::string> Format(int64_t micros) const;
  /// Microseconds of a text that the pattern describes from end to end; fields that the pattern
  /// lacks are those of 1970-01-01 00:00. Empty for other text and for dates that there are not.
  [[nodiscard]] std::optional<int64_t> Parse(std::string_view text) const;

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
    [[nodiscard]] bool is_text() const;
  };
  struct Parsed;

  void Add(char letter, int count, Use use);
  bool ParseNumber(const Item& item, size_t place, std::string_view text, size_t* at,
                   int64_t* value) const;
  bool ParseItem(size_t place, std::string_view text, size_t* at, Parsed* parsed) const;
  [[nodiscard]] int WidthAfter(size_t place) const;

  std::string pattern_;
  std::vector<Item> items_;
};

}  // namespace ariadne::engine
