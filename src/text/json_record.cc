#include "text/json_record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <arrow/type.h>

#include "index/civil_time.h"
#include "index/java_double.h"
#include "text/json_text.h"
#include "text/value_text.h"

namespace ariadne::text {

namespace {

using Rows = std::vector<std::vector<JsonValue>>;

bool IsNumber(JsonToken token) { return token == JsonToken::kInteger || token == JsonToken::kReal; }

// What the parser makes of a number token, NaN and infinities among them.
template <typename Real>
Real RealOf(const std::string& text, JsonToken token) {
  if (token == JsonToken::kReal) {
    if (text == "NaN") return std::numeric_limits<Real>::quiet_NaN();
    if (text.find('I') != std::string::npos) {
      return text[0] == '-' ? -std::numeric_limits<Real>::infinity()
                            : std::numeric_limits<Real>::infinity();
    }
  } else if (const auto integer = ParseInteger(text, std::numeric_limits<int64_t>::min(),
                                               std::numeric_limits<int64_t>::max())) {
    return static_cast<Real>(*integer);
  }
  if constexpr (sizeof(Real) == sizeof(float)) {
    return *ParseFloat(text);
  } else {
    return *ParseDouble(text);
  }
}

bool Set(JsonValue* value, const std::optional<int64_t>& integer) {
  if (!integer) return false;
  value->is_null = false;
  value->integer = *integer;
  return true;
}

bool Set(JsonValue* value, const std::optional<arrow::Decimal128>& decimal) {
  if (!decimal) return false;
  value->is_null = false;
  value->decimal = *decimal;
  return true;
}

bool SetReal(JsonValue* value, double real) {
  value->is_null = false;
  value->real = real;
  return true;
}

// Before Spark 3 a timestamp could name its offset as "GMT+01:00".
std::string WithoutGmt(std::string_view text) {
  const size_t at = text.find("GMT");
  if (at == std::string_view::npos) return {};
  return std::string(text.substr(0, at)) + std::string(text.substr(at + 3));
}

// Days of the hybrid calendar of old Sparks, which is the Julian one before 1582-10-15.
std::optional<int32_t> DaysFromHybrid(int64_t days) {
  constexpr int64_t kGregorianStart = -141'427;
  if (days >= kGregorianStart) return static_cast<int32_t>(days);
  // Julian day of 1970-01-01 is 2440588; the calendar repeats every 1461 days.
  const int64_t since = days + 2'440'588 + 32'082;
  const int64_t cycle = index::FloorDivide(4 * since + 3, 1461);
  const int64_t day_of_year = since - index::FloorDivide(1461 * cycle, 4);
  const int64_t month = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * month + 2) / 5 + 1;
  const int64_t civil_month = month + 3 - 12 * (month / 10);
  const int64_t year = cycle - 4800 + month / 10;
  constexpr int64_t kFirstYear = -5'000'000;
  if (year < kFirstYear) return std::nullopt;
  const index::CivilDate date{static_cast<int>(year), static_cast<int>(civil_month),
                              static_cast<int>(day)};
  // A leap day that only the Julian calendar has is the day behind it.
  return static_cast<int32_t>(index::DayOf(date));
}

bool NextUntil(JsonParser* parser, JsonToken end) {
  const JsonToken token = parser->NextToken();
  return token != JsonToken::kNone && token != end;
}

}  // namespace

