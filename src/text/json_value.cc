#include "text/json_value.h"

#include <arrow/builder.h>
#include <arrow/type.h>

#include "text/arrow_build.h"

namespace ariadne::text {

namespace {

template <typename Builder, typename Value>
void Put(arrow::ArrayBuilder* builder, const Value& value) {
  CheckBuilt(static_cast<Builder*>(builder)->Append(value));
}

}  // namespace

void AppendJson(const JsonValue& value, const arrow::DataType& type, arrow::ArrayBuilder* builder) {
  if (value.is_null) {
    CheckBuilt(builder->AppendNull());
    return;
  }
  switch (type.id()) {
    case arrow::Type::BOOL:
      return Put<arrow::BooleanBuilder>(builder, value.integer != 0);
    case arrow::Type::INT8:
      return Put<arrow::Int8Builder>(builder, static_cast<int8_t>(value.integer));
    case arrow::Type::INT16:
      return Put<arrow::Int16Builder>(builder, static_cast<int16_t>(value.integer));
    case arrow::Type::INT32:
      return Put<arrow::Int32Builder>(builder, static_cast<int32_t>(value.integer));
    case arrow::Type::INT64:
      return Put<arrow::Int64Builder>(builder, value.integer);
    case arrow::Type::DATE32:
      return Put<arrow::Date32Builder>(builder, static_cast<int32_t>(value.integer));
    case arrow::Type::TIMESTAMP:
      return Put<arrow::TimestampBuilder>(builder, value.integer);
    case arrow::Type::FLOAT:
      return Put<arrow::FloatBuilder>(builder, static_cast<float>(value.real));
    case arrow::Type::DOUBLE:
      return Put<arrow::DoubleBuilder>(builder, value.real);
    case arrow::Type::DECIMAL128:
      return Put<arrow::Decimal128Builder>(builder, value.decimal);
    case arrow::Type::STRING:
      return Put<arrow::StringBuilder>(builder, value.text);
    case arrow::Type::BINARY:
      return Put<arrow::BinaryBuilder>(builder, value.text);
    case arrow::Type::LIST: {
      auto* list = static_cast<arrow::ListBuilder*>(builder);
      CheckBuilt(list->Append());
      for (const JsonValue& child : value.children) {
        AppendJson(child, *type.field(0)->type(), list->value_builder());
      }
      return;
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      auto* entries = static_cast<arrow::MapBuilder*>(builder);
      CheckBuilt(entries->Append());
      for (size_t i = 0; i + 1 < value.children.size(); i += 2) {
        AppendJson(value.children[i], *map.key_type(), entries->key_builder());
        AppendJson(value.children[i + 1], *map.item_type(), entries->item_builder());
      }
      return;
    }
    case arrow::Type::STRUCT: {
      auto* members = static_cast<arrow::StructBuilder*>(builder);
      CheckBuilt(members->Append());
      for (int i = 0; i < type.num_fields(); ++i) {
        AppendJson(value.children[i], *type.field(i)->type(), members->field_builder(i));
      }
      return;
    }
    default:
      CheckBuilt(builder->AppendNull());
  }
}

}  // namespace ariadne::text
