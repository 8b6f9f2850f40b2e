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

/// How a JSON text fits the declared columns.
enum class JsonFit {
  kWhole,
  kPartial,  ///< A value somewhere does not fit its type, and is NULL.
  kBad,      ///< It is no JSON, or no object or array of objects.
};

/// Makes rows of JSON texts (lines, or whole files) as Spark does: an object is a row, an array a
/// row for each of its objects. A value that does not fit its declared type is NULL and the rest of
/// the row stays; a text that is bad is one row of NULLs, however far it could be read.
class JsonRecord {
 public:
  /// `fields`: the declared columns, without those that folders give.
  JsonRecord(arrow::FieldVector fields, const TextOptions& options);

  /// Puts the rows into `rows`, each with a value for each field. True: all of the text fits.
  bool Read(std::string_view text, std::vector<std::vector<JsonValue>>* rows) const;
  /// How the text fits, keeping no row.
  [[nodiscard]] JsonFit Fit(std::string_view text) const;

 private:
  friend class JsonRows;
  using Outcome = JsonFit;

  Outcome Convert(JsonParser* parser, const arrow::DataType& type, JsonValue* value) const;
  Outcome ConvertObject(JsonParser* parser, const arrow::FieldVector& fields,
                        std::vector<JsonValue>* members) const;
  Outcome ConvertArray(JsonParser* parser, const arrow::DataType& element, JsonValue* value) const;
  Outcome ConvertMap(JsonParser* parser, const arrow::MapType& type, JsonValue* value) const;
  bool ConvertNumber(JsonParser* parser, const arrow::DataType& type, JsonValue* value) const;
  bool ConvertText(JsonParser* parser, const arrow::DataType& type, JsonValue* value) const;

  const arrow::FieldVector fields_;
  const TextOptions options_;
};

/// The rows of one text, one after the other.
class JsonRows {
 public:
  /// Both must outlive this.
  JsonRows(const JsonRecord& record, std::string_view text);

  /// False: there is none left, or the text is bad. Throws JsonSyntaxError: it is bad.
  bool Next(std::vector<JsonValue>* row);
  /// Of what was read so far.
  [[nodiscard]] JsonFit fit() const { return fit_; }
  /// Bytes of the text read so far.
  [[nodiscard]] size_t place() const { return parser_.place(); }

 private:
  enum class Place { kBegin, kInArray, kEnd };

  const JsonRecord& record_;
  JsonParser parser_;
  Place place_ = Place::kBegin;
  JsonFit fit_ = JsonFit::kWhole;
};

/// Days and microseconds of texts, as JSON and CSV both read them.
std::optional<int32_t> ReadDate(std::string_view text, const TextOptions& options);
std::optional<int64_t> ReadTimestamp(std::string_view text, const TextOptions& options);
std::optional<int64_t> ReadLocalTimestamp(std::string_view text, const TextOptions& options);

}  // namespace ariadne::text
