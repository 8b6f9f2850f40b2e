#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/util.h>
#include <arrow/buffer_builder.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "ariadne/errors.h"
#include "index/blank_text.h"
#include "index/civil_time.h"
#include "index/column_index.h"
#include "index/distinct_values.h"
#include "index/java_double.h"
#include "index/java_utf8.h"
#include "index/number_literal.h"
#include "index/time_literal.h"
#include "index/value_key.h"
#include "source/spark_schema.h"

namespace ariadne::index {
namespace {

struct Day {
  int64_t days;
};
struct Instant {
  int64_t micros;
};
/// A float or double; NumberLiteral is for numbers that are exact.
struct Floating {
  double value;
};
struct Exact {
  NumberLiteral number;
  bool integer;
};
struct Text {
  std::string_view bytes;
};
struct Binary {
  std::string_view bytes;
};
/// What no column's type holds: a time finer or further than microseconds.
struct Beyond {};
using Literal = std::variant<bool, Exact, Floating, Day, Instant, Text, Binary, Beyond>;

template <typename ArrayType>
auto ValueOf(const arrow::Array& values, int64_t i) {
  return static_cast<const ArrayType&>(values).Value(i);
}

Literal InstantOf(int64_t value, arrow::TimeUnit::type unit) {
  if (unit == arrow::TimeUnit::NANO) {
    if (value % 1000 != 0) return Beyond{};
    return Instant{value / 1000};
  }
  const int64_t factor =
      unit == arrow::TimeUnit::SECOND ? 1'000'000 : (unit == arrow::TimeUnit::MILLI ? 1000 : 1);
  int64_t micros = 0;
  if (__builtin_mul_overflow(value, factor, &micros)) return Beyond{};
  return Instant{micros};
}

/// Arrow's many spellings of one thing as one array type each: large, view and dictionary-encoded
/// ones decoded, narrow and wide decimals as the widest.
std::shared_ptr<arrow::Array> Plain(std::shared_ptr<arrow::Array> values) {
  const arrow::DataType& type = *values->type();
  switch (type.id()) {
    case arrow::Type::EXTENSION:
      return Plain(static_cast<const arrow::ExtensionArray&>(*values).storage());
    case arrow::Type::DICTIONARY:
      values = AsType(*values, static_cast<const arrow::DictionaryType&>(type).value_type());
      return values == nullptr ? nullptr : Plain(std::move(values));
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return AsType(*values, arrow::utf8());
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
      return AsType(*values, arrow::binary());
    case arrow::Type::HALF_FLOAT:
      return AsType(*values, arrow::float32());
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      return AsType(*values,
                    arrow::decimal256(arrow::Decimal256Type::kMaxPrecision, decimal.scale()));
    }
    default:
      return values;
  }
}

/// Value i of what Plain gave; empty for types that are no probe values.
std::optional<Literal> LiteralAt(const arrow::Array& values, int64_t i) {
  const auto integer = [](int64_t value) {
    return Literal(Exact{NumberLiteral::FromInteger(value), true});
  };
  switch (values.type_id()) {
    case arrow::Type::BOOL:
      return ValueOf<arrow::BooleanArray>(values, i);
    case arrow::Type::INT8:
      return integer(ValueOf<arrow::Int8Array>(values, i));
    case arrow::Type::INT16:
      return integer(ValueOf<arrow::Int16Array>(values, i));
    case arrow::Type::INT32:
      return integer(ValueOf<arrow::Int32Array>(values, i));
    case arrow::Type::INT64:
      return integer(ValueOf<arrow::Int64Array>(values, i));
    case arrow::Type::UINT8:
      return integer(ValueOf<arrow::UInt8Array>(values, i));
    case arrow::Type::UINT16:
      return integer(ValueOf<arrow::UInt16Array>(values, i));
    case arrow::Type::UINT32:
      return integer(ValueOf<arrow::UInt32Array>(values, i));
    case arrow::Type::UINT64:
      return Exact{NumberLiteral::FromUnsigned(ValueOf<arrow::UInt64Array>(values, i)), true};
    case arrow::Type::FLOAT:
      return Floating{ValueOf<arrow::FloatArray>(values, i)};
    case arrow::Type::DOUBLE:
      return Floating{ValueOf<arrow::DoubleArray>(values, i)};
    case arrow::Type::DECIMAL256: {
      const arrow::Decimal256 value(static_cast<const arrow::Decimal256Array&>(values).GetValue(i));
      const int scale = static_cast<const arrow::DecimalType&>(*values.type()).scale();
      return Exact{NumberLiteral::FromDecimal(value.ToIntegerString(), scale), false};
    }
    case arrow::Type::DATE32:
      return Day{ValueOf<arrow::Date32Array>(values, i)};
    case arrow::Type::DATE64:
      return InstantOf(ValueOf<arrow::Date64Array>(values, i), arrow::TimeUnit::MILLI);
    case arrow::Type::TIMESTAMP:
      return InstantOf(ValueOf<arrow::TimestampArray>(values, i),
                       static_cast<const arrow::TimestampType&>(*values.type()).unit());
    case arrow::Type::STRING:
      return Text{BytesAt(values, i)};
    case arrow::Type::BINARY:
      return Binary{BytesAt(values, i)};
    default:
      return {};
  }
}

/// Converts the values of one probe.
class Converter {
 public:
  Converter(const std::string& column, const std::shared_ptr<arrow::DataType>& type)
      : column_(column), type_(type) {}

