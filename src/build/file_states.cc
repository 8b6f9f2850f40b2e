#include "build/file_states.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/row_removal.h"
#include "build/table_rows.h"
#include "source/spark_schema.h"
#include "storage/delta_table.h"
#include "storage/delta_writer.h"

namespace ariadne::build {

namespace {

/// Data files from which on the table is written anew as one.
constexpr size_t kMostFiles = 16;
constexpr int64_t kRowGroupRows = 100'000;

const std::shared_ptr<arrow::Schema>& RowSchema() {
  static const auto schema = arrow::schema(
      {arrow::field("filename", arrow::utf8()), arrow::field("size", arrow::int64()),
       arrow::field("modified_ms", arrow::int64()), arrow::field("etag", arrow::utf8()),
       arrow::field("recorded_us", arrow::int64())});
  return schema;
}

void Check(const arrow::Status& status) {
  if (!status.ok()) throw StorageError("cannot put file states down: " + status.message());
}

std::map<std::string, FileState> ReadAll(const storage::DeltaTable& table) {
  std::map<std::string, FileState> states;
  for (const storage::DataFile& file : table.files()) {
    TableRows reader(table, file, RowSchema());
    while (const auto batch = reader.Next()) {
      const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
      const auto& sizes = static_cast<const arrow::Int64Array&>(*batch->column(1));
      const auto& modified = static_cast<const arrow::Int64Array&>(*batch->column(2));
      const auto& etags = static_cast<const arrow::StringArray&>(*batch->column(3));
      const auto& recorded = static_cast<const arrow::Int64Array&>(*batch->column(4));
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        if (names.IsNull(i) || recorded.IsNull(i)) continue;
        FileState& state = states[names.GetString(i)];
        if (state.recorded_us > recorded.Value(i)) continue;
        state.size = sizes.IsNull(i) ? -1 : sizes.Value(i);
        state.modified_ms = modified.IsNull(i) ? 0 : modified.Value(i);
        state.etag = etags.IsNull(i) ? "" : etags.GetString(i);
        state.recorded_us = recorded.Value(i);
      }
    }
  }
  return states;
}

std::optional<storage::DataFile> WriteAll(const storage::ObjectRef& folder,
                                          const std::map<std::string, FileState>& states) {
  if (states.empty()) return std::nullopt;
  storage::DeltaFileWriter writer(folder, RowSchema());
  for (auto at = states.begin(); at != states.end();) {
    arrow::StringBuilder names;
    arrow::StringBuilder etags;
    arrow::Int64Builder sizes;
    arrow::Int64Builder modified;
    arrow::Int64Builder recorded;
    int64_t rows = 0;
    for (; at != states.end() && rows < kRowGroupRows; ++at, ++rows) {
      Check(names.Append(at->first));
      Check(sizes.Append(at->second.size));
      Check(modified.Append(at->second.modified_ms));
      Check(etags.Append(at->second.etag));
      Check(recorded.Append(at->second.recorded_us));
    }
    arrow::ArrayVector columns(5);
    Check(names.Finish(&columns[0]));
    Check(sizes.Finish(&columns[1]));
    Check(modified.Finish(&columns[2]));
    Check(etags.Finish(&columns[3]));
    Check(recorded.Finish(&columns[4]));
    writer.Write(*arrow::RecordBatch::Make(RowSchema(), rows, std::move(columns)));
  }
  return writer.Finish();
}

}  // namespace

storage::ObjectRef FileStates::Folder(const storage::IndexLayout& layout) {
  return storage::IndexLayout::Join(layout.native(), "file_states");
}

std::map<std::string, FileState> FileStates::Load(const storage::IndexLayout& layout) {
  try {
    const auto table = storage::DeltaTable::Open(Folder(layout));
    if (table == nullptr) return {};
    return ReadAll(*table);
  } catch (const InvalidDeltaTable&) {
    return {};
  } catch (const InvalidFile&) {
    return {};
  }
}

void FileStates::Record(Workspace* workspace, const std::map<std::string, FileState>& states) {
  if (states.empty()) return;
  const int64_t now = std::chrono::duration_cast<std::chrono::microseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
  std::map<std::string, FileState> fresh = states;
  for (auto& [key, state] : fresh) state.recorded_us = now;
  const storage::ObjectRef folder = Folder(workspace->target.layout);
  storage::DeltaTable::CommitWithRetry(
      folder, source::ToSparkJson(*RowSchema()),
      [&](const storage::DeltaTable& table) -> std::optional<storage::TableChange> {
        storage::TableChange change;
        change.operation = "WRITE";
        std::map<std::string, FileState> rows = fresh;
        if (table.files().size() >= kMostFiles) {
          rows.merge(ReadAll(table));
          for (const storage::DataFile& file : table.files()) change.removes.push_back(file.path);
        }
        change.adds.push_back(*WriteAll(folder, rows));
        workspace->lock->Sign(&change);
        return change;
      });
}

void FileStates::Forget(Workspace* workspace, const std::set<std::string>& keys) {
  const storage::ObjectRef folder = Folder(workspace->target.layout);
  try {
    RemoveRows(workspace, folder, keys, /*with_lookups=*/false);
  } catch (const InvalidDeltaTable&) {
    // A table that cannot be read tells nothing that could be wrong.
  }
}

}  // namespace ariadne::build
