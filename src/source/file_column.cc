#include "source/file_column.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>
#include <parquet/schema.h>

#include "source/leaf_values.h"
#include "source/name_match.h"
#include "source/spark_schema.h"
#include "source/spark_type.h"
#include "source/stored_name.h"

namespace ariadne::source {

namespace {

constexpr char kSparkSchemaKey[] = "org.apache.spark.sql.parquet.row.metadata";

const parquet::schema::GroupNode& Root(const ParquetFile& file) {
  return *file.metadata().schema()->group_node();
}

bool IsLeaf(const parquet::schema::Node& node) {
  return node.is_primitive() && !node.is_repeated();
}

parquet::ArrowReaderProperties ReaderProperties() {
  parquet::ArrowReaderProperties properties;
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  return properties;
}

// Schema by the Parquet annotations alone; top-level groups need it.
std::shared_ptr<arrow::Schema> WholeSchema(const ParquetFile& file, const std::string& column) {
  std::shared_ptr<arrow::Schema> schema;
  file.Check(column, parquet::arrow::FromParquetSchema(file.metadata().schema(), ReaderProperties(),
                                                       nullptr, &schema));
  return schema;
}

using parquet::arrow::SchemaField;

// A place in the file's schema and the type that is declared of it.
struct Place {
  const SchemaField* field = nullptr;
  std::shared_ptr<arrow::DataType> declared;
};

// What a path of declared names leads to; nullopt where the file has no such field, or several.
std::optional<Place> PlaceAt(Place at, std::string_view path) {
  while (!path.empty()) {
    const std::string name(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    if (at.field->field->type()->id() != arrow::Type::STRUCT ||
        at.declared->id() != arrow::Type::STRUCT) {
      return std::nullopt;
    }
    const auto declared = static_cast<const arrow::StructType&>(*at.declared).GetFieldByName(name);
    if (declared == nullptr) return std::nullopt;
    const auto& children = at.field->children;
    const int child = FindName(
        static_cast<int>(children.size()),
        [&children](int i) -> std::string_view { return children[i].field->name(); },
        StoredName(*declared));
    if (child < 0) return std::nullopt;
    at = {&children[child], declared->type()};
  }
  return at;
}

std::shared_ptr<arrow::DataType> Nullable(const std::shared_ptr<arrow::DataType>& type);

std::shared_ptr<arrow::Field> Nullable(const arrow::Field& field) {
  return arrow::field(field.name(), Nullable(field.type()), /*nullable=*/true, field.metadata());
}

// Spark reads every column, member and element as nullable.
std::shared_ptr<arrow::DataType> Nullable(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::LIST:
      return arrow::list(Nullable(*type->field(0)));
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      return std::make_shared<arrow::MapType>(
          arrow::field(map.key_field()->name(), Nullable(map.key_type()), /*nullable=*/false),
          Nullable(*map.item_field()));
    }
    case arrow::Type::STRUCT: {
      arrow::FieldVector fields;
      for (const auto& field : type->fields()) fields.push_back(Nullable(*field));
      return arrow::struct_(std::move(fields));
    }
    default:
      return type;
  }
}

// The schema that Spark itself stored in the footer, which keeps metadata of columns.
std::shared_ptr<arrow::Schema> StoredSchema(const ParquetFile& file) {
  const auto& metadata = file.metadata().key_value_metadata();
  const int at = metadata == nullptr ? -1 : metadata->FindKey(kSparkSchemaKey);
  if (at < 0) return nullptr;
  try {
    const auto schema = FromSparkJson(metadata->value(at));
    arrow::FieldVector fields;
    for (const auto& field : schema->fields()) fields.push_back(Nullable(*field));
    return arrow::schema(std::move(fields));
  } catch (const Error&) {
    return nullptr;  // A type of a newer Spark: what Parquet says must do.
  }
}

}  // namespace

FileColumn FindColumn(const ParquetFile& file, const arrow::Field& declared) {
  const std::string& name = declared.name();
  const auto& type = declared.type();
  return file.Guard(name, [&] {
    const auto& root = Root(file);
    FileColumn column{name, type};
    column.field = FindName(
        root.field_count(), [&root](int i) -> std::string_view { return root.field(i)->name(); },
        StoredName(declared));
    if (column.field == kNameAmbiguous) {
      file.Fail(name, "two of its columns have this name, or differ from it only in case");
    }
    if (column.missing()) return column;
    const auto& node = *root.field(column.field);
    std::shared_ptr<arrow::DataType> found;
    if (IsLeaf(node)) {
      column.leaf = file.metadata().schema()->ColumnIndex(node);
      column.leaf_type = file.Unwrap(name, LeafType(node));
      found = column.leaf_type;
    } else {
      found = WholeSchema(file, name)->field(column.field)->type();
    }
    if (!CanReadAs(*found, *type)) {
      file.Fail(name, "it holds " + SparkTypeName(*found) +
                          ", which is not declared as, and does "
                          "not widen to, " +
                          SparkTypeName(*type));
    }
    // A column of Parquet's type "null" holds no value.
    if (found->id() == arrow::Type::NA) column.field = column.leaf = kNameMissing;
    return column;
  });
}

std::optional<FileColumn> FindElements(const ParquetFile& file, const FileColumn& column,
                                       const ElementPath& path,
                                       const std::shared_ptr<arrow::DataType>& type) {
  return file.Guard(column.name, [&]() -> std::optional<FileColumn> {
    const parquet::SchemaDescriptor& schema = *file.metadata().schema();
    parquet::arrow::SchemaManifest manifest;
    file.Check(column.name, parquet::arrow::SchemaManifest::Make(&schema, nullptr,
                                                                 ReaderProperties(), &manifest));
    const auto array =
        PlaceAt({&manifest.schema_fields.at(column.field), column.type}, path.to_array);
    if (!array || array->field->field->type()->id() != arrow::Type::LIST ||
        array->declared->id() != arrow::Type::LIST) {
      return std::nullopt;
    }
    const auto value =
        PlaceAt({&array->field->children.at(0), array->declared->field(0)->type()}, path.to_value);
    if (!value || !value->field->is_leaf()) return std::nullopt;
    const parquet::ColumnDescriptor& leaf = *schema.Column(value->field->column_index);
    const auto leaf_type = LeafType(*leaf.schema_node());
    // A repeated leaf is itself the array, of a writer that had no group around it.
    if (leaf.schema_node()->is_repeated() || leaf.max_repetition_level() != 1 || !leaf_type.ok() ||
        !CanReadAs(**leaf_type, *type)) {
      return std::nullopt;
    }
    return FileColumn{column.name, type, column.field, value->field->column_index, *leaf_type};
  });
}

std::shared_ptr<arrow::Schema> SparkSchema(const ParquetFile& file) {
  if (auto stored = StoredSchema(file)) return stored;
  return file.Guard("", [&file] {
    const auto& root = Root(file);
    std::shared_ptr<arrow::Schema> whole;
    arrow::FieldVector fields;
    for (int i = 0; i < root.field_count(); ++i) {
      const auto& node = *root.field(i);
      std::shared_ptr<arrow::DataType> type;
      if (IsLeaf(node)) {
        type = file.Unwrap(node.name(), LeafType(node));
      } else {
        if (whole == nullptr) whole = WholeSchema(file, node.name());
        type = whole->field(i)->type();
      }
      // A type that Spark does not have stays, so that who declares the schema can name it.
      const auto spark = SparkType(*type);
      fields.push_back(arrow::field(node.name(), Nullable(spark == nullptr ? type : spark)));
    }
    return arrow::schema(std::move(fields));
  });
}

}  // namespace ariadne::source
