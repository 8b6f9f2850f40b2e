#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ariadne::index {

constexpr int64_t kMicrosPerDay = 86'400'000'000;

inline int64_t FloorDivide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

inline int64_t FloorRemainder(int64_t value, int64_t divisor) {
  const int64_t remainder = value % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

/// A date of the proleptic Gregorian calendar; year 0 is 1 BC.
struct CivilDate {
  int year = 1970;
  int month = 1;  ///< 1 to 12
  int day = 1;    ///< 1 to 31
};
struct CivilTime {
  CivilDate date;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int micros = 0;
};

/// `day`: days since 1970-01-01.
CivilDate CivilDateOf(int64_t day);
int64_t DayOf(const CivilDate& date);
/// False for months and days that the calendar has not.
bool IsDate(const CivilDate& date);
/// `micros`: since 1970-01-01 00:00:00 of the same clock.
CivilTime CivilTimeOf(int64_t micros);

/// A time zone: its offsets from UTC, local mean time before the first rule, the last rule forever.
class TimeZone {
 public:
  /// "UTC", a name of the IANA database, or an offset: "+02:00", "GMT+2", "UTC-05:30". Throws
  /// InvalidArgument for others.
  static TimeZone Load(const std::string& name);
  /// Microseconds of the zone's clock for an instant in microseconds since the epoch.
  [[nodiscard]] int64_t ToLocal(int64_t instant_micros) const;
  /// True where the offset is one and the same at all times.
  [[nodiscard]] bool is_fixed() const { return rules_ == nullptr; }
  /// Each offset from UTC that the zone has had since 1970 or will have, in microseconds,
  /// ascending. Releases of the time zone database agree on these, though not always on when each
  /// applies.
  [[nodiscard]] const std::vector<int64_t>& offsets_since_1970() const { return offsets_; }
  /// The instant that the zone's clock shows as `local_micros`: the earlier of two, and for a time
  /// that is skipped the instant as long after the gap begins, as java.time resolves them.
  [[nodiscard]] int64_t ToInstant(int64_t local_micros) const;

 private:
  struct Rules;
  std::shared_ptr<const Rules> rules_;  // null: a fixed offset
  int64_t offset_micros_ = 0;
  std::vector<int64_t> offsets_ = {0};
};

}  // namespace ariadne::index
