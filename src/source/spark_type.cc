#include "source/spark_type.h"

#include <string>
#include <string_view>
#include <utility>

#include <arrow/extension_type.h>
#include <arrow/type.h>

#include "source/name_match.h"
#include "source/spark_schema.h"
#include "source/stored_name.h"

namespace ariadne::source {

namespace {

constexpr int kMaxDecimalPrecision = 38;

std::shared_ptr<arrow::DataType> SparkDecimal(const arrow::DataType& type) {
  const auto& decimal = static_cast<const arrow::DecimalType&>(type);
  if (decimal.precision() > kMaxDecimalPrecision || decimal.scale() < 0 ||
      decimal.scale() > decimal.precision()) {
    return nullptr;
  }
  return arrow::decimal128(decimal.precision(), decimal.scale());
}

std::shared_ptr<arrow::Field> SparkField(const arrow::Field& field) {
  auto type = SparkType(*field.type());
  return type == nullptr ? nullptr : field.WithType(type);
}

std::shared_ptr<arrow::DataType> SparkMap(const arrow::MapType& map) {
  auto key = SparkType(*map.key_type());
  auto value = SparkField(*map.item_field());
  if (key == nullptr || value == nullptr) return nullptr;
  return std::make_shared<arrow::MapType>(arrow::field("key", std::move(key), false),
                                          value->WithName("value"));
}

// Digits that hold every value of a signed integer of `bits`.
int IntegerDigits(arrow::Type::type id) {
  switch (id) {
    case arrow::Type::INT8:
      return 3;
    case arrow::Type::INT16:
      return 5;
    case arrow::Type::INT32:
      return 10;
    case arrow::Type::INT64:
      return 19;
    default:
      return 0;
  }
}

bool WidensInteger(const arrow::DataType& from, const arrow::DataType& to) {
  const int digits = IntegerDigits(from.id());
  if (digits == 0) return false;
  if (IntegerDigits(to.id()) != 0) return IntegerDigits(to.id()) >= digits;
  // A double holds 53 bits: every integer of 32 bits and not every one of 64.
  if (to.id() == arrow::Type::DOUBLE) return digits <= 10;
  if (to.id() == arrow::Type::DECIMAL128) {
    const auto& decimal = static_cast<const arrow::DecimalType&>(to);
    return decimal.precision() - decimal.scale() >= digits;
  }
  return false;
}

bool WidensDecimal(const arrow::DataType& from, const arrow::DataType& to) {
  const auto& a = static_cast<const arrow::DecimalType&>(from);
  const auto& b = static_cast<const arrow::DecimalType&>(to);
  return b.scale() >= a.scale() && b.precision() - b.scale() >= a.precision() - a.scale();
}

bool CanReadStruct(const arrow::DataType& from, const arrow::DataType& to) {
  for (const auto& wanted : to.fields()) {
    const int at = FindName(
        from.num_fields(), [&from](int i) -> std::string_view { return from.field(i)->name(); },
        StoredName(*wanted));
    // A member that the file lacks is NULL, as a column is.
    if (at == kNameMissing) continue;
    if (at == kNameAmbiguous || !CanReadAs(*from.field(at)->type(), *wanted->type())) return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<arrow::DataType> SparkType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return arrow::null();
    case arrow::Type::BOOL:
      return arrow::boolean();
    case arrow::Type::INT8:
      return arrow::int8();
    case arrow::Type::INT16:
    case arrow::Type::UINT8:
      return arrow::int16();
    case arrow::Type::INT32:
    case arrow::Type::UINT16:
      return arrow::int32();
    case arrow::Type::INT64:
    case arrow::Type::UINT32:
    case arrow::Type::DURATION:
      return arrow::int64();
    case arrow::Type::UINT64:
      return arrow::decimal128(20, 0);
    case arrow::Type::FLOAT:
      return arrow::float32();
    case arrow::Type::DOUBLE:
      return arrow::float64();
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return SparkDecimal(type);
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return arrow::utf8();
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
      return arrow::binary();
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
      return arrow::date32();
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(type).timezone().empty()
                 ? arrow::timestamp(arrow::TimeUnit::MICRO)
                 : arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case arrow::Type::DICTIONARY:
      return SparkType(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::EXTENSION:
      return SparkType(*static_cast<const arrow::ExtensionType&>(type).storage_type());
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto element = SparkField(*type.field(0));
      return element == nullptr ? nullptr : arrow::list(element->WithName("element"));
    }
    case arrow::Type::MAP:
      return SparkMap(static_cast<const arrow::MapType&>(type));
    case arrow::Type::STRUCT: {
      arrow::FieldVector fields;
      for (const auto& field : type.fields()) {
        fields.push_back(SparkField(*field));
        if (fields.back() == nullptr) return nullptr;
      }
      return arrow::struct_(fields);
    }
    default:
      return nullptr;
  }
}

std::string SparkTypeName(const arrow::DataType& given) {
  const auto type = SparkType(given);
  if (type == nullptr) return given.ToString();
  switch (type->id()) {
    case arrow::Type::NA:
      return "void";
    case arrow::Type::BOOL:
      return "boolean";
    case arrow::Type::INT8:
      return "tinyint";
    case arrow::Type::INT16:
      return "smallint";
    case arrow::Type::INT32:
      return "int";
    case arrow::Type::INT64:
      return "bigint";
    case arrow::Type::FLOAT:
      return "float";
    case arrow::Type::DOUBLE:
      return "double";
    case arrow::Type::STRING:
      return "string";
    case arrow::Type::BINARY:
      return "binary";
    case arrow::Type::DATE32:
      return "date";
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(*type).timezone().empty() ? "timestamp_ntz"
                                                                                : "timestamp";
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(*type);
      return "decimal(" + std::to_string(decimal.precision()) + "," +
             std::to_string(decimal.scale()) + ")";
    }
    case arrow::Type::LIST:
      return "array<" + SparkTypeName(*type->field(0)->type()) + ">";
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      return "map<" + SparkTypeName(*map.key_type()) + "," + SparkTypeName(*map.item_type()) + ">";
    }
    case arrow::Type::STRUCT: {
      std::string name = "struct<";
      for (const auto& field : type->fields()) {
        if (name.back() != '<') name += ",";
        name += field->name() + ":" + SparkTypeName(*field->type());
      }
      return name + ">";
    }
    default:
      return type->ToString();
  }
}