std::optional<int32_t> ReadDate(std::string_view text, const TextOptions& options) {
  if (options.times.date) return options.times.date->Date(text);
  if (const auto date = CastDate(text)) return date;
  if (const auto date = CastDate(WithoutGmt(text))) return date;
  if (options.csv) return std::nullopt;
  const auto days =
      ParseInteger(text, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
  return days ? DaysFromHybrid(*days) : std::nullopt;
}

std::optional<int64_t> ReadTimestamp(std::string_view text, const TextOptions& options) {
  if (options.times.timestamp) return options.times.timestamp->Timestamp(text);
  if (const auto timestamp = CastTimestamp(text)) return timestamp;
  return CastTimestamp(WithoutGmt(text));
}

std::optional<int64_t> ReadLocalTimestamp(std::string_view text, const TextOptions& options) {
  if (options.times.timestamp_ntz) return options.times.timestamp_ntz->LocalTimestamp(text);
  return CastLocalTimestamp(text);
}

JsonRecord::JsonRecord(arrow::FieldVector fields, const TextOptions& options)
    : fields_(std::move(fields)), options_(options) {}

bool JsonRecord::Read(std::string_view text, Rows* rows) const {
  rows->clear();
  Outcome fit = Outcome::kBad;
  try {
    JsonRows found(*this, text);
    std::vector<JsonValue> row;
    while (found.Next(&row)) rows->push_back(std::move(row));
    fit = found.fit();
  } catch (const JsonSyntaxError&) {
    fit = Outcome::kBad;
  }
  if (fit == Outcome::kBad) rows->assign(1, std::vector<JsonValue>(fields_.size()));
  return fit == Outcome::kWhole;
}

JsonFit JsonRecord::Fit(std::string_view text) const {
  try {
    JsonRows found(*this, text);
    std::vector<JsonValue> row;
    while (found.Next(&row)) {
    }
    return found.fit();
  } catch (const JsonSyntaxError&) {
    return Outcome::kBad;
  }
}

JsonRows::JsonRows(const JsonRecord& record, std::string_view text)
    : record_(record), parser_(text, record.options_) {}

bool JsonRows::Next(std::vector<JsonValue>* row) {
  if (place_ == Place::kBegin) {
    place_ = Place::kEnd;
    switch (parser_.NextToken()) {
      case JsonToken::kNone:
        return false;
      case JsonToken::kStartObject:
        fit_ = record_.ConvertObject(&parser_, record_.fields_, row);
        return true;
      case JsonToken::kStartArray:
        place_ = Place::kInArray;
        break;
      default:
        fit_ = JsonFit::kBad;
        return false;
    }
  }
  if (place_ == Place::kEnd || !NextUntil(&parser_, JsonToken::kEndArray)) {
    place_ = Place::kEnd;
    return false;
  }
  if (parser_.token() != JsonToken::kStartObject) {
    place_ = Place::kEnd;
    fit_ = JsonFit::kBad;
    return false;
  }
  const JsonFit one = record_.ConvertObject(&parser_, record_.fields_, row);
  if (one != JsonFit::kWhole) fit_ = JsonFit::kPartial;
  return true;
}

JsonRecord::Outcome JsonRecord::ConvertObject(JsonParser* parser, const arrow::FieldVector& fields,
                                              std::vector<JsonValue>* members) const {
  members->assign(fields.size(), JsonValue());
  Outcome all = Outcome::kWhole;
  while (NextUntil(parser, JsonToken::kEndObject)) {
    const std::string* name = parser->CurrentName();
    const auto found = name == nullptr
                           ? fields.end()
                           : std::find_if(fields.begin(), fields.end(), [name](const auto& field) {
                               return field->name() == *name;
                             });
    if (found == fields.end()) {
      parser->SkipChildren();
      continue;
    }
    JsonValue value;
    Outcome one = Outcome::kBad;
    try {
      one = Convert(parser, *(*found)->type(), &value);
    } catch (const JsonSyntaxError&) {
      one = Outcome::kBad;
    }
    if (one != Outcome::kWhole) all = Outcome::kPartial;
    if (one == Outcome::kBad) {
      parser->SkipChildren();
    } else {
      (*members)[found - fields.begin()] = std::move(value);
    }
  }
  return all;
}

JsonRecord::Outcome JsonRecord::ConvertArray(JsonParser* parser, const arrow::DataType& element,
                                             JsonValue* value) const {
  Outcome all = Outcome::kWhole;
  value->is_null = false;
  while (NextUntil(parser, JsonToken::kEndArray)) {
    JsonValue child;
    const Outcome one = Convert(parser, element, &child);
    if (one == Outcome::kBad) return one;
    if (one == Outcome::kPartial) all = one;
    value->children.push_back(std::move(child));
  }
  return all;
}

JsonRecord::Outcome JsonRecord::ConvertMap(JsonParser* parser, const arrow::MapType& type,
                                           JsonValue* value) const {
  Outcome all = Outcome::kWhole;
  value->is_null = false;
  while (NextUntil(parser, JsonToken::kEndObject)) {
    JsonValue key;
    key.is_null = false;
    if (const std::string* name = parser->CurrentName()) key.text = *name;
    JsonValue item;
    Outcome one = Outcome::kBad;
    try {
      one = Convert(parser, *type.item_type(), &item);
    } catch (const JsonSyntaxError&) {
      one = Outcome::kBad;
    }
    if (one == Outcome::kBad) {
      // The map is lost, but what follows it is read from behind it.
      all = one;
      parser->SkipChildren();
      continue;
    }
    if (one == Outcome::kPartial && all == Outcome::kWhole) all = one;
    // Of entries with one key the last counts.
    auto& children = value->children;
    size_t at = 0;
    while (at < children.size() && children[at].text != key.text) at += 2;
    if (at < children.size()) {
      children[at + 1] = std::move(item);
    } else {
      children.push_back(std::move(key));
      children.push_back(std::move(item));
    }
  }
  return all;
}

JsonRecord::Outcome JsonRecord::Convert(JsonParser* parser, const arrow::DataType& type,
                                        JsonValue* value) const {
  if (parser->token() == JsonToken::kFieldName) parser->NextToken();
  const JsonToken token = parser->token();
  if (token == JsonToken::kNone || token == JsonToken::kNull) return Outcome::kWhole;
  switch (type.id()) {
    case arrow::Type::STRUCT: {
      if (token != JsonToken::kStartObject) return Outcome::kBad;
      value->is_null = false;
      return ConvertObject(parser, type.fields(), &value->children);
    }
    case arrow::Type::LIST:
      if (token != JsonToken::kStartArray) return Outcome::kBad;
      return ConvertArray(parser, *type.field(0)->type(), value);
    case arrow::Type::MAP:
      if (token != JsonToken::kStartObject) return Outcome::kBad;
      return ConvertMap(parser, static_cast<const arrow::MapType&>(type), value);
    case arrow::Type::STRING:
      value->is_null = false;
      if (token == JsonToken::kString) {
        value->text = parser->Text();
        return Outcome::kWhole;
      }
      return CopyJson(parser, &value->text) ? Outcome::kWhole : Outcome::kBad;
    case arrow::Type::BOOL:
      if (token != JsonToken::kTrue && token != JsonToken::kFalse) return Outcome::kBad;
      value->is_null = false;
      value->integer = token == JsonToken::kTrue ? 1 : 0;
      return Outcome::kWhole;
    default: {
      const bool fits = IsNumber(token)               ? ConvertNumber(parser, type, value)
                        : token == JsonToken::kString ? ConvertText(parser, type, value)
                                                      : false;
      return fits ? Outcome::kWhole : Outcome::kBad;
    }
  }
}

bool JsonRecord::ConvertNumber(JsonParser* parser, const arrow::DataType& type,
                               JsonValue* value) const {
  const JsonToken token = parser->token();
  const std::string& text = parser->Text();
  const auto integer = [&](int64_t smallest, int64_t largest) {
    if (token != JsonToken::kInteger) return false;
    return Set(value, ParseInteger(text, smallest, largest));
  };
  switch (type.id()) {
    case arrow::Type::INT8:
      // The parser takes bytes without sign too.
      if (!integer(std::numeric_limits<int8_t>::min(), std::numeric_limits<uint8_t>::max())) {
        return false;
      }
      value->integer = static_cast<int8_t>(value->integer);
      return true;
    case arrow::Type::INT16:
      return integer(std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max());
    case arrow::Type::INT32:
      return integer(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
    case arrow::Type::INT64:
      return integer(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
    case arrow::Type::TIMESTAMP: {
      const bool zoned = !static_cast<const arrow::TimestampType&>(type).timezone().empty();
      if (!zoned ||
          !integer(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max())) {
        return false;
      }
      // Seconds; the product wraps as Java's does.
      value->integer = static_cast<int64_t>(static_cast<uint64_t>(value->integer) * 1'000'000U);
      return true;
    }
    case arrow::Type::FLOAT:
      return SetReal(value, RealOf<float>(text, token));
    case arrow::Type::DOUBLE:
      return SetReal(value, RealOf<double>(text, token));
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      return Set(value, ParseDecimal(text, decimal.precision(), decimal.scale()));
    }
    default:
      return false;
  }
}

bool JsonRecord::ConvertText(JsonParser* parser, const arrow::DataType& type,
                             JsonValue* value) const {
  if (type.id() == arrow::Type::BINARY) {
    if (!parser->Bytes(&value->text)) return false;
    value->is_null = false;
    return true;
  }
  const std::string& text = parser->Text();
  if (text.empty()) return false;
  switch (type.id()) {
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE: {
      if (!options_.allow_non_numbers) return false;
      if (text == "NaN") return SetReal(value, std::numeric_limits<double>::quiet_NaN());
      if (text == "+INF" || text == "+Infinity" || text == "Infinity") {
        return SetReal(value, std::numeric_limits<double>::infinity());
      }
      if (text == "-INF" || text == "-Infinity") {
        return SetReal(value, -std::numeric_limits<double>::infinity());
      }
      return false;
    }
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      return Set(value, ParseDecimalText(text, decimal.precision(), decimal.scale()));
    }
    case arrow::Type::DATE32: {
      const auto days = ReadDate(text, options_);
      return Set(value, days ? std::optional<int64_t>(*days) : std::nullopt);
    }
    case arrow::Type::TIMESTAMP: {
      const bool zoned = !static_cast<const arrow::TimestampType&>(type).timezone().empty();
      return Set(value, zoned ? ReadTimestamp(text, options_) : ReadLocalTimestamp(text, options_));
    }
    default:
      return false;
  }
}

}  // namespace ariadne::text
