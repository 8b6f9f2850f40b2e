#include "value_json.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <stdexcept>
#include <string>

#include <arrow/array.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <nlohmann/json.hpp>

namespace ariadne::text {

namespace {

template <typename Array>
const Array& As(const arrow::Array& array) {
  return static_cast<const Array&>(array);
}

std::string Hex(uint64_t bits, int digits) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text(digits, '0');
  for (int i = digits - 1; i >= 0; --i, bits >>= 4) text[i] = kHex[bits & 0xf];
  return text;
}

// As Java's toPlainString.
std::string PlainDecimal(const arrow::Decimal128Array& array, int64_t row) {
  const arrow::Decimal128 value(array.GetValue(row));
  const int scale = static_cast<const arrow::DecimalType&>(*array.type()).scale();
  const bool negative = value < arrow::Decimal128(0);
  std::string digits = (negative ? arrow::Decimal128(-value) : value).ToIntegerString();
  if (static_cast<int>(digits.size()) <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - scale, ".");
  return (negative ? "-" : "") + digits;
}

}  // namespace

nlohmann::json ValueJson(const arrow::Array& array, int64_t row) {
  using nlohmann::json;
  if (array.IsNull(row)) return nullptr;
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return As<arrow::BooleanArray>(array).Value(row);
    case arrow::Type::INT8:
      return As<arrow::Int8Array>(array).Value(row);
    case arrow::Type::INT16:
      return As<arrow::Int16Array>(array).Value(row);
    case arrow::Type::INT32:
      return As<arrow::Int32Array>(array).Value(row);
    case arrow::Type::INT64:
      return As<arrow::Int64Array>(array).Value(row);
    case arrow::Type::DATE32:
      return As<arrow::Date32Array>(array).Value(row);
    case arrow::Type::TIMESTAMP:
      return As<arrow::TimestampArray>(array).Value(row);
    case arrow::Type::FLOAT: {
      const float value = As<arrow::FloatArray>(array).Value(row);
      return value != value ? Hex(0x7fc00000, 8) : Hex(std::bit_cast<uint32_t>(value), 8);
    }
    case arrow::Type::DOUBLE: {
      const double value = As<arrow::DoubleArray>(array).Value(row);
      return value != value ? Hex(0x7ff8000000000000, 16) : Hex(std::bit_cast<uint64_t>(value), 16);
    }
    case arrow::Type::DECIMAL128:
      return PlainDecimal(As<arrow::Decimal128Array>(array), row);
    case arrow::Type::STRING:
      return As<arrow::StringArray>(array).GetString(row);
    case arrow::Type::BINARY: {
      std::string text;
      for (const char c : As<arrow::BinaryArray>(array).GetView(row)) {
        text += Hex(static_cast<unsigned char>(c), 2);
      }
      return text;
    }
    case arrow::Type::LIST: {
      const auto& list = As<arrow::ListArray>(array);
      json values = json::array();
      for (int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
        values.push_back(ValueJson(*list.values(), i));
      }
      return values;
    }
    case arrow::Type::MAP: {
      const auto& map = As<arrow::MapArray>(array);
      json entries = json::array();
      for (int64_t i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
        entries.push_back({ValueJson(*map.keys(), i), ValueJson(*map.items(), i)});
      }
      std::sort(entries.begin(), entries.end());
      return entries;
    }
    case arrow::Type::STRUCT: {
      const auto& members = As<arrow::StructArray>(array);
      json values = json::array();
      for (int i = 0; i < members.num_fields(); ++i) {
        values.push_back(ValueJson(*members.field(i), row));
      }
      return values;
    }
    default:
      throw std::logic_error("no value of Spark: " + array.type()->ToString());
  }
}

namespace {

class DdlParser {
 public:
  explicit DdlParser(const std::string& ddl) : rest_(ddl) {}

  arrow::FieldVector Fields(char separator) {
    arrow::FieldVector fields;
    do {
      SkipBlanks();
      const std::string name = Word();
      if (separator == ':') {
        Expect(':');
      } else {
        SkipBlanks();
      }
      fields.push_back(arrow::field(name, Type()));
      SkipBlanks();
    } while (Skip(','));
    return fields;
  }

 private:
  void SkipBlanks() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.erase(0, 1);
  }
  bool Skip(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.erase(0, 1);
    return true;
  }
  void Expect(char c) {
    if (!Skip(c)) throw std::logic_error("DDL: expected " + std::string(1, c) + " at " + rest_);
  }
  std::string Word() {
    const size_t end = std::min(rest_.find_first_of(" ,:<>()"), rest_.size());
    std::string word = rest_.substr(0, end);
    rest_.erase(0, end);
    return word;
  }
  std::shared_ptr<arrow::DataType> Type() {
    const std::string name = Word();
    if (name == "string") return arrow::utf8();
    if (name == "binary") return arrow::binary();
    if (name == "boolean") return arrow::boolean();
    if (name == "tinyint") return arrow::int8();
    if (name == "smallint") return arrow::int16();
    if (name == "int") return arrow::int32();
    if (name == "bigint") return arrow::int64();
    if (name == "float") return arrow::float32();
    if (name == "double") return arrow::float64();
    if (name == "date") return arrow::date32();
    if (name == "timestamp") return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    if (name == "timestamp_ntz") return arrow::timestamp(arrow::TimeUnit::MICRO);
    if (name == "decimal") {
      Expect('(');
      const int precision = std::stoi(Word());
      Expect(',');
      const int scale = std::stoi(Word());
      Expect(')');
      return arrow::decimal128(precision, scale);
    }
    Expect('<');
    std::shared_ptr<arrow::DataType> type;
    if (name == "array") {
      type = arrow::list(Type());
    } else if (name == "struct") {
      type = arrow::struct_(Fields(':'));
    } else {
      auto key = Type();
      Expect(',');
      type = arrow::map(std::move(key), Type());
    }
    Expect('>');
    return type;
  }

  std::string rest_;
};

}  // namespace

std::shared_ptr<arrow::Schema> SchemaOfDdl(const std::string& ddl) {
  return arrow::schema(DdlParser(ddl).Fields(' '));
}

}  // namespace ariadne::text
