#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "text/json_parser.h"
#include "text/text_inference.h"
#include "text/text_input.h"
#include "text/value_text.h"

namespace ariadne::text {

namespace {

using Type = std::shared_ptr<arrow::DataType>;  // arrow::null(): no value was seen yet.

constexpr int kMostDigits = 38;

bool IsDecimal(const arrow::DataType& type) { return type.id() == arrow::Type::DECIMAL128; }

// Spark's order of names is that of UTF-16, which for most is that of UTF-8.
Type StructOf(const std::map<std::string, Type>& members) {
  arrow::FieldVector fields;
  for (const auto& [name, type] : members) fields.push_back(arrow::field(name, type));
  return arrow::struct_(fields);
}

/// The type that holds the values of both, as Spark's JsonInferSchema finds it.
Type Common(const Type& a, const Type& b) {
  if (a->id() == arrow::Type::NA || a->Equals(*b)) return b;
  if (b->id() == arrow::Type::NA) return a;
  const auto is = [&](arrow::Type::type id) { return a->id() == id || b->id() == id; };
  if (a->id() == arrow::Type::STRUCT && b->id() == arrow::Type::STRUCT) {
    std::map<std::string, Type> members;
    for (const auto& field : a->fields()) members[field->name()] = field->type();
    for (const auto& field : b->fields()) {
      Type& member = members[field->name()];
      member = member == nullptr ? field->type() : Common(member, field->type());
    }
    return StructOf(members);
  }
  if (a->id() == arrow::Type::LIST && b->id() == arrow::Type::LIST) {
    return arrow::list(Common(a->field(0)->type(), b->field(0)->type()));
  }
  const auto number = [](const arrow::DataType& type) {
    return type.id() == arrow::Type::INT64 || type.id() == arrow::Type::DOUBLE || IsDecimal(type);
  };
  if (!number(*a) || !number(*b)) return arrow::utf8();
  if (is(arrow::Type::DOUBLE)) return arrow::float64();
  constexpr int kLongDigits = 20;
  const auto decimal = [](const Type& type) {
    return IsDecimal(*type) ? type : arrow::decimal128(kLongDigits, 0);
  };
  const Type wider = WiderDecimal(*decimal(a), *decimal(b));
  return wider == nullptr ? arrow::float64() : wider;
}

/// The type of what a record holds.
class ValueTypes {
 public:
  explicit ValueTypes(const TextOptions& options) : options_(options) {}

  /// Of the value that the parser stands at. Throws JsonSyntaxError.
  [[nodiscard]] Type Of(JsonParser* parser) const {
    switch (parser->token()) {
      case JsonToken::kFieldName:
        parser->NextToken();
        return Of(parser);
      case JsonToken::kStartObject: {
        std::map<std::string, Type> members;
        while (GoesOn(parser, JsonToken::kEndObject)) {
          const std::string* name = parser->CurrentName();
          const std::string key = name == nullptr ? "" : *name;
          const Type type = Of(parser);
          Type& member = members[key];
          member = member == nullptr ? type : Common(member, type);
        }
        return StructOf(members);
      }
      case JsonToken::kStartArray: {
        Type element = arrow::null();
        while (GoesOn(parser, JsonToken::kEndArray)) element = Common(element, Of(parser));
        return arrow::list(element);
      }
      case JsonToken::kString:
        return OfText(parser->Text());
      case JsonToken::kInteger:
      case JsonToken::kReal:
        return options_.primitives_as_string ? arrow::utf8()
                                             : OfNumber(parser->Text(), parser->token());
      case JsonToken::kTrue:
      case JsonToken::kFalse:
        return options_.primitives_as_string ? arrow::utf8() : arrow::boolean();
      default:
        return arrow::null();
    }
  }

 private:
  static bool GoesOn(JsonParser* parser, JsonToken end) {
    const JsonToken token = parser->NextToken();
    return token != JsonToken::kNone && token != end;
  }

  [[nodiscard]] Type OfText(const std::string& text) const {
    if (text.empty()) return arrow::null();
    if (!options_.prefers_decimal) return arrow::utf8();
    std::string plain = text;
    std::erase(plain, ',');
    const auto number = ParseDecimalDigits(plain);
    const bool fits = number && number->precision() <= kMostDigits && number->scale >= 0 &&
                      number->scale <= number->precision();
    return fits ? arrow::decimal128(static_cast<int32_t>(number->precision()),
                                    static_cast<int32_t>(number->scale))
                : arrow::utf8();
  }

