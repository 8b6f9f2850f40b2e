#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ariadne::index {

/// A point in time written as text, as Spark's casts read it: `2024-02-29`, `2024-02`, `2024`, a
/// time of day behind a blank or `T` (`12:34`, `12:34:56.789`), a zone behind that (`Z`, `+02:00`,
/// `UTC`, `Europe/Paris`; without one, UTC). Years have four to six digits and may have a sign.
struct TimeLiteral {
  int64_t days = 0;               ///< Since 1970-01-01, UTC.
  int64_t micros_of_day = 0;      ///< 0 to 86,400 s - 1 µs
  int64_t nanos_below_micro = 0;  ///< What microseconds do not hold: 0 to 999, in nanoseconds.

  /// Empty for other text and for dates that the calendar has not.
  static std::optional<TimeLiteral> Parse(std::string_view text);
};

}  // namespace ariadne::index
