#include "source/convert.h"

#include <string_view>
#include <utility>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/initialize.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>

#include "source/name_match.h"
#include "source/stored_name.h"

namespace ariadne::source {

namespace {

using ArrayResult = arrow::Result<std::shared_ptr<arrow::Array>>;

ArrayResult Cast(const arrow::Array& array, const std::shared_ptr<arrow::DataType>& type) {
  ARROW_RETURN_NOT_OK(InitializeCompute());
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(type);
  options.allow_invalid_utf8 = true;
  return arrow::compute::Cast(array, type, options);
}

std::shared_ptr<arrow::Array> Relabel(const arrow::Array& array,
                                      const std::shared_ptr<arrow::DataType>& type) {
  const auto data = array.data()->Copy();
  data->type = type;
  return arrow::MakeArray(data);
}

bool IsText32(arrow::Type::type id) {
  return id == arrow::Type::STRING || id == arrow::Type::BINARY;
}

ArrayResult ConvertTimestamp(const std::shared_ptr<arrow::Array>& array,
                             const std::shared_ptr<arrow::DataType>& type) {
  const auto& from = static_cast<const arrow::TimestampType&>(*array->type());
  const auto& to = static_cast<const arrow::TimestampType&>(*type);
  if (from.unit() == to.unit()) return Relabel(*array, type);
  ARROW_ASSIGN_OR_RAISE(auto scaled, Cast(*array, arrow::timestamp(to.unit(), from.timezone())));
  return Relabel(*scaled, type);
}

ArrayResult ConvertList(const std::shared_ptr<arrow::Array>& array,
                        const std::shared_ptr<arrow::DataType>& type) {
  std::shared_ptr<arrow::Array> plain = array;
  if (array->type_id() != arrow::Type::LIST) {
    ARROW_ASSIGN_OR_RAISE(plain, Cast(*array, arrow::list(array->type()->field(0))));
  }
  const auto& list = static_cast<const arrow::ListArray&>(*plain);
  ARROW_ASSIGN_OR_RAISE(auto values, ConvertExactly(list.values(), type->field(0)->type()));
  const auto data = list.data()->Copy();
  data->type = type;
  data->child_data = {values->data()};
  return arrow::MakeArray(data);
}

ArrayResult ConvertMap(const std::shared_ptr<arrow::Array>& array,
                       const std::shared_ptr<arrow::DataType>& type) {
  const auto& map = static_cast<const arrow::MapArray&>(*array);
  const auto& to = static_cast<const arrow::MapType&>(*type);
  ARROW_ASSIGN_OR_RAISE(auto keys, ConvertExactly(map.keys(), to.key_type()));
  ARROW_ASSIGN_OR_RAISE(auto items, ConvertExactly(map.items(), to.item_type()));
  const auto entries = arrow::ArrayData::Make(to.value_type(), keys->length(), {nullptr},
                                              {keys->data(), items->data()}, 0);
  const auto data = map.data()->Copy();
  data->type = type;
  data->child_data = {entries};
  return arrow::MakeArray(data);
}

ArrayResult ConvertStruct(const arrow::Array& array, const std::shared_ptr<arrow::DataType>& type) {
  // Children are taken whole and the parent's offset is kept, so that slices work too.
  const arrow::ArrayData& from = *array.data();
  std::vector<std::shared_ptr<arrow::ArrayData>> children;
  for (const auto& field : type->fields()) {
    const int at = FindName(
        from.type->num_fields(),
        [&from](int i) -> std::string_view { return from.type->field(i)->name(); },
        StoredName(*field));
    if (at == kNameAmbiguous) {
      return arrow::Status::Invalid("two members of the struct are called '", field->name(), "'");
    }
    std::shared_ptr<arrow::Array> member;
    if (at == kNameMissing) {
      ARROW_ASSIGN_OR_RAISE(member,
                            arrow::MakeArrayOfNull(field->type(), from.offset + from.length));
    } else {
      ARROW_ASSIGN_OR_RAISE(member,
                            ConvertExactly(arrow::MakeArray(from.child_data[at]), field->type()));
    }
    children.push_back(member->data());
  }
  return arrow::MakeArray(arrow::ArrayData::Make(
      type, from.length, {from.buffers[0]}, std::move(children), from.GetNullCount(), from.offset));
}

}  // namespace

arrow::Status InitializeCompute() {
  static const arrow::Status kInitialized = arrow::compute::Initialize();
  return kInitialized;
}

ArrayResult ConvertExactly(const std::shared_ptr<arrow::Array>& array,
                           const std::shared_ptr<arrow::DataType>& type) {
  const arrow::DataType& from = *array->type();
  // Nested types are equal whatever their elements are called; the result has the wanted names.
  if (array->type() == type || (from.Equals(*type) && !arrow::is_nested(from.id()))) return array;
  switch (from.id()) {
    case arrow::Type::NA:
      return arrow::MakeArrayOfNull(type, array->length());
    case arrow::Type::DICTIONARY: {
      ARROW_ASSIGN_OR_RAISE(
          auto plain, Cast(*array, static_cast<const arrow::DictionaryType&>(from).value_type()));
      return ConvertExactly(plain, type);
    }
    case arrow::Type::EXTENSION:
      return ConvertExactly(static_cast<const arrow::ExtensionArray&>(*array).storage(), type);
    case arrow::Type::DURATION:
      return ConvertExactly(Relabel(*array, arrow::int64()), type);
    default:
      break;
  }
  switch (type->id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      if (IsText32(from.id())) return Relabel(*array, type);
      break;
    case arrow::Type::TIMESTAMP:
      if (from.id() == arrow::Type::TIMESTAMP) return ConvertTimestamp(array, type);
      break;
    case arrow::Type::LIST:
      return ConvertList(array, type);
    case arrow::Type::MAP:
      if (from.id() == arrow::Type::MAP) return ConvertMap(array, type);
      break;
    case arrow::Type::STRUCT:
      if (from.id() == arrow::Type::STRUCT) return ConvertStruct(*array, type);
      break;
    default:
      break;
  }
  return Cast(*array, type);
}

}  // namespace ariadne::source