  /// As long as `given`: NULL where it is NULL or the type cannot hold the value.
  std::shared_ptr<arrow::Array> ConvertEach(const std::shared_ptr<arrow::Array>& given) {
    const auto values = Plain(given);
    if (values == nullptr) WrongKind(given->type()->ToString() + " values", "");
    const int64_t length = values->length();
    if (values->type_id() == arrow::Type::NA) {
      return arrow::MakeArrayOfNull(type_, length).ValueOrDie();
    }
    std::vector<bool> known(length, false);
    switch (ShapeOf(*type_)) {
      case KeyShape::kWord: {
        std::vector<uint64_t> keys(
            length, arrow::is_floating(type_->id()) ? KeyOfDouble(0) : KeyOfInteger(0));
        if (arrow::is_signed_integer(values->type_id()) && arrow::is_signed_integer(type_->id())) {
          // The usual case of a large table of keys, without going through decimal digits.
          WordKeys(*values, 0, length, keys.data());
          for (int64_t i = 0; i < length; ++i) {
            known[i] = values->IsValid(i) && FitsInteger(IntegerOfKey(keys[i]));
          }
          return WithNulls(*FromWordKeys(type_, keys), known);
        }
        for (int64_t i = 0; i < length; ++i) {
          if (values->IsNull(i)) continue;
          const auto key = WordOf(At(*values, i));
          known[i] = key.has_value();
          if (key) keys[i] = *key;
        }
        return WithNulls(*FromWordKeys(type_, keys), known);
      }
      case KeyShape::kDoubleWord: {
        const auto& decimal = static_cast<const arrow::DecimalType&>(*type_);
        const auto zero = NumberLiteral::FromInteger(0).ToDecimalKey(decimal.precision(), 0);
        std::vector<Key128> keys(length, *zero);
        for (int64_t i = 0; i < length; ++i) {
          if (values->IsNull(i)) continue;
          const auto number = NumberOf(At(*values, i));
          const auto key =
              number ? number->ToDecimalKey(decimal.precision(), decimal.scale()) : std::nullopt;
          known[i] = key.has_value();
          if (key) keys[i] = *key;
        }
        return WithNulls(*FromDecimalKeys(type_, keys), known);
      }
      case KeyShape::kBytes: {
        arrow::BinaryBuilder builder;
        for (int64_t i = 0; i < length; ++i) {
          const auto text = values->IsNull(i) ? std::nullopt : BytesOf(At(*values, i), *values, i);
          if (!(text ? builder.Append(*text) : builder.AppendNull()).ok()) {
            throw InvalidArgument("the values asked of column '" + column_ +
                                  "' exceed 2 GB; ask in several calls");
          }
        }
        return builder.Finish().ValueOrDie()->View(type_).ValueOrDie();
      }
      case KeyShape::kNested:
        break;
    }
    auto cast = AsType(*given, type_);
    if (cast == nullptr) WrongKind(given->type()->ToString() + " values", "");
    return cast;
  }

