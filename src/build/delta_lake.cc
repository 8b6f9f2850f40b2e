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
#include "source/name_match.h"
#include "source/spark_schema.h"
#include "source/stored_name.h"
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

/// True where readers of the declared columns find in the file's folders what the log says.
bool FoldersSay(const std::string& uri, const LoggedValues& logged, const arrow::Schema& declared) {
  const auto folders = source::PartitionValues(uri);
  for (const auto& field : declared.fields()) {
    const auto of_log = logged.find(source::StoredName(*field));
    const int of_folder = source::FindName(
        static_cast<int>(folders.size()),
        [&folders](int i) -> std::string_view { return folders[i].column; }, field->name());
    if (of_folder == source::kNameAmbiguous) return false;
    if ((of_log == logged.end()) != (of_folder == source::kNameMissing)) return false;
    if (of_log == logged.end()) continue;
    const source::PartitionValue& value = folders[of_folder];
    if (of_log->second != (value.is_null ? std::nullopt : std::optional(value.value))) return false;
  }
  return true;
}

}  // namespace

LoggedValues LoggedValuesOf(const storage::DeltaScan& table, const storage::DeltaScanFile& file,
                            const arrow::Schema& schema) {
  LoggedValues values;
  for (const std::string& column : table.partition_columns) {
    const auto field = schema.GetFieldByName(column);
    const std::string name = field ? source::StoredName(*field) : column;
    const auto given = std::find_if(file.partition_values.begin(), file.partition_values.end(),
                                    [&](const auto& pair) { return pair.first == name; });
    // To the protocol an empty text is NULL.
    const bool has = given != file.partition_values.end() && !given->second.empty();
    values[name] = has ? std::optional(given->second) : std::nullopt;
  }
  return values;
}

std::optional<DeltaLake> ReadDeltaLake(const UpdateTarget& target, const std::string& lake) {
  const std::string uri = FolderUri(lake);
  auto table = ReadTable(uri, *target.stores, target.options.path_map);
  if (!table) return std::nullopt;
  const auto schema = source::FromSparkJson(table->schema_json);
  const auto declared = source::FromSparkJson(ReadMetadataOf(target.layout).schema_json);
  CheckStoredNames(schema->fields(), declared->fields(), "", lake, target.layout.name());
  const auto uri_of = [&uri](const std::string& path) {
    return uri + source::EscapePath("/" + path);
  };
  DeltaLake found;
  for (storage::DeltaScanFile& file : table->files) {
    const std::string& of_file = found.uris.emplace_back(uri_of(file.path));
    LoggedFile logged;
    LoggedValues values = LoggedValuesOf(*table, file, *schema);
    if (!FoldersSay(of_file, values, *declared)) logged.partition_values = std::move(values);
    logged.deleted_rows = std::move(file.deleted_rows);
    if (logged != LoggedFile()) found.logged.emplace(FileKey(of_file), std::move(logged));
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
