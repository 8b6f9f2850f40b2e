#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ariadne::engine {

// Values from text and to text, as Spark's casts have them, where files are not read so too
// (text/value_text.h).

/// Integers of 64 bits between blanks. `truncate`: a fraction is cut off ("1.9" is 1), as without
/// ANSI; else it makes the text no integer.
std::optional<int64_t> ParseLong(std::string_view text, bool truncate);
/// What java.lang.Double.valueOf reads, and inf, infinity, nan in any case.
std::optional<double> ParseDouble(std::string_view text);
std::optional<float> ParseFloat(std::string_view text);
/// true, t, yes, y, 1 and their opposites, in any case.
std::optional<bool> ParseBoolean(std::string_view text);

std::string DateText(int32_t days);
std::string TimestampText(int64_t micros);
/// java.lang.Double.toString and Float.toString of Java 17.
std::string DoubleText(double value);
std::string FloatText(float value);

}  // namespace ariadne::engine
