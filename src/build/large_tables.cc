#include "build/large_tables.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/main_rows.h"
#include "build/table_rows.h"
#include "build/workspace.h"
#include "source/parquet_source.h"
#include "source/spark_schema.h"
#include "storage/arrow_io.h"
#include "storage/delta_writer.h"
#include "storage/lost_table.h"

namespace ariadne::build {

namespace {

constexpr char kFilename[] = "filename";
/// Rows of a row group: since a file's values are sorted, each group holds a narrow span of them
/// and a search by value skips all others.
constexpr int64_t kRowGroupRows = 1 << 16;

std::shared_ptr<arrow::Array> Repeated(const std::string& text, int64_t rows) {
  auto array = arrow::MakeArrayFromScalar(arrow::StringScalar(text), rows);
  if (!array.ok()) throw Error("cannot make rows: " + array.status().message());
  return array.MoveValueUnsafe();
}

/// Names of canonical form that an array of names holds, each run of equal names looked at once.
void AddNames(const arrow::Array& names, std::unordered_set<std::string>* files) {
  const auto& strings = static_cast<const arrow::StringArray&>(names);
  std::string last;
  bool any = false;
  for (int64_t i = 0; i < strings.length(); ++i) {
    if (strings.IsNull(i) || (any && strings.GetView(i) == last)) continue;
    last = strings.GetString(i);
    any = true;
    files->insert(CanonicalOrSame(last));
  }
}

std::unordered_set<std::string> ReadNames(const storage::DeltaTable& table) {
  std::unordered_set<std::string> files;
  const auto reader = table.Read({kFilename});
  while (true) {
    const auto batch = reader->Next();
    if (!batch.ok()) {
      throw StorageError("cannot read " + table.folder().path + ": " + batch.status().message());
    }
    if (*batch == nullptr) return files;
    AddNames(*ConformCells((*batch)->column(0), arrow::utf8(), table.folder().path), &files);
  }
}

/// Copies a data file of a large table without the rows of some files; nullopt: no row is left.
std::optional<storage::DataFile> CopyWithout(const storage::DeltaTable& table,
                                             const storage::DataFile& file,
                                             const std::unordered_set<std::string>& uris,
                                             LockKeeper* lock) {
  const auto schema = source::FromSparkJson(table.schema_json());
  const int name = schema->GetFieldIndex(kFilename);
  TableRows rows(table, file, schema);
  storage::DeltaFileWriter writer(table.folder(), schema);
  std::vector<std::shared_ptr<arrow::RecordBatch>> kept;
  int64_t kept_rows = 0;
  const auto flush = [&] {
    if (kept.empty()) return;
    const auto group = arrow::ConcatenateRecordBatches(kept);
    if (!group.ok()) throw Error("cannot gather rows: " + group.status().message());
    writer.Write(**group);
    kept.clear();
    kept_rows = 0;
  };
  while (const auto batch = rows.Next()) {
    const auto& names = static_cast<const arrow::StringArray&>(*batch->column(name));
    for (int64_t begin = 0; begin < names.length();) {
      int64_t end = begin + 1;
      while (end < names.length() && names.IsNull(end) == names.IsNull(begin) &&
             names.GetView(end) == names.GetView(begin)) {
        ++end;
      }
      const bool drop =
          names.IsNull(begin) || uris.contains(CanonicalOrSame(names.GetString(begin)));
      if (!drop) {
        kept.push_back(batch->Slice(begin, end - begin));
        kept_rows += end - begin;
      }
      if (kept_rows >= kRowGroupRows) flush();
      begin = end;
    }
    lock->Tick();
  }
  flush();
  if (writer.rows() == 0) return std::nullopt;
  return writer.Finish();
}

}  // namespace

struct LargeTables::State {
  const UpdateTarget& target;
  const std::vector<ColumnPlan>& plans;
  struct Column {
    std::shared_ptr<storage::DeltaTable> table;
    bool filters = false;
  };
  mutable std::mutex mutex;
  std::vector<Column> columns;

