#include "index/derived_column.h"

#include <string_view>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/array_nested.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "index/value_key.h"
#include "source/spark_schema.h"

namespace ariadne::index {
namespace {

std::string Quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Cuts the first name off a path.
std::string_view TakeName(std::string_view* path) {
  const size_t dot = path->find('.');
  const std::string_view name = path->substr(0, dot);
  *path = dot == std::string_view::npos ? std::string_view() : path->substr(dot + 1);
  return name;
}

/// What is left of a path behind its column.
std::string_view BehindRoot(const std::string& path, const std::string& root) {
  return path.size() == root.size() ? std::string_view()
                                    : std::string_view(path).substr(root.size() + 1);
}

[[noreturn]] void FailNoStruct(const std::string& path, std::string_view name,
                               const arrow::DataType& type) {
  throw UnsupportedColumn("path " + Quoted(path) + ": " + Quoted(name) +
                          " is asked of values of type " + source::SparkTypeName(type) +
                          ", and only structs have fields");
}

int FieldOf(const arrow::DataType& type, const std::string& path, std::string_view name) {
  if (type.id() != arrow::Type::STRUCT) FailNoStruct(path, name, type);
  const int field = static_cast<const arrow::StructType&>(type).GetFieldIndex(std::string(name));
  if (field < 0) {
    throw ColumnNotFound("path " + Quoted(path) + ": " + source::SparkTypeName(type) +
                         " has no field " + Quoted(name) + ", or has it twice");
  }
  return field;
}

std::shared_ptr<arrow::DataType> WalkType(std::shared_ptr<arrow::DataType> type,
                                          std::string_view rest, const std::string& path) {
  while (!rest.empty()) {
    type = type->field(FieldOf(*type, path, TakeName(&rest)))->type();
  }
  return type;
}

std::shared_ptr<arrow::Array> Walk(std::shared_ptr<arrow::Array> array, std::string_view rest,
                                   const std::string& path) {
  while (!rest.empty()) {
    const int field = FieldOf(*array->type(), path, TakeName(&rest));
    auto child = static_cast<const arrow::StructArray&>(*array).GetFlattenedField(field);
    if (!child.ok()) throw Error("path " + Quoted(path) + ": " + child.status().message());
    array = child.MoveValueUnsafe();
  }
  return array;
}

std::shared_ptr<arrow::DataType> TypeAt(const arrow::Schema& schema, const std::string& path) {
  const std::string root = RootOfPath(path, schema);
  return WalkType(schema.GetFieldByName(root)->type(), BehindRoot(path, root), path);
}

}  // namespace

std::string RootOfPath(const std::string& path, const arrow::Schema& schema) {
  if (schema.GetFieldByName(path) != nullptr) return path;
  const std::string root = path.substr(0, path.find('.'));
  if (root.size() == path.size() || schema.GetFieldByName(root) == nullptr) {
    throw ColumnNotFound("the index's schema has no column " + Quoted(root) +
                         ", or has it twice; its columns are: " + [&schema] {
                           std::string names;
                           for (const auto& field : schema.fields()) {
                             names += (names.empty() ? "" : ", ") + Quoted(field->name());
                           }
                           return names;
                         }());
  }
  return root;
}

source::ElementPath PathOfElements(const IndexedColumn& column, const arrow::Schema& schema) {
  std::string root = RootOfPath(column.array_column, schema);
  std::string to_array(BehindRoot(column.array_column, root));
  return {std::move(root), std::move(to_array), column.field_path};
}

std::shared_ptr<arrow::DataType> ValueType(const IndexedColumn& column, const arrow::Schema& schema,
                                           const ExpressionType& expression_type) {
  switch (column.kind) {
    case IndexedColumn::Kind::kComputed:
      if (!expression_type) {
        throw UnsupportedColumn("computed column " + Quoted(column.column) +
                                " cannot be evaluated here: no SQL engine was given");
      }
      return expression_type(column.expression, schema);
    case IndexedColumn::Kind::kExploded: {
      const auto type = TypeAt(schema, column.array_column);
      if (type->id() != arrow::Type::LIST) {
        throw UnsupportedColumn("column " + Quoted(column.array_column) + " of type " +
                                source::SparkTypeName(*type) +
                                " cannot be exploded: only arrays can");
      }
      return WalkType(type->field(0)->type(), column.field_path, column.field_path);
    }
    case IndexedColumn::Kind::kRegular:
    case IndexedColumn::Kind::kBloom:
    case IndexedColumn::Kind::kRange:
    case IndexedColumn::Kind::kTemporal:
      break;
  }
  const auto field = schema.GetFieldByName(column.column);
  if (field == nullptr) {
    const std::string root = RootOfPath(column.column, schema);
    throw UnsupportedColumn("column " + Quoted(column.column) + " is a path into column " +
                            Quoted(root) + "; only top-level columns can carry this kind of index");
  }
  return field->type();
}

std::shared_ptr<arrow::DataType> TimestampType(const IndexedColumn& column,
                                               const arrow::Schema& schema) {
  if (column.kind != IndexedColumn::Kind::kTemporal) return nullptr;
  auto type = TypeAt(schema, column.timestamp_column);
  if (ShapeOf(*type) == KeyShape::kNested) {
    throw UnsupportedColumn("column " + Quoted(column.timestamp_column) + " of type " +
                            source::SparkTypeName(*type) +
                            " cannot tell which version is newest: nested values have no order; "
                            "name one of their fields");
  }
  return type;
}

std::shared_ptr<arrow::Array> AtPath(const arrow::RecordBatch& rows, const std::string& path) {
  const std::string root = RootOfPath(path, *rows.schema());
  return Walk(rows.GetColumnByName(root), BehindRoot(path, root), path);
}

std::shared_ptr<arrow::Array> ExplodedValues(const arrow::Array& arrays,
                                             const std::string& field_path) {
  if (arrays.type_id() != arrow::Type::LIST) FailNoStruct(field_path, field_path, *arrays.type());
  auto elements = static_cast<const arrow::ListArray&>(arrays).Flatten();
  if (!elements.ok()) throw Error("cannot explode arrays: " + elements.status().message());
  return Walk(elements.MoveValueUnsafe(), field_path, field_path);
}

}  // namespace ariadne::index
