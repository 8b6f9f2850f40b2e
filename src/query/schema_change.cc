#include "query/schema_change.h"

#include <algorithm>
#include <set>
#include <utility>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/computed_column.h"
#include "build/update.h"
#include "index/derived_column.h"
#include "query/declaration.h"
#include "query/derived_columns.h"
#include "source/spark_schema.h"
#include "storage/lock.h"
#include "text/text_format.h"

namespace ariadne::query {

namespace {

/// Columns of the data that a computed column is made from.
std::set<std::string> ColumnsOf(const std::string& expression, const arrow::Schema& schema) {
  const auto columns = build::CompileComputed(expression, schema)->columns();
  return {columns.begin(), columns.end()};
}

/// Columns of the data that the indexes are made from.
std::set<std::string> IndexedColumns(const storage::IndexMetadata& metadata,
                                     const arrow::Schema& schema) {
  std::set<std::string> columns(metadata.regular.begin(), metadata.regular.end());
  columns.insert(metadata.range.begin(), metadata.range.end());
  for (const auto& bloom : metadata.bloom) columns.insert(bloom.column);
  for (const auto& exploded : metadata.exploded) {
    columns.insert(index::RootOfPath(exploded.array_column, schema));
  }
  for (const auto& temporal : metadata.temporal) {
    columns.insert(temporal.column);
    columns.insert(index::RootOfPath(temporal.timestamp_column, schema));
  }
  for (const auto& [name, expression] : metadata.computed) {
    columns.merge(ColumnsOf(expression, schema));
  }
  return columns;
}

/// A name in an expression means a column without regard to case, as long as it is the only one.
void CheckComputesTheSame(const storage::IndexMetadata& metadata, const arrow::Schema& stored,
                          const arrow::Schema& given, const std::string& described) {
  for (const auto& [name, expression] : metadata.computed) {
    std::string why = "other columns";
    try {
      if (ColumnsOf(expression, given) == ColumnsOf(expression, stored)) continue;
    } catch (const Error& error) {
      why = std::string("no column for sure: ") + error.what();
    }
    throw SchemaMismatch("with the new schema the expression " + expression +
                         " of computed column '" + name + "' of " + described + " would mean " +
                         why +
                         "; leave out columns that differ in case alone, or create an index "
                         "under another name");
  }
}

/// What a column of a text file holds depends on the columns beside it: in CSV on their number, in
/// JSON on which of them a damaged record gives before its damage, and a record that does not fit
/// one of them may be left out.
void CheckReadsTheSame(const storage::IndexMetadata& metadata, const arrow::Schema& stored,
                       const arrow::Schema& given, const std::string& described) {
  if (!text::IsTextFormat(metadata.format)) return;
  const auto options = text::ReadTextOptions({metadata.format, metadata.read_options});
  if (!options.csv || options.mode != text::ParseMode::kPermissive) {
    throw SchemaMismatch("what the records of " + described +
                         " give depends on every column of its schema, which cannot be changed "
                         "once columns are indexed; create an index under another name");
  }
  for (int i = 0; i < std::min(stored.num_fields(), given.num_fields()); ++i) {
    if (stored.field(i)->name() == given.field(i)->name()) continue;
    throw SchemaMismatch("column '" + given.field(i)->name() + "' of the new schema stands where " +
                         described + " has '" + stored.field(i)->name() +
                         "', and columns of CSV files go by place; add or take away columns at the "
                         "end only, or create an index under another name");
  }
}

}  // namespace

storage::IndexMetadata ChangeSchema(const storage::IndexLayout& layout, const Options& options,
                                    const arrow::Schema& schema, const std::string& described) {
  const auto lock = storage::Lock::Acquire(layout.update_lock(), options);
  auto metadata = storage::IndexMetadata::Read(layout.metadata());
  if (!metadata) throw IndexNotFound(described + " was removed meanwhile; create it again");
  const auto stored = source::FromSparkJson(metadata->schema_json);
  const std::set<std::string> indexed = IndexedColumns(*metadata, *stored);
  if (!indexed.empty()) CheckReadsTheSame(*metadata, *stored, schema, described);
  for (const std::string& column : indexed) {
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
                           " is indexed, and the new schema has another: " + *difference +
                           "; create an index under another name");
    }
  }
  CheckComputesTheSame(*metadata, *stored, schema, described);
  CheckDerivedNames(build::DeclaredColumns(*metadata), schema, described);
  metadata->schema_json = source::ToSparkJson(schema);
  lock->Check();
  metadata->Write(layout.metadata());
  return *std::move(metadata);
}

}  // namespace ariadne::query
