#include "source/spark_schema.h"

#include <charconv>
#include <utility>
#include <vector>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "source/json_string.h"
#include "source/spark_type.h"
#include "source/stored_name.h"
#include "storage/json_fault.h"

namespace ariadne::source {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kMaxDecimalPrecision = 38;
// Deeper schemas do not come from Spark; a limit keeps hostile JSON from exhausting the stack.
constexpr int kMaxDepth = 100;

[[noreturn]] void NoSchema(const std::string& why) {
  throw SchemaMismatch("This is no Spark schema: " + why +
                       ". Expected {\"type\":\"struct\",\"fields\":[...]}");
}

[[noreturn]] void Unsupported(const std::string& column, const std::string& type) {
  throw UnsupportedColumn("Column '" + column + "' has type " + type +
                          ", which Spark cannot read from Parquet; leave the column out of the "
                          "schema");
}

void AppendType(const arrow::DataType& type, const std::string& column, std::string* out);

void AppendField(const arrow::Field& field, const std::string& column, std::string* out) {
  *out += "{\"name\":";
  AppendJsonString(field.name(), out);
  *out += ",\"type\":";
  AppendType(*field.type(), column, out);
  *out += field.nullable() ? ",\"nullable\":true" : ",\"nullable\":false";
  *out += ",\"metadata\":";
  std::string metadata = "{}";
  if (field.HasMetadata()) {
    const int at = field.metadata()->FindKey(kSparkFieldMetadata);
    if (at >= 0) metadata = field.metadata()->value(at);
  }
  *out += metadata + "}";
}

void AppendFields(const arrow::FieldVector& fields, const std::string& parent, std::string* out) {
  *out += "{\"type\":\"struct\",\"fields\":[";
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendField(*fields[i], parent.empty() ? fields[i]->name() : parent + "." + fields[i]->name(),
                out);
  }
  *out += "]}";
}

void AppendType(const arrow::DataType& given, const std::string& column, std::string* out) {
  const std::shared_ptr<arrow::DataType> type = SparkType(given);
  if (type == nullptr) {
    for (const auto& field : given.fields()) {
      // The member at fault is told, not the whole column.
      if (SparkType(*field->type()) == nullptr) {
        AppendType(*field->type(), column + "." + field->name(), out);
      }
    }
    Unsupported(column, given.ToString());
  }
  switch (type->id()) {
    case arrow::Type::STRUCT:
      AppendFields(type->fields(), column, out);
      return;
    case arrow::Type::LIST:
      *out += "{\"type\":\"array\",\"elementType\":";
      AppendType(*type->field(0)->type(), column + ".element", out);
      *out += type->field(0)->nullable() ? ",\"containsNull\":true}" : ",\"containsNull\":false}";
      return;
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      *out += "{\"type\":\"map\",\"keyType\":";
      AppendType(*map.key_type(), column + ".key", out);
      *out += ",\"valueType\":";
      AppendType(*map.item_type(), column + ".value", out);
      *out += map.item_field()->nullable() ? ",\"valueContainsNull\":true}"
                                           : ",\"valueContainsNull\":false}";
      return;
    }
    case arrow::Type::INT8:
      *out += "\"byte\"";
      return;
    case arrow::Type::INT16:
      *out += "\"short\"";
      return;
    case arrow::Type::INT32:
      *out += "\"integer\"";
      return;
    case arrow::Type::INT64:
      *out += "\"long\"";
      return;
    default:
      out->push_back('"');
      *out += SparkTypeName(*type);
      out->push_back('"');
      return;
  }
}

const Json& Member(const Json& object, const char* key, const std::string& where) {
  if (!object.is_object()) NoSchema(where + " is not a JSON object");
  const auto it = object.find(key);
  if (it == object.end()) NoSchema(where + " lacks \"" + key + "\"");
  return *it;
}

bool Flag(const Json& object, const char* key, const std::string& where) {
  const Json& value = Member(object, key, where);
  if (!value.is_boolean()) NoSchema(where + ": \"" + key + "\" is not true or false");
  return value.get<bool>();
}

std::shared_ptr<arrow::DataType> ParseDecimal(const std::string& name, const std::string& column) {
  if (name == "decimal") return arrow::decimal128(10, 0);
  const size_t comma = name.find(',');
  int precision = 0;
  int scale = 0;
  const auto number = [&name](size_t begin, size_t end, int* value) {
    while (begin < end && name[begin] == ' ') ++begin;
    const char* last = name.data() + end;
    const auto [stop, error] = std::from_chars(name.data() + begin, last, *value);
    return error == std::errc() && stop == last;
  };
  if (comma == std::string::npos || name.back() != ')' || !number(8, comma, &precision) ||
      !number(comma + 1, name.size() - 1, &scale) || precision < 1 ||
      precision > kMaxDecimalPrecision || scale < 0 || scale > precision) {
    Unsupported(column, name);
  }
  return arrow::decimal128(precision, scale);
}