  [[nodiscard]] Type OfNumber(const std::string& text, JsonToken token) const {
    if (token == JsonToken::kInteger && ParseInteger(text, std::numeric_limits<int64_t>::min(),
                                                     std::numeric_limits<int64_t>::max())) {
      return arrow::int64();
    }
    if (token == JsonToken::kReal && !options_.prefers_decimal) return arrow::float64();
    const auto number = ParseDecimalDigits(text);
    if (!number) throw JsonSyntaxError("a number that no decimal holds");
    if (number->scale < 0) return arrow::float64();
    const int64_t precision = std::max(number->precision(), number->scale);
    if (precision > kMostDigits) return arrow::float64();
    return arrow::decimal128(static_cast<int32_t>(precision), static_cast<int32_t>(number->scale));
  }

  const TextOptions& options_;
};

/// What a column can be declared as; nullptr: nothing is left of it.
Type Declarable(const Type& type, const TextOptions& options) {
  switch (type->id()) {
    case arrow::Type::NA:
      return options.drop_if_all_null ? nullptr : arrow::utf8();
    case arrow::Type::LIST: {
      Type element = Declarable(type->field(0)->type(), options);
      return element == nullptr ? nullptr : arrow::list(std::move(element));
    }
    case arrow::Type::STRUCT: {
      arrow::FieldVector fields;
      for (const auto& field : type->fields()) {
        if (field->name().empty()) continue;
        if (Type member = Declarable(field->type(), options)) {
          fields.push_back(arrow::field(field->name(), std::move(member)));
        }
      }
      return fields.empty() ? nullptr : arrow::struct_(fields);
    }
    default:
      return type;
  }
}

/// The rows of a record that is an array are its elements.
Type RowType(Type type) {
  while (type->id() == arrow::Type::LIST) type = type->field(0)->type();
  return type;
}

}  // namespace

std::shared_ptr<arrow::DataType> WiderDecimal(const arrow::DataType& a, const arrow::DataType& b) {
  const auto& left = static_cast<const arrow::DecimalType&>(a);
  const auto& right = static_cast<const arrow::DecimalType&>(b);
  const int scale = std::max(left.scale(), right.scale());
  const int whole = std::max(left.precision() - left.scale(), right.precision() - right.scale());
  if (whole + scale > kMostDigits) return nullptr;
  return arrow::decimal128(whole + scale, scale);
}

std::shared_ptr<arrow::Schema> InferJsonSchema(const std::vector<InferenceFile>& files,
                                               const TextOptions& options) {
  const ValueTypes types(options);
  Type row = arrow::null();
  for (const InferenceFile& file : files) {
    TextInput input(file.file, file.name.name, options);
    const auto add = [&](std::string_view text) {
      std::optional<Type> type;
      try {
        JsonParser parser(text, options);
        parser.NextToken();
        type = RowType(types.Of(&parser));
      } catch (const JsonSyntaxError&) {
        type = std::nullopt;
      }
      const bool is_record =
          type && ((*type)->id() == arrow::Type::STRUCT || (*type)->id() == arrow::Type::NA);
      if (is_record && !input.malformed()) {
        row = Common(row, *type);
      } else if (options.mode == ParseMode::kFailFast) {
        throw InvalidFile(file.name.name +
                          ": it holds a record that is no JSON object, and the read option mode is "
                          "FAILFAST. Correct the file, or declare the schema");
      }
    };
    if (options.multi_line) {
      std::string whole;
      for (std::string_view piece = input.NextPiece(); !piece.empty(); piece = input.NextPiece()) {
        whole += piece;
      }
      add(whole);
    } else {
      for (std::string_view line; input.NextLine(&line);) add(line);
    }
  }
  const Type columns = Declarable(row, options);
  if (columns == nullptr || columns->id() != arrow::Type::STRUCT) {
    return arrow::schema(arrow::FieldVector{});
  }
  return arrow::schema(columns->fields());
}

}  // namespace ariadne::text