  /// Sorted, distinct, without NULLs.
  std::shared_ptr<arrow::Array> Distinct(const arrow::Array& values) {
    BuildContext context;
    context.memory_bytes = std::numeric_limits<int64_t>::max();
    const auto held = type_->id() == arrow::Type::STRING ? arrow::binary() : type_;
    DistinctValues distinct(column_, held, context);
    distinct.Add(values);
    // Bytes that are no UTF-8 can stand in a string column too, so they are viewed, not cast.
    const auto sorted = distinct.Sorted();
    return held == type_ ? sorted : sorted->View(type_).ValueOrDie();
  }

 private:
  [[noreturn]] void WrongKind(const std::string& what, const std::string& example) const {
    throw InvalidArgument("column '" + column_ + "' is of type " + source::SparkTypeName(*type_) +
                          ": the probe value " + what + " is not of that kind" +
                          (example.empty() ? "" : "; give for example " + example));
  }
  static std::string Quoted(std::string_view text) {
    size_t shown = std::min<size_t>(80, text.size());
    const auto inside_character = [&text](size_t at) {
      return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
    };
    while (shown > 0 && inside_character(shown)) --shown;
    const JavaUtf8 legible(text.substr(0, shown));
    return "'" + std::string(std::string_view(legible)) + (shown < text.size() ? "…'" : "'");
  }
  [[noreturn]] void WrongKind(const Literal& literal, const std::string& example) const {
    if (const auto* text = std::get_if<Text>(&literal)) WrongKind(Quoted(text->bytes), example);
    constexpr std::array<const char*, 8> kNames = {"(a boolean)", "(a number)",    "(a number)",
                                                   "(a date)",    "(a timestamp)", "(a text)",
                                                   "(binary)",    "(a time)"};
    WrongKind(kNames[literal.index()], example);
  }

  static std::shared_ptr<arrow::Array> WithNulls(const arrow::Array& values,
                                                 const std::vector<bool>& known) {
    arrow::TypedBufferBuilder<bool> bitmap;
    for (const bool valid : known) {
      if (!bitmap.Append(valid).ok()) throw Error("no memory for the values asked of column");
    }
    auto data = values.data()->Copy();
    data->buffers[0] = bitmap.Finish().ValueOrDie();
    data->null_count = std::count(known.begin(), known.end(), false);
    return arrow::MakeArray(data);
  }

  Literal At(const arrow::Array& values, int64_t i) const {
    auto literal = LiteralAt(values, i);
    if (!literal) WrongKind("of type " + values.type()->ToString(), "");
    return *std::move(literal);
  }

  [[nodiscard]] std::optional<uint64_t> WordOf(const Literal& literal) const {
    switch (type_->id()) {
      case arrow::Type::BOOL:
        return BooleanKey(literal);
      case arrow::Type::FLOAT:
      case arrow::Type::DOUBLE:
        return FloatingKey(literal);
      case arrow::Type::DATE32:
      case arrow::Type::TIMESTAMP:
        return TimeKey(literal);
      default:
        break;
    }
    const auto number = NumberOf(literal);
    const auto value = number ? number->ToInteger() : std::nullopt;
    if (!value) return {};
    return FitsInteger(*value) ? std::optional(KeyOfInteger(*value)) : std::nullopt;
  }
  /// True if the column's integer type holds the value.
  [[nodiscard]] bool FitsInteger(int64_t value) const {
    const int bits = static_cast<const arrow::FixedWidthType&>(*type_).bit_width();
    const int64_t most = std::numeric_limits<int64_t>::max() >> (64 - bits);
    return value <= most && value >= -most - 1;
  }

