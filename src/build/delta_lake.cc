#include "build/delta_lake.h"

#include <algorithm>
#include <utility>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/locked_index.h"
#include "build/main_rows.h"
#include "build/row_removal.h"
#include "source/file_uri.h"
#include "source/lake_name.h"
#include "source/spark_schema.h"
#include "source/stored_name.h"
#include "storage/delta_scan.h"
#include "storage/layout.h"

namespace ariadne::build {

namespace {

std::string FolderUri(const std::string& lake) {
  std::string uri = CanonicalOrSame(lake);
  while (uri.ends_with('/')) uri.pop_back();
  return uri;
}

/// nullopt where the folder has no `_delta_log`.
std::optional<storage::DeltaScan> ReadTable(const std::string& uri, const storage::Stores& stores,
                                            const std::vector<PathMapping>& path_map) {
  const storage::ObjectRef folder = stores.Resolve(source::MapPath(uri, path_map));
  const storage::ObjectRef log = storage::IndexLayout::Join(folder, "_delta_log");
  if (log.store->ListNames(log.path).empty()) return std::nullopt;
  return storage::ReadDeltaScan(folder);
}

void CheckStoredNames(const arrow::FieldVector& of_table, const arrow::FieldVector& declared,
                      const std::string& below, const std::string& lake, const std::string& index) {
  for (const auto& field : declared) {
    const auto found = std::find_if(of_table.begin(), of_table.end(), [&](const auto& candidate) {
      return candidate->name() == field->name();
    });
    if (found == of_table.end()) continue;
    if (source::StoredName(**found) != source::StoredName(*field)) {
      throw SchemaMismatch("the Delta table " + lake + " holds column '" + below + field->name() +
                           "' as '" + source::StoredName(**found) + "' in its files, and index '" +
                           index + "' reads it as '" + source::StoredName(*field) +
                           "': create the index with the option schema_from=" + lake);
    }
    CheckStoredNames((*found)->type()->fields(), field->type()->fields(),
                     below + field->name() + ".", lake, index);
  }
}

}  // namespace

std::optional<DeltaLake> ReadDeltaLake(const UpdateTarget& target, const std::string& lake) {
  const std::string uri = FolderUri(lake);
  auto table = ReadTable(uri, *target.stores, target.options.path_map);
  if (!table) return std::nullopt;
  const auto schema = source::FromSparkJson(table->schema_json);
  const auto declared = source::FromSparkJson(ReadMetadataOf(target.layout).schema_json);
  CheckStoredNames(schema->fields(), declared->fields(), "", lake, target.layout.name());
  if (source::HasOtherStoredNames(*schema) && !table->partition_columns.empty()) {
    throw InvalidDeltaTable("the Delta table " + lake +
                            " is partitioned and maps its columns, so what its partition columns "
                            "hold is in its log alone; it cannot be a lake");
  }
  const auto uri_of = [&uri](const std::string& path) {
    return uri + source::EscapePath("/" + path);
  };
  DeltaLake found;
  for (storage::DeltaScanFile& file : table->files) {
    const std::string& of_file = found.uris.emplace_back(uri_of(file.path));
    if (!file.deleted_rows.empty()) {
      found.deleted.emplace(FileKey(of_file), std::move(file.deleted_rows));
    }
  }
  return found;
}

std::shared_ptr<arrow::Schema> DeltaLakeSchema(const std::string& lake,
                                               const storage::Stores& stores,
                                               const std::vector<PathMapping>& path_map) {
  const auto table = ReadTable(FolderUri(lake), stores, path_map);
  return table ? source::FromSparkJson(table->schema_json) : nullptr;
}

}  // namespace ariadne::build
