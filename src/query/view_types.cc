#include "query/view_types.h"

#include <arrow/compute/cast.h>
#include <arrow/datum.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "query/arrow_check.h"

namespace ariadne::query {
namespace {

std::shared_ptr<arrow::DataType> WithoutViews(const std::shared_ptr<arrow::DataType>& type) {
  const auto child = [&](int i) {
    const auto& field = type->field(i);
    return field->WithType(WithoutViews(field->type()));
  };
  switch (type->id()) {
    case arrow::Type::STRING_VIEW:
      return arrow::large_utf8();
    case arrow::Type::BINARY_VIEW:
      return arrow::large_binary();
    case arrow::Type::LIST:
      return arrow::list(child(0));
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::LARGE_LIST_VIEW:
      return arrow::large_list(child(0));
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(
          child(0), static_cast<const arrow::FixedSizeListType&>(*type).list_size());
    case arrow::Type::STRUCT: {
      arrow::FieldVector fields;
      for (int i = 0; i < type->num_fields(); ++i) fields.push_back(child(i));
      return arrow::struct_(fields);
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      return std::make_shared<arrow::MapType>(
          map.key_field()->WithType(WithoutViews(map.key_type())),
          map.item_field()->WithType(WithoutViews(map.item_type())), map.keys_sorted());
    }
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
      return arrow::dictionary(dictionary.index_type(), WithoutViews(dictionary.value_type()),
                               dictionary.ordered());
    }
    default:
      return type;
  }
}

}  // namespace

std::shared_ptr<arrow::Table> WithoutViews(const std::shared_ptr<arrow::Table>& table) {
  auto plain = table;
  for (int i = 0; i < table->num_columns(); ++i) {
    const auto& field = table->field(i);
    const auto type = WithoutViews(field->type());
    if (type->Equals(*field->type())) continue;
    const std::string what = "column \"" + field->name() + "\" of the keys";
    const arrow::Datum cast =
        Check<InvalidArgument>(arrow::compute::Cast(arrow::Datum(table->column(i)), type), what);
    plain = Check(plain->SetColumn(i, field->WithType(type), cast.chunked_array()), what);
  }
  return plain;
}

}  // namespace ariadne::query