  [[nodiscard]] std::optional<uint64_t> BooleanKey(const Literal& literal) const {
    if (const auto* value = std::get_if<bool>(&literal)) return KeyOfInteger(*value ? 1 : 0);
    if (const auto* text = std::get_if<Text>(&literal)) {
      std::string word(WithoutBlanks(text->bytes));
      std::transform(word.begin(), word.end(), word.begin(),
                     [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
      constexpr std::array<std::string_view, 5> kTrue = {"true", "t", "yes", "y", "1"};
      constexpr std::array<std::string_view, 5> kFalse = {"false", "f", "no", "n", "0"};
      if (std::find(kTrue.begin(), kTrue.end(), word) != kTrue.end()) return KeyOfInteger(1);
      if (std::find(kFalse.begin(), kFalse.end(), word) != kFalse.end()) return KeyOfInteger(0);
    }
    WrongKind(literal, "true or false");
  }

  /// Floats and doubles narrow exactly or not at all. Integers must be exact too. Decimals and text
  /// go to the nearest, as SQL compares a decimal with a double.
  [[nodiscard]] std::optional<uint64_t> FloatingKey(const Literal& literal) const {
    const bool narrow = type_->id() == arrow::Type::FLOAT;
    if (const auto* floating = std::get_if<Floating>(&literal)) {
      const double value = floating->value;
      if (narrow && !std::isnan(value) && !std::isinf(value)) {
        if (std::abs(value) > std::numeric_limits<float>::max()) return {};
        if (static_cast<double>(static_cast<float>(value)) != value) return {};
      }
      return KeyOfDouble(value);
    }
    const auto number = NumberOf(literal);
    if (!number) return {};
    const auto* exact_number = std::get_if<Exact>(&literal);
    const bool exact = exact_number != nullptr && exact_number->integer;
    if (narrow) {
      const auto value = number->ToFloat(exact);
      return value ? std::optional(KeyOfDouble(*value)) : std::nullopt;
    }
    const auto value = number->ToDouble(exact);
    return value ? std::optional(KeyOfDouble(*value)) : std::nullopt;
  }

  /// A date is its midnight, UTC.
  [[nodiscard]] std::optional<uint64_t> TimeKey(const Literal& literal) const {
    const bool wants_day = type_->id() == arrow::Type::DATE32;
    int64_t micros = 0;
    if (const auto* day = std::get_if<Day>(&literal)) {
      if (wants_day) return KeyOfInteger(day->days);
      if (__builtin_mul_overflow(day->days, kMicrosPerDay, &micros)) return {};
    } else if (const auto* instant = std::get_if<Instant>(&literal)) {
      micros = instant->micros;
    } else if (const auto* text = std::get_if<Text>(&literal)) {
      const auto parsed = TimeLiteral::Parse(text->bytes);
      if (!parsed) {
        WrongKind(literal, wants_day ? "2024-02-29" : "2024-02-29T12:34:56Z");
      }
      if (parsed->nanos_below_micro != 0) return {};
      if (wants_day && parsed->micros_of_day == 0) return KeyOfInteger(parsed->days);
      if (__builtin_mul_overflow(parsed->days, kMicrosPerDay, &micros) ||
          __builtin_add_overflow(micros, parsed->micros_of_day, &micros)) {
        return {};
      }
    } else if (std::holds_alternative<Beyond>(literal)) {
      return {};
    } else {
      WrongKind(literal, wants_day ? "2024-02-29" : "2024-02-29T12:34:56Z");
    }
    if (!wants_day) return KeyOfInteger(micros);
    if (micros % kMicrosPerDay != 0) return {};
    return KeyOfInteger(micros / kMicrosPerDay);
  }

  [[nodiscard]] std::optional<NumberLiteral> NumberOf(const Literal& literal) const {
    if (const auto* exact = std::get_if<Exact>(&literal)) return exact->number;
    if (const auto* floating = std::get_if<Floating>(&literal)) {
      return NumberLiteral::FromDouble(floating->value);
    }
    if (const auto* text = std::get_if<Text>(&literal)) {
      if (auto number = NumberLiteral::Parse(text->bytes)) return number;
    }
    WrongKind(literal, type_->id() == arrow::Type::DECIMAL128 ? "1.50" : "42");
  }

  /// Text and binary as they are; for a string column other values as Spark casts them to string.
  [[nodiscard]] std::optional<std::string> BytesOf(const Literal& literal,
                                                   const arrow::Array& values, int64_t i) const {
    if (const auto* text = std::get_if<Text>(&literal)) return std::string(text->bytes);
    if (const auto* bytes = std::get_if<Binary>(&literal)) return std::string(bytes->bytes);
    if (type_->id() == arrow::Type::BINARY) WrongKind(literal, "bytes, or text for its UTF-8");
    if (const auto* value = std::get_if<bool>(&literal)) return *value ? "true" : "false";
    if (values.type_id() == arrow::Type::FLOAT) {
      return JavaFloatToString(ValueOf<arrow::FloatArray>(values, i));
    }
    if (const auto* floating = std::get_if<Floating>(&literal)) {
      return JavaDoubleToString(floating->value);
    }
    if (std::holds_alternative<Exact>(literal)) {
      if (values.type_id() == arrow::Type::DECIMAL256) {
        return static_cast<const arrow::Decimal256Array&>(values).FormatValue(i);
      }
      return NumberText(values, i);
    }
    if (const auto* day = std::get_if<Day>(&literal)) return TimeText(day->days * 86'400, 0, false);
    if (const auto* instant = std::get_if<Instant>(&literal)) {
      const int64_t seconds = FloorDivide(instant->micros, 1'000'000);
      return TimeText(seconds, FloorRemainder(instant->micros, 1'000'000), true);
    }
    return {};
  }
  static std::string NumberText(const arrow::Array& values, int64_t i) {
    if (values.type_id() == arrow::Type::UINT64) {
      return std::to_string(ValueOf<arrow::UInt64Array>(values, i));
    }
    const auto wide = AsType(*values.Slice(i, 1), arrow::int64());
    return std::to_string(ValueOf<arrow::Int64Array>(*wide, 0));
  }
  /// `2024-02-29`, with `time` `2024-02-29 12:34:56.789`: no trailing zeros in the fraction.
  static std::string TimeText(int64_t seconds, int64_t micros, bool time) {
    const int64_t day = FloorDivide(seconds, 86'400);
    const CivilDate date = CivilDateOf(day);
    const auto of_day = static_cast<int>(seconds - day * 86'400);
    std::array<char, 64> buffer;
    std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02d", date.year, date.month, date.day);
    std::string text = buffer.data();
    if (!time) return text;
    std::snprintf(buffer.data(), buffer.size(), " %02d:%02d:%02d", of_day / 3600, of_day / 60 % 60,
                  of_day % 60);
    text += buffer.data();
    if (micros == 0) return text;
    std::snprintf(buffer.data(), buffer.size(), ".%06d", static_cast<int>(micros));
    text += buffer.data();
    while (text.back() == '0') text.pop_back();
    return text;
  }

  const std::string& column_;
  const std::shared_ptr<arrow::DataType>& type_;
};

}  // namespace

std::shared_ptr<arrow::Array> ConvertProbe(const std::string& column,
                                           const std::shared_ptr<arrow::DataType>& type,
                                           const arrow::Array& values) {
  Converter converter(column, type);
  auto given = arrow::MakeArray(values.data());
  if (given->type()->Equals(*type)) {
    if (type->id() == arrow::Type::STRING) given = given->View(arrow::binary()).ValueOrDie();
    return converter.Distinct(*given);
  }
  return converter.Distinct(*converter.ConvertEach(given));
}

std::shared_ptr<arrow::Array> ConvertEach(const std::string& column,
                                          const std::shared_ptr<arrow::DataType>& type,
                                          const arrow::Array& values) {
  auto given = arrow::MakeArray(values.data());
  if (given->type()->Equals(*type)) return given;
  return Converter(column, type).ConvertEach(given);
}

}  // namespace ariadne::index
