#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/time_pattern.h"

namespace ariadne::text {

/// A text format with its read options as a user gives them: names as Spark has them, in any case.
struct TextFormat {
  std::string format;  ///< "csv" or "json"
  std::vector<std::pair<std::string, std::string>> read_options;
};

/// What becomes of a record that does not fit the schema.
enum class ParseMode {
  kPermissive,     ///< What fits is kept, the rest is NULL.
  kDropMalformed,  ///< The record is left out.
  kFailFast,       ///< Reading ends with InvalidFile.
};

enum class Encoding { kUtf8, kLatin1, kAscii, kUtf16, kUtf16Le, kUtf16Be };

/// How texts are read as dates and timestamps; without a pattern as Spark's cast reads them.
struct TimeFormats {
  std::optional<TimePattern> date;
  std::optional<TimePattern> timestamp;
  std::optional<TimePattern> timestamp_ntz;
};

/// Read options with Spark's defaults filled in. Characters are single bytes; '\0' is none.
struct TextOptions {
  bool csv = true;
  ParseMode mode = ParseMode::kPermissive;
  bool multi_line = false;
  std::optional<Encoding> encoding;  ///< As asked for.
  std::string line_separator;        ///< In UTF-8; empty: "\n", "\r\n" and "\r".
  TimeFormats times;
  std::string date_pattern = "yyyy-MM-dd";  ///< The text of `times.date`.

  // CSV.
  bool header = false;
  std::string delimiter = ",";
  char quote = '"';
  char escape = '\\';
  char escape_of_escape = '\\';
  char comment = '\0';
  bool trim_leading = false;
  bool trim_trailing = false;
  std::string null_value;
  std::string empty_value;
  std::string nan_value = "NaN";
  std::string positive_infinity = "Inf";
  std::string negative_infinity = "-Inf";
  bool infer_types = false;  ///< In an inferred schema; else all columns are strings.

  // JSON.
  bool allow_comments = false;
  bool allow_unquoted_names = false;
  bool allow_single_quotes = true;
  bool allow_leading_zeros = false;
  bool allow_non_numbers = true;
  bool allow_any_escape = false;
  bool allow_control_characters = false;
  // In an inferred schema:
  bool primitives_as_string = false;
  bool prefers_decimal = false;
  bool drop_if_all_null = false;
};

/// The options that rule reading. Throws InvalidArgument, naming the option, for a name or a value
/// that is not supported, and for a format other than "csv" and "json".
TextOptions ReadTextOptions(const TextFormat& format);

/// Throws InvalidArgument where `ReadTextOptions` would; Parquet has no read options that matter
/// here and passes.
void CheckReadOptions(const std::string& format,
                      const std::vector<std::pair<std::string, std::string>>& options);

/// "csv" or "json".
bool IsTextFormat(const std::string& format);

}  // namespace ariadne::text
