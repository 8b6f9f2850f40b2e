#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

namespace ariadne::text {

// Texts as values, as Java's and Spark's own parsers take them. nullopt: the text is no such value.

/// As `Long.parseLong`: digits with a sign, nothing around them.
std::optional<int64_t> ParseInteger(std::string_view text, int64_t smallest, int64_t largest);
/// As `Double.parseDouble` and `Float.parseFloat`: blanks around, a type letter behind,
/// hexadecimal.
std::optional<double> ParseDouble(std::string_view text);
std::optional<float> ParseFloat(std::string_view text);
/// "true" or "false" in any case.
std::optional<bool> ParseBoolean(std::string_view text);
/// A number as `new BigDecimal(text)` has it: `digits`, without leading zeros, times 10^-scale.
struct DecimalDigits {
  bool negative = false;
  std::string digits;
  int64_t scale = 0;
  /// Number of digits as BigDecimal counts them: zero has one.
  [[nodiscard]] int64_t precision() const {
    return digits.empty() ? 1 : static_cast<int64_t>(digits.size());
  }
};
std::optional<DecimalDigits> ParseDecimalDigits(std::string_view text);
/// The same number rounded half up to the scale; nullopt where the precision is exceeded.
std::optional<arrow::Decimal128> ParseDecimal(std::string_view text, int precision, int scale);
/// The same with the thousands separators that Spark lets texts have.
std::optional<arrow::Decimal128> ParseDecimalText(std::string text, int precision, int scale);

/// As Spark casts a string to a date: days since 1970-01-01.
std::optional<int32_t> CastDate(std::string_view text);
/// As Spark casts a string to a timestamp, in UTC where no zone is named: microseconds since the
/// epoch. A time without a date, which Spark takes as one of today, is no value.
std::optional<int64_t> CastTimestamp(std::string_view text);
/// The same without zone: microseconds since the epoch of the clock that the text shows. A text
/// that names a zone is no value, unless `takes_zone`, which leaves the zone out of account.
std::optional<int64_t> CastLocalTimestamp(std::string_view text, bool takes_zone = false);

/// The text without the blanks and control characters around it.
std::string_view TrimAll(std::string_view text);
/// The instant at which a clock of the zone shows `local_micros`. `zone` is an identifier of
/// `java.time.ZoneId` or an offset; nullopt: there is none of that name.
std::optional<int64_t> InstantOf(int64_t local_micros, const std::string& zone);
/// Microseconds of a day and a time; nullopt where they leave the range of 64 bits.
std::optional<int64_t> JoinMicros(int64_t days, int64_t micros_of_day);

}  // namespace ariadne::text
