#include "query/schema_change.h"

#include <set>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "query/declaration.h"
#include "source/spark_schema.h"
#include "storage/lock.h"

namespace ariadne::query {

namespace {

/// Columns of the data that the indexes are made from. What a computed index reads only its
/// expression says; the next update refuses it where a column is gone.
std::set<std::string> IndexedColumns(const storage::IndexMetadata& metadata) {
  std::set<std::string> columns(metadata.regular.begin(), metadata.regular.end());
  columns.insert(metadata.range.begin(), metadata.range.end());
  for (const auto& bloom : metadata.bloom) columns.insert(bloom.column);
  for (const auto& exploded : metadata.exploded) columns.insert(exploded.array_column);
  for (const auto& temporal : metadata.temporal) {
    columns.insert(temporal.column);
    const std::string& timestamp = temporal.timestamp_column;
    columns.insert(timestamp.substr(0, timestamp.find('.')));
  }
  return columns;
}

}  // namespace

storage::IndexMetadata ChangeSchema(const storage::IndexLayout& layout, const Options& options,
                                    const arrow::Schema& schema, const std::string& described) {
  const auto lock = storage::Lock::Acquire(layout.update_lock(), options);
  auto metadata = storage::IndexMetadata::Read(layout.metadata());
  if (!metadata) throw IndexNotFound(described + " was removed meanwhile; create it again");
  const auto stored = source::FromSparkJson(metadata->schema_json);
  for (const std::string& column : IndexedColumns(*metadata)) {
    const auto before = stored->GetFieldByName(column);
    const auto after = schema.GetFieldByName(column);
    if (after == nullptr) {
      throw SchemaMismatch("column '" + column + "' of " + described +
                           " is indexed, and the new schema does not have it; keep the column, or "
                           "create an index under another name");
    }
    if (before == nullptr) continue;
    const auto difference = SchemaDifference(arrow::Schema({before}), arrow::Schema({after}));
    if (difference) {
      throw SchemaMismatch("column '" + column + "' of " + described +
                           " is indexed with another type: " + *difference +
                           "; create an index under another name");
    }
  }
  metadata->schema_json = source::ToSparkJson(schema);
  lock->Check();
  metadata->Write(layout.metadata());
  return *std::move(metadata);
}

}  // namespace ariadne::query
