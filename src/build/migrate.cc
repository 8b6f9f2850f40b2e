#include "build/migrate.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/large_tables.h"
#include "build/main_rows.h"
#include "build/row_removal.h"
#include "build/staging_removal.h"
#include "build/table_file_writer.h"
#include "build/table_rows.h"
#include "index/column_index.h"
#include "source/file_uri.h"
#include "source/spark_schema.h"
#include "storage/delta_table.h"

namespace ariadne::build {

namespace {

constexpr char kFileSize[] = "file_size";

using RowChange =
    std::function<std::shared_ptr<arrow::RecordBatch>(const std::shared_ptr<arrow::RecordBatch>&)>;

/// Writes all rows of `from` as `change` gives them into data files below `to`.
std::vector<storage::DataFile> CopyTable(Workspace* workspace, const storage::DeltaTable& from,
                                         const storage::ObjectRef& to,
                                         const std::shared_ptr<arrow::Schema>& schema,
                                         const RowChange& change, bool with_lookups) {
  const auto old_schema = source::FromSparkJson(from.schema_json());
  std::vector<storage::DataFile> written;
  for (const storage::DataFile& file : from.files()) {
    TableRows reader(from, file, old_schema);
    TableFileWriter writer(workspace, to, schema, with_lookups);
    while (const auto batch = reader.Next()) {
      writer.Append(change(batch));
      workspace->lock->Tick();
    }
    written.push_back(writer.Finish());
  }
  return written;
}

/// Replaces all rows and the schema of a table in one commit.
void RewriteTable(Workspace* workspace, const storage::DeltaTable& table,
                  const std::shared_ptr<arrow::Schema>& schema, const RowChange& change,
                  bool with_lookups) {
  CheckPlain(table);
  storage::TableChange commit;
  commit.operation = "WRITE";
  commit.schema_json = source::ToSparkJson(*schema);
  commit.adds = CopyTable(workspace, table, table.folder(), schema, change, with_lookups);
  for (const storage::DataFile& file : table.files()) commit.removes.push_back(file.path);
  workspace->lock->Sign(&commit);
  table.Commit(commit);
}

/// Size of a data file, from the store; nullopt where it is not there.
std::optional<int64_t> SizeOf(const UpdateTarget& target, const std::string& name) {
  try {
    const storage::ObjectRef object =
        target.stores->Resolve(source::MapPath(name, target.options.path_map));
    const auto meta = object.store->Head(object.path);
    return meta ? std::optional(meta->size) : std::nullopt;
  } catch (const InvalidArgument&) {
    return std::nullopt;  // A name that no store serves.
  }
}

void AddFileSizes(Workspace* workspace, const storage::ObjectRef& folder, bool with_lookups) {
  const auto table = storage::DeltaTable::Open(folder);
  if (table == nullptr) return;
  const auto old_schema = source::FromSparkJson(table->schema_json());
  if (old_schema->GetFieldByName(kFileSize) != nullptr) return;
  const int filename = old_schema->GetFieldIndex("filename");
  if (filename < 0) {
    throw InvalidDeltaTable(folder.store->base_url() + folder.path +
                            " has no column filename: it is no table of an index");
  }
  arrow::FieldVector fields = old_schema->fields();
  fields.push_back(arrow::field(kFileSize, arrow::int64()));
  const auto schema = arrow::schema(fields);
  RewriteTable(
      workspace, *table, schema,
      [&](const std::shared_ptr<arrow::RecordBatch>& rows) {
        const auto& names = static_cast<const arrow::StringArray&>(*rows->column(filename));
        arrow::Int64Builder sizes;
        for (int64_t i = 0; i < names.length(); ++i) {
          const auto size =
              names.IsNull(i) ? std::nullopt : SizeOf(workspace->target, names.GetString(i));
          const arrow::Status status = size ? sizes.Append(*size) : sizes.AppendNull();
          if (!status.ok()) throw Error("cannot gather file sizes: " + status.message());
        }
        arrow::ArrayVector columns = rows->columns();
        std::shared_ptr<arrow::Array> column;
        const arrow::Status status = sizes.Finish(&column);
        if (!status.ok()) throw Error("cannot gather file sizes: " + status.message());
        columns.push_back(std::move(column));
        return arrow::RecordBatch::Make(schema, rows->num_rows(), std::move(columns));
      },
      with_lookups);
}

void RenameExploded(Workspace* workspace, const storage::IndexMetadata& metadata,
                    const storage::ObjectRef& folder, bool with_lookups) {
  const auto table = storage::DeltaTable::Open(folder);
  if (table == nullptr) return;
  const auto old_schema = source::FromSparkJson(table->schema_json());
  arrow::FieldVector fields = old_schema->fields();
  bool renamed = false;
  for (const auto& [column, array] : ExplodedNamedByArray(metadata)) {
    const int old = old_schema->GetFieldIndex(array);
    if (old < 0 || old_schema->GetFieldIndex(column) >= 0) continue;
    fields[old] = fields[old]->WithName(column);
    renamed = true;
  }
  if (!renamed) return;
  const auto schema = arrow::schema(fields);
  RewriteTable(
      workspace, *table, schema,
      [&](const std::shared_ptr<arrow::RecordBatch>& rows) {
        return arrow::RecordBatch::Make(schema, rows->num_rows(), rows->columns());
      },
      with_lookups);
}

bool HasColumn(const storage::ObjectRef& folder, const std::string& name) {
  const auto table = storage::DeltaTable::Open(folder);
  return table != nullptr &&
         source::FromSparkJson(table->schema_json())->GetFieldByName(name) != nullptr;
}

/// Copies a large index that is called by the array to the folder of its column; the old folder
/// goes once the main index too has the new name.
void CopyLegacyLargeIndex(Workspace* workspace, const std::string& column,
                          const std::string& array) {
  const storage::IndexLayout& layout = workspace->target.layout;
  // Then it was copied, and what is there of it is left of a removal that was cut off.
  if (HasColumn(layout.main_index(), column)) return;
  const auto legacy = storage::DeltaTable::Open(layout.large_index(array));
  if (legacy == nullptr) return;
  CheckPlain(*legacy);
  const auto old_schema = source::FromSparkJson(legacy->schema_json());
  arrow::FieldVector fields;
  for (const auto& field : old_schema->fields()) {
    fields.push_back(field->name() == "filename" ? field : field->WithName(column));
  }
  const auto schema = arrow::schema(fields);
  const storage::ObjectRef folder = layout.large_index(column);
  const auto table = storage::DeltaTable::Create(folder, source::ToSparkJson(*schema));
  if (!table->files().empty()) return;
  storage::TableChange commit;
  commit.operation = "WRITE";
  commit.adds = CopyTable(
      workspace, *legacy, folder, schema,
      [&](const std::shared_ptr<arrow::RecordBatch>& rows) {
        return arrow::RecordBatch::Make(schema, rows->num_rows(), rows->columns());
      },
      false);
  workspace->lock->Sign(&commit);
  table->Commit(commit);
}

void NameExplodedByField(Workspace* workspace, const storage::IndexMetadata& metadata) {
  const storage::IndexLayout& layout = workspace->target.layout;
  const auto names = ExplodedNamedByArray(metadata);
  for (const auto& [column, array] : names) CopyLegacyLargeIndex(workspace, column, array);
  RenameExploded(workspace, metadata, layout.main_index(), true);
  RenameExploded(workspace, metadata, layout.staging(), false);
  for (const auto& [column, array] : names) {
    const storage::ObjectRef folder = layout.large_index(array);
    folder.store->DeleteFolder(folder.path);
  }
}

/// Gives the large indexes that keep their values under an older name the column's.
void NameLargeValues(Workspace* workspace, const storage::IndexMetadata& metadata) {
  const std::vector<std::string> tables = LargeIndexColumns(workspace->target.layout);
  for (const IndexedColumn& column : DeclaredColumns(metadata)) {
    const std::string& name = column.column;
    if (!index::KeepsValues(column.kind) ||
        std::find(tables.begin(), tables.end(), name) == tables.end()) {
      continue;
    }
    const auto table = storage::DeltaTable::Open(workspace->target.layout.large_index(name));
    if (table == nullptr) continue;
    const std::string legacy = LargeValueColumn(*table);
    if (legacy == name) continue;
    const auto old_schema = source::FromSparkJson(table->schema_json());
    arrow::FieldVector fields;
    for (const auto& field : old_schema->fields()) {
      fields.push_back(field->name() == legacy ? field->WithName(name) : field);
    }
    const auto schema = arrow::schema(fields);
    RewriteTable(
        workspace, *table, schema,
        [&](const std::shared_ptr<arrow::RecordBatch>& rows) {
          return arrow::RecordBatch::Make(schema, rows->num_rows(), rows->columns());
        },
        false);
  }
}

}  // namespace

void MigrateStorage(Workspace* workspace, storage::IndexMetadata* metadata) {
  if (metadata->storage_format_version > storage::IndexMetadata::kStorageVersion) return;
  const storage::IndexLayout& layout = workspace->target.layout;
  if (metadata->storage_format_version < storage::IndexMetadata::kStorageVersion) {
    FinishStagingRemoval(layout);
    if (metadata->storage_format_version < 2) {
      AddFileSizes(workspace, layout.main_index(), true);
      AddFileSizes(workspace, layout.staging(), false);
    }
    NameExplodedByField(workspace, *metadata);
  }
  NameLargeValues(workspace, *metadata);
  if (metadata->storage_format_version == storage::IndexMetadata::kStorageVersion) return;
  const auto main = storage::DeltaTable::Open(layout.main_index());
  if (main != nullptr) metadata->total_indexed_file_size = SumFileSizes(*main);
  metadata->metadata_version = storage::IndexMetadata::kMetadataVersion;
  metadata->storage_format_version = storage::IndexMetadata::kStorageVersion;
  workspace->lock->Refresh();
  metadata->Write(layout.metadata());
}

}  // namespace ariadne::build