std::shared_ptr<arrow::DataType> ParseName(const std::string& name, const std::string& column) {
  if (name == "string" || name.starts_with("char(") || name.starts_with("varchar(") ||
      name.starts_with("string collate ")) {
    return arrow::utf8();
  }
  if (name == "boolean") return arrow::boolean();
  if (name == "byte") return arrow::int8();
  if (name == "short") return arrow::int16();
  if (name == "integer") return arrow::int32();
  if (name == "long") return arrow::int64();
  if (name == "float") return arrow::float32();
  if (name == "double") return arrow::float64();
  if (name == "date") return arrow::date32();
  if (name == "timestamp" || name == "timestamp_ltz") {
    return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  }
  if (name == "timestamp_ntz") return arrow::timestamp(arrow::TimeUnit::MICRO);
  if (name == "binary") return arrow::binary();
  if (name == "void" || name == "null") return arrow::null();
  if (name == "decimal" || name.starts_with("decimal(")) return ParseDecimal(name, column);
  throw UnsupportedColumn("Column '" + column + "' has the Spark type " + name +
                          ", which Ariadne does not know; leave the column out of the schema");
}

std::shared_ptr<arrow::DataType> ParseType(const Json& type, const std::string& column, int depth);

std::shared_ptr<arrow::Field> ParseField(const Json& field, const std::string& parent, int depth) {
  const std::string where = parent.empty() ? "a field" : "a field of '" + parent + "'";
  const Json& name = Member(field, "name", where);
  if (!name.is_string()) NoSchema(where + " has a name that is not a string");
  const auto text = name.get<std::string>();
  const std::string column = parent.empty() ? text : parent + "." + text;
  auto type = ParseType(Member(field, "type", "'" + column + "'"), column, depth);
  const bool nullable = !field.contains("nullable") || Flag(field, "nullable", "'" + column + "'");
  std::shared_ptr<arrow::KeyValueMetadata> metadata;
  const auto given = field.find("metadata");
  if (given != field.end() && given->is_object() && !given->empty()) {
    metadata = arrow::key_value_metadata({kSparkFieldMetadata}, {given->dump()});
  }
  return arrow::field(text, std::move(type), nullable, std::move(metadata));
}

arrow::FieldVector ParseFields(const Json& type, const std::string& column, int depth) {
  const Json& fields = Member(type, "fields", column.empty() ? "the schema" : "'" + column + "'");
  if (!fields.is_array()) NoSchema("\"fields\" is not an array");
  arrow::FieldVector result;
  result.reserve(fields.size());
  for (const Json& field : fields) result.push_back(ParseField(field, column, depth));
  return result;
}

std::shared_ptr<arrow::DataType> ParseType(const Json& type, const std::string& column, int depth) {
  if (depth > kMaxDepth) NoSchema("'" + column + "' is nested too deeply");
  if (type.is_string()) return ParseName(type.get<std::string>(), column);
  const std::string where = "the type of '" + column + "'";
  const Json& kind = Member(type, "type", where);
  if (kind == "struct") return arrow::struct_(ParseFields(type, column, depth + 1));
  if (kind == "array") {
    auto element = ParseType(Member(type, "elementType", where), column + ".element", depth + 1);
    return arrow::list(
        arrow::field("element", std::move(element), Flag(type, "containsNull", where)));
  }
  if (kind == "map") {
    auto key = ParseType(Member(type, "keyType", where), column + ".key", depth + 1);
    auto value = ParseType(Member(type, "valueType", where), column + ".value", depth + 1);
    return std::make_shared<arrow::MapType>(
        arrow::field("key", std::move(key), /*nullable=*/false),
        arrow::field("value", std::move(value), Flag(type, "valueContainsNull", where)));
  }
  if (kind == "udt") return ParseType(Member(type, "sqlType", where), column, depth + 1);
  NoSchema(where + " is of the unknown kind " + kind.dump());
}

}  // namespace

std::string ToSparkJson(const arrow::Schema& schema) {
  std::string out;
  AppendFields(schema.fields(), "", &out);
  return out;
}

std::string FieldToSparkJson(const arrow::Field& field) {
  std::string out;
  AppendField(field, field.name(), &out);
  return out;
}

std::shared_ptr<arrow::Schema> FromSparkJson(const std::string& json) {
  try {
    const Json parsed = Json::parse(json);
    if (Member(parsed, "type", "the schema") != "struct") NoSchema("its type is not \"struct\"");
    return arrow::schema(ParseFields(parsed, "", 0));
  } catch (const Json::exception& error) {
    NoSchema(storage::JsonFault(error));
  }
}

}  // namespace ariadne::source
