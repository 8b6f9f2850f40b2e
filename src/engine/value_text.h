#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

namespace ariadne::engine {

/// Appends one value as JSON: numbers as they are (shortest text that reads back; NaN and the
/// infinities, which JSON lacks, as "NaN", "Infinity", "-Infinity"), decimals as numbers with all
/// digits, bytes as base64, dates and timestamps as ISO 8601 text ("Z" at those with a zone),
/// structs as objects with all fields, maps as objects with text keys, NULL as null.
/// Throws UnsupportedColumn for an Arrow type without a text form.
void AppendJson(const arrow::Array& array, int64_t row, std::string& out);

/// Appends the text of one value that is not NULL: a scalar without JSON's quotes and escapes, a
/// nested value as JSON.
void AppendText(const arrow::Array& array, int64_t row, std::string& out);

/// Appends text as a JSON string.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace ariadne::engine
