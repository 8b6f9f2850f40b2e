#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "text/json_parser.h"
#include "text/json_value.h"
#include "text/text_format.h"

namespace ariadne::text {

/// Rows of one JSON text (a line, or a whole file) as Spark makes them: an object is a row, an
/// array a row for each of its objects. A value that does not fit its declared type is NULL and the
/// rest of the row stays; text that is no JSON gives one row of NULLs.
class JsonRecord {
 public:
  /// `fields`: the declared columns, without those that folders give.
  JsonRecord(arrow::FieldVector fields, const TextOptions& options);

  /// Puts the rows into `rows`, each with a value for each field. True: all of the text fits.
  bool Read(std::string_view text, std::vector<std::vector<JsonValue>>* rows) const;

 private:
  enum class Outcome { kWhole, kPartial, kBad };

  Outcome Convert(JsonParser* parser, const arrow::DataType& type, JsonValue* value) const;
  Outcome ConvertObject(JsonParser* parser, const arrow::FieldVector& fields,
                        std::vector<JsonValue>* members) const;
  Outcome ConvertArray(JsonParser* parser, const arrow::DataType& element, JsonValue* value) const;
  Outcome ConvertMap(JsonParser* parser, const arrow::MapType& type, JsonValue* value) const;
  bool ConvertNumber(JsonParser* parser, const arrow::DataType& type, JsonValue* value) const;
  bool ConvertText(JsonParser* parser, const arrow::DataType& type, JsonValue* value) const;
  Outcome ReadRows(JsonParser* parser, std::vector<std::vector<JsonValue>>* rows) const;

  const arrow::FieldVector fields_;
  const TextOptions options_;
};

/// Days and microseconds of texts, as JSON and CSV both read them.
std::optional<int32_t> ReadDate(std::string_view text, const TextOptions& options);
std::optional<int64_t> ReadTimestamp(std::string_view text, const TextOptions& options);
std::optional<int64_t> ReadLocalTimestamp(std::string_view text, const TextOptions& options);

}  // namespace ariadne::text
