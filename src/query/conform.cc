#include "query/conform.h"

#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/initialize.h>
#include <arrow/type.h>

namespace ariadne::query {

namespace {

using arrow::Array;
using arrow::ArrayData;
using arrow::DataType;
using arrow::Result;
using arrow::Type;

Result<std::shared_ptr<Array>> CastTo(const std::shared_ptr<Array>& array,
                                      const std::shared_ptr<DataType>& type) {
  static const arrow::Status initialized = arrow::compute::Initialize();
  ARROW_RETURN_NOT_OK(initialized);
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(type);
  // Spark keeps microseconds: what a file holds below them it cuts off.
  options.allow_time_truncate = true;
  ARROW_ASSIGN_OR_RAISE(arrow::Datum cast, arrow::compute::Cast(arrow::Datum(array), options));
  return cast.make_array();
}

/// The same buffers under another type, with other children.
std::shared_ptr<Array> Retyped(const Array& array, const std::shared_ptr<DataType>& type,
                               std::vector<std::shared_ptr<ArrayData>> children) {
  auto data = array.data()->Copy();
  data->type = type;
  data->child_data = std::move(children);
  return arrow::MakeArray(data);
}

Result<std::shared_ptr<ArrayData>> ConformChild(const std::shared_ptr<ArrayData>& child,
                                                const std::shared_ptr<DataType>& type) {
  ARROW_ASSIGN_OR_RAISE(auto conformed, Conform(arrow::MakeArray(child), type));
  return conformed->data();
}

Result<std::shared_ptr<Array>> ConformStruct(const Array& array,
                                             const std::shared_ptr<DataType>& type) {
  std::vector<std::shared_ptr<ArrayData>> children;
  for (const auto& field : type->fields()) {
    const int at =
        static_cast<const arrow::StructType&>(*array.type()).GetFieldIndex(field->name());
    if (at < 0) {
      ARROW_ASSIGN_OR_RAISE(auto nulls,
                            arrow::MakeArrayOfNull(field->type(), array.offset() + array.length()));
      children.push_back(nulls->data());
    } else {
      ARROW_ASSIGN_OR_RAISE(auto child, ConformChild(array.data()->child_data[at], field->type()));
      children.push_back(std::move(child));
    }
  }
  return Retyped(array, type, std::move(children));
}

/// The entries of a map: key and value by place, since every writer names them otherwise.
Result<std::shared_ptr<Array>> ConformMap(const Array& array,
                                          const std::shared_ptr<DataType>& type) {
  const auto& entries = array.data()->child_data[0];
  const auto& target = type->field(0)->type();
  auto renamed = entries->Copy();
  renamed->type = target;
  for (int i = 0; i < 2; ++i) {
    ARROW_ASSIGN_OR_RAISE(renamed->child_data[i],
                          ConformChild(entries->child_data[i], target->field(i)->type()));
  }
  return Retyped(array, type, {renamed});
}

}  // namespace

Result<std::shared_ptr<Array>> Conform(const std::shared_ptr<Array>& array,
                                       const std::shared_ptr<DataType>& type) {
  const DataType& from = *array->type();
  if (from.Equals(*type)) return array;
  const Type::type id = type->id();
  if (from.id() == id) {
    switch (id) {
      case Type::LIST:
      case Type::LARGE_LIST: {
        ARROW_ASSIGN_OR_RAISE(auto child,
                              ConformChild(array->data()->child_data[0], type->field(0)->type()));
        return Retyped(*array, type, {std::move(child)});
      }
      case Type::MAP:
        return ConformMap(*array, type);
      case Type::STRUCT:
        return ConformStruct(*array, type);
      case Type::TIMESTAMP:
        if (static_cast<const arrow::TimestampType&>(from).unit() ==
            static_cast<const arrow::TimestampType&>(*type).unit()) {
          return Retyped(*array, type, {});
        }
        break;
      default:
        break;
    }
  }
  if ((from.id() == Type::BINARY && id == Type::STRING) ||
      (from.id() == Type::STRING && id == Type::BINARY)) {
    return Retyped(*array, type, {});
  }
  return CastTo(array, type);
}

}  // namespace ariadne::query