bool CanReadAs(const arrow::DataType& file, const arrow::DataType& declared) {
  const auto from = SparkType(file);
  const auto to = SparkType(declared);
  if (from == nullptr || to == nullptr) return false;
  if (from->id() == arrow::Type::NA) return true;
  switch (to->id()) {
    case arrow::Type::DOUBLE:
      if (from->id() == arrow::Type::FLOAT) return true;
      break;
    case arrow::Type::DECIMAL128:
      if (from->id() == arrow::Type::DECIMAL128) return WidensDecimal(*from, *to);
      break;
    // Bytes are text and text bytes where the reader says so.
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return file.id() != arrow::Type::FIXED_SIZE_BINARY || to->id() == arrow::Type::BINARY
                 ? from->id() == arrow::Type::STRING || from->id() == arrow::Type::BINARY
                 : false;
    // The zone is how the instant is shown; the number in the file is the same.
    case arrow::Type::TIMESTAMP:
      return from->id() == arrow::Type::TIMESTAMP;
    case arrow::Type::LIST:
      return from->id() == arrow::Type::LIST &&
             CanReadAs(*from->field(0)->type(), *to->field(0)->type());
    case arrow::Type::MAP: {
      if (from->id() != arrow::Type::MAP) return false;
      const auto& a = static_cast<const arrow::MapType&>(*from);
      const auto& b = static_cast<const arrow::MapType&>(*to);
      return CanReadAs(*a.key_type(), *b.key_type()) && CanReadAs(*a.item_type(), *b.item_type());
    }
    case arrow::Type::STRUCT:
      return from->id() == arrow::Type::STRUCT && CanReadStruct(*from, *to);
    default:
      break;
  }
  return from->id() == to->id() || WidensInteger(*from, *to);
}

}  // namespace ariadne::source
