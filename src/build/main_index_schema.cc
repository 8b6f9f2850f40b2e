#include <map>
#include <set>
#include <string>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/computed_column.h"
#include "build/update.h"
#include "index/column_index.h"
#include "index/derived_column.h"
#include "source/spark_schema.h"

namespace ariadne::build {

std::vector<IndexedColumn> DeclaredColumns(const storage::IndexMetadata& metadata) {
  std::vector<IndexedColumn> columns;
  for (const std::string& column : metadata.regular) {
    columns.push_back({.kind = IndexedColumn::Kind::kRegular, .column = column});
  }
  for (const auto& bloom : metadata.bloom) {
    columns.push_back(
        {.kind = IndexedColumn::Kind::kBloom, .column = bloom.column, .fpr = bloom.fpr});
  }
  for (const std::string& column : metadata.range) {
    columns.push_back({.kind = IndexedColumn::Kind::kRange, .column = column});
  }
  for (const auto& [name, expression] : metadata.computed) {
    columns.push_back(
        {.kind = IndexedColumn::Kind::kComputed, .column = name, .expression = expression});
  }
  for (const auto& field : metadata.exploded) {
    columns.push_back({.kind = IndexedColumn::Kind::kExploded,
                       .column = field.as_column,
                       .array_column = field.array_column,
                       .field_path = field.field_path});
  }
  for (const auto& temporal : metadata.temporal) {
    columns.push_back({.kind = IndexedColumn::Kind::kTemporal,
                       .column = temporal.column,
                       .timestamp_column = temporal.timestamp_column});
  }
  return columns;
}

std::map<std::string, std::string> ExplodedNamedByArray(const storage::IndexMetadata& metadata) {
  std::map<std::string, std::string> names;
  if (metadata.storage_format_version >= 3) return names;
  std::set<std::string> taken(metadata.regular.begin(), metadata.regular.end());
  for (const auto& field : metadata.exploded) {
    if (!taken.insert(field.array_column).second || field.array_column == field.as_column) continue;
    names.emplace(field.as_column, field.array_column);
  }
  return names;
}

std::string MainIndexSchema(const storage::IndexMetadata& metadata, const arrow::Schema& schema) {
  arrow::FieldVector fields = {arrow::field("filename", arrow::utf8())};
  for (const IndexedColumn& column : DeclaredColumns(metadata)) {
    fields.push_back(
        arrow::field(index::StorageColumn(column),
                     index::StorageType(column, index::ValueType(column, schema, ComputedType),
                                        index::TimestampType(column, schema))));
  }
  for (const std::string& column : metadata.auto_bloom) {
    fields.push_back(arrow::field(index::AutoBloomColumn(column), arrow::binary()));
  }
  fields.push_back(arrow::field("file_size", arrow::int64()));
  std::set<std::string> names;
  for (const auto& field : fields) {
    if (!names.insert(field->name()).second) {
      throw UnsupportedColumn("two columns of the index table would be called '" + field->name() +
                              "'; rename the column in the data, or do not index it");
    }
  }
  return source::ToSparkJson(arrow::Schema(fields));
}

}  // namespace ariadne::build
