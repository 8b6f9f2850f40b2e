#include "build/row_removal.h"

#include <memory>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/main_rows.h"
#include "build/table_file_writer.h"
#include "build/table_rows.h"
#include "source/file_uri.h"
#include "source/lake_name.h"
#include "source/spark_schema.h"

namespace ariadne::build {

namespace {

constexpr int kCommitTries = 5;

/// Which rows of a data file stay.
struct Kept {
  std::vector<bool> rows;
  int64_t removed = 0;
};

Kept ChooseRows(const storage::DeltaTable& table, const storage::DataFile& file,
                const std::set<std::string>& keys, RowRemoval* removal) {
  Kept kept;
  TableRows reader(table, file, arrow::schema({arrow::field("filename", arrow::utf8())}));
  std::string name;
  std::string key;
  bool remove = false;
  while (const auto batch = reader.Next()) {
    const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
    for (int64_t i = 0; i < names.length(); ++i) {
      if (names.IsNull(i)) {
        kept.rows.push_back(true);
        continue;
      }
      // Rows of a file lie together in a large table: most names repeat the one before.
      if (key.empty() || names.GetView(i) != name) {
        name = names.GetString(i);
        key = FileKey(name);
        remove = keys.contains(key);
        if (remove) removal->keys.insert(key);
      }
      kept.rows.push_back(!remove);
      kept.removed += remove ? 1 : 0;
    }
  }
  return kept;
}

/// Appends the kept rows of a data file to the writer.
void CopyRows(const storage::DeltaTable& table, const storage::DataFile& file,
              const std::shared_ptr<arrow::Schema>& schema, const std::vector<bool>& kept,
              LockKeeper* lock, TableFileWriter* writer) {
  TableRows reader(table, file, schema);
  int64_t first = 0;
  while (const auto batch = reader.Next()) {
    for (int64_t i = 0; i < batch->num_rows();) {
      int64_t end = i;
      while (end < batch->num_rows() && kept[first + end] == kept[first + i]) ++end;
      if (kept[first + i]) writer->Append(batch->Slice(i, end - i));
      i = end;
    }
    first += batch->num_rows();
    lock->Tick();
  }
}

/// One attempt on one snapshot; false: nothing to remove.
bool TryRemove(Workspace* workspace, const storage::DeltaTable& table,
               const std::set<std::string>& keys, bool with_lookups, RowRemoval* removal) {
  CheckPlain(table);
  const auto schema = source::FromSparkJson(table.schema_json());
  storage::TableChange change;
  change.operation = "DELETE";
  for (const storage::DataFile& file : table.files()) {
    const Kept kept = ChooseRows(table, file, keys, removal);
    workspace->lock->Tick();
    if (kept.removed == 0) continue;
    removal->rows += kept.removed;
    change.removes.push_back(file.path);
    if (kept.removed == static_cast<int64_t>(kept.rows.size())) continue;
    TableFileWriter writer(workspace, table.folder(), schema, with_lookups);
    CopyRows(table, file, schema, kept.rows, workspace->lock, &writer);
    change.adds.push_back(writer.Finish());
  }
  if (change.removes.empty()) return false;
  workspace->lock->Sign(&change);
  try {
    table.Commit(change);
  } catch (const CommitConflict&) {
    for (const storage::DataFile& file : change.adds) {
      const storage::ObjectRef object = table.FileRef(file.path);
      object.store->Delete(object.path);
    }
    throw;
  }
  return true;
}

}  // namespace

std::string FileKey(const std::string& stored) {
  std::string key = CanonicalOrSame(stored);
  constexpr std::string_view kHadoopScheme = "s3a://";
  if (key.starts_with(kHadoopScheme)) key.erase(2, 1);
  return key;
}

std::set<std::string> KeysOf(const std::string& name, const std::vector<PathMapping>& path_map) {
  std::set<std::string> keys = {FileKey(name)};
  for (const PathMapping& mapping : path_map) {
    const std::string url = source::MapPath(name, {{.from = mapping.to, .to = mapping.from}});
    const size_t path = url.find('/', url.find("://") + 3);
    if (path == std::string::npos) continue;
    keys.insert(FileKey(url.substr(0, path) + source::EscapePath(url.substr(path))));
  }
  return keys;
}

std::vector<std::string> LargeIndexColumns(const storage::IndexLayout& layout) {
  const storage::ObjectRef folder = storage::IndexLayout::Join(layout.folder(), "large_indexes");
  std::vector<std::string> columns;
  for (std::string name : folder.store->ListNames(folder.path)) {
    if (!name.ends_with('/')) continue;
    name.pop_back();
    columns.push_back(std::move(name));
  }
  return columns;
}

RowRemoval RemoveRows(Workspace* workspace, const storage::ObjectRef& folder,
                      const std::set<std::string>& keys, bool with_lookups) {
  for (int attempt = 1;; ++attempt) {
    RowRemoval removal;
    const auto table = storage::DeltaTable::Open(folder);
    if (table == nullptr) return removal;
    try {
      TryRemove(workspace, *table, keys, with_lookups, &removal);
      return removal;
    } catch (const CommitConflict&) {
      if (attempt == kCommitTries) throw;
    }
  }
}

}  // namespace ariadne::build
