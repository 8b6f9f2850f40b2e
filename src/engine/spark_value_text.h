#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ariadne::engine {

// Values from text and to text, as Spark's casts have them.

/// Integers of 64 bits between blanks. `truncate`: a fraction is cut off ("1.9" is 1), as without
/// ANSI; else it makes the text no integer.
std::optional<int64_t> ParseLong(std::string_view text, bool truncate);
/// What java.lang.Double.valueOf reads, and inf, infinity, nan in any case.
std::optional<double> ParseDouble(std::string_view text);
std::optional<float> ParseFloat(std::string_view text);
std::optional<bool> ParseBoolean(std::string_view text);
/// Days since 1970-01-01.
std::optional<int32_t> ParseDate(std::string_view text);
/// Microseconds since 1970-01-01 UTC; without a zone in the text, UTC's (or the clock's, with
/// `zoned` false, where a zone is left out of account).
std::optional<int64_t> ParseTimestamp(std::string_view text, bool zoned = true);

/// The text with the digits of every script as 0 to 9, as java.math.BigDecimal takes them.
std::string AsciiDigits(std::string_view text);

std::string DateText(int32_t days);
std::string TimestampText(int64_t micros);
/// java.lang.Double.toString and Float.toString of Java 17.
std::string DoubleText(double value);
std::string FloatText(float value);

}  // namespace ariadne::engine