  [[nodiscard]] storage::ObjectRef Folder(int column) const {
    return target.layout.large_index(plans[column].declared.column);
  }
  [[nodiscard]] std::string SchemaJson(int column) const {
    return source::ToSparkJson(
        arrow::Schema({arrow::field(kFilename, arrow::utf8()),
                       arrow::field(plans[column].declared.column, plans[column].entry_type())}));
  }
  /// The table, made where it is not there: a data file without a log beside it would be taken for
  /// somebody else's.
  std::shared_ptr<storage::DeltaTable> Made(int column) {
    const std::lock_guard guard(mutex);
    auto& table = columns[column].table;
    if (table == nullptr) {
      table = storage::DeltaTable::Create(Folder(column), SchemaJson(column));
      CheckPlain(*table);
    }
    return table;
  }
};

LargeTables::LargeTables(const UpdateTarget& target, const std::vector<ColumnPlan>& plans,
                         const std::vector<std::string>& filtered)
    : state_(new State{.target = target, .plans = plans}) {
  state_->columns.resize(plans.size());
  // One listing says which tables there are at all; mostly none.
  const storage::ObjectRef folder = target.layout.large_index("");
  std::string parent = folder.path;
  while (!parent.empty() && parent.back() == '/') parent.pop_back();
  const std::vector<std::string> listed = folder.store->ListNames(parent);
  const std::set<std::string> names(listed.begin(), listed.end());
  for (size_t i = 0; i < plans.size(); ++i) {
    if (!plans[i].keeps_values()) continue;
    const std::string& name = plans[i].declared.column;
    State::Column& column = state_->columns[i];
    if (names.contains(name.substr(0, name.find('/')) + "/")) {
      column.table = storage::DeltaTable::Open(state_->Folder(static_cast<int>(i)));
    }
    const bool has_rows = column.table != nullptr && !column.table->files().empty();
    column.filters =
        plans[i].can_filter() &&
        (has_rows || std::find(filtered.begin(), filtered.end(), name) != filtered.end());
  }
}

LargeTables::~LargeTables() = default;

bool LargeTables::HasFilters(int column) const {
  const std::lock_guard guard(state_->mutex);
  return state_->columns[column].filters;
}

storage::DataFile LargeTables::Write(int column, const std::string& uri,
                                     const index::ColumnBuilder& values, index::AutoBloom* filter) {
  const auto table = state_->Made(column);
  const std::string value_column = LargeValueColumn(*table);
  const auto type =
      source::FromSparkJson(table->schema_json())->GetFieldByName(value_column)->type();
  const auto schema =
      arrow::schema({arrow::field(kFilename, arrow::utf8()), arrow::field(value_column, type)});
  storage::DeltaFileWriter writer(table->folder(), schema);
  std::shared_ptr<arrow::Array> names;  // As many as the largest group had rows.
  values.ForEachSorted(kRowGroupRows, [&](const std::shared_ptr<arrow::Array>& entries) {
    const int64_t rows = entries->length();
    if (names == nullptr || names->length() < rows) names = Repeated(uri, rows);
    writer.Write(*arrow::RecordBatch::Make(
        schema, rows, {names->Slice(0, rows), ConformCells(entries, type, uri)}));
    if (filter != nullptr) filter->Add(*entries);
  });
  storage::DataFile file = writer.Finish();
  const std::lock_guard guard(state_->mutex);
  state_->columns[column].filters = state_->plans[column].can_filter();
  return file;
}

void LargeTables::Discard(int column, const storage::DataFile& file) const {
  try {
    const storage::ObjectRef object = storage::IndexLayout::Join(state_->Folder(column), file.path);
    object.store->Delete(object.path);
  } catch (const Error&) {
    // No table knows of the file: it costs room until the next vacuum.
  }
}

void LargeTables::Commit(int column, const std::vector<storage::DataFile>& files,
                         const std::unordered_set<std::string>& uris, LockKeeper* lock) {
  std::vector<storage::DataFile> copies;
  const auto discard_copies = [&] {
    for (const storage::DataFile& copy : copies) Discard(column, copy);
    copies.clear();
  };
  const auto make = [&](const storage::DeltaTable& table) -> std::optional<storage::TableChange> {
    discard_copies();  // Of a try that lost against another writer.
    CheckPlain(table);
    storage::TableChange change;
    for (const storage::DataFile& file : table.files()) {
      const std::unordered_set<std::string> held = FilesIn(table, file);
      const auto is_replaced = [&](const std::string& name) { return uris.contains(name); };
      if (std::none_of(held.begin(), held.end(), is_replaced)) continue;
      change.removes.push_back(file.path);
      if (std::all_of(held.begin(), held.end(), is_replaced)) continue;
      if (auto copy = CopyWithout(table, file, uris, lock)) copies.push_back(std::move(*copy));
    }
    change.adds = files;
    change.adds.insert(change.adds.end(), copies.begin(), copies.end());
    if (change.adds.empty() && change.removes.empty()) return std::nullopt;
    change.operation = change.removes.empty() ? "WRITE" : "MERGE";
    lock->Sign(&change);
    return change;
  };
  auto table = storage::DeltaTable::CommitWithRetry(state_->Folder(column),
                                                    state_->SchemaJson(column), make);
  const std::lock_guard guard(state_->mutex);
  state_->columns[column].table = std::move(table);
  // The files may have been written by another process.
  if (!files.empty()) state_->columns[column].filters = state_->plans[column].can_filter();
}

std::shared_ptr<storage::DeltaTable> LargeTables::Table(int column) const {
  const std::lock_guard guard(state_->mutex);
  return state_->columns[column].table;
}

bool LargeTables::HasRows(int column) const {
  const auto table = Table(column);
  return table != nullptr && !table->files().empty();
}

std::unordered_set<std::string> LargeTables::Files(int column) const {
  const auto table = Table(column);
  std::unordered_set<std::string> files;
  if (table == nullptr) return files;
  if (!table->is_plain()) return ReadNames(*table);
  for (const storage::DataFile& file : table->files()) files.merge(FilesIn(*table, file));
  return files;
}

std::string LargeValueColumn(const storage::DeltaTable& table) {
  std::string found;
  const auto schema = source::FromSparkJson(table.schema_json());
  for (const auto& field : schema->fields()) {
    if (field->name() == kFilename) continue;
    if (!found.empty()) {
      throw InvalidDeltaTable(table.folder().path + " has two columns of values, '" + found +
                              "' and '" + field->name() + "'; a large index has one");
    }
    found = field->name();
  }
  if (found.empty()) {
    throw InvalidDeltaTable(table.folder().path + " has no column of values");
  }
  return found;
}

std::unordered_set<std::string> FilesIn(const storage::DeltaTable& table,
                                        const storage::DataFile& file) {
  const storage::ObjectRef object = table.FileRef(file.path);
  const std::string url = object.store->base_url() + object.path;
  std::unordered_set<std::string> files;
  try {
    // A folder like `filename=x` on the way to the table must not be taken for a partition.
    const source::ParquetSource source(storage::OpenInput(object, file.size), url,
                                       arrow::schema({arrow::field(kFilename, arrow::utf8())}),
                                       std::vector<source::PartitionValue>());
    source.VisitDistinct(kFilename,
                         [&files](const arrow::Array& names) { AddNames(names, &files); });
  } catch (const ObjectNotFound&) {
    throw InvalidFile(url + " does not exist. " + storage::HowToBuildAgain(table.folder()));
  } catch (const InvalidFile&) {
    throw InvalidFile(url + " is damaged. " + storage::HowToBuildAgain(table.folder()));
  }
  return files;
}

}  // namespace ariadne::build
