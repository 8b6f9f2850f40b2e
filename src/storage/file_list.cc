#include "storage/file_list.h"

#include <chrono>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "storage/delta_writer.h"
#include "storage/lost_table.h"

namespace ariadne::storage {
namespace {

constexpr char kSchemaJson[] =
    R"({"type":"struct","fields":[{"name":"filename","type":"string","nullable":true,)"
    R"("metadata":{}},{"name":"addedAt","type":"timestamp","nullable":true,"metadata":{}}]})";

/// Rows in a row group of a file that Ariadne writes.
constexpr int64_t kRowGroup = 100'000;

const std::shared_ptr<arrow::Schema>& RowSchema() {
  static const auto schema =
      arrow::schema({arrow::field("filename", arrow::utf8()),
                     arrow::field("addedAt", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"))});
  return schema;
}

void Check(const arrow::Status& status, const std::string& url) {
  if (!status.ok()) throw StorageError("the file list " + url + ": " + status.message());
}

std::vector<FileListEntry> ReadEntries(const DeltaTable& table) {
  std::vector<FileListEntry> entries;
  const auto reader = table.Read({"filename", "addedAt"});
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    const arrow::Status status = reader->ReadNext(&batch);
    if (!status.ok()) {
      throw StorageError("the file list could not be read: " + status.message() +
                         ". If that stays so, it is lost. " + HowToBuildAgain(table.folder()));
    }
    if (batch == nullptr) return entries;
    const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
    const auto& times = static_cast<const arrow::TimestampArray&>(*batch->column(1));
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      if (names.IsNull(i)) continue;
      entries.push_back({names.GetString(i), times.IsNull(i) ? 0 : times.Value(i)});
    }
  }
}

DataFile WriteEntries(const ObjectRef& folder, const std::vector<FileListEntry>& entries) {
  DeltaFileWriter writer(folder, RowSchema());
  const std::string url = folder.store->base_url() + folder.path;
  for (size_t from = 0; from < entries.size(); from += kRowGroup) {
    const size_t to = std::min(entries.size(), from + static_cast<size_t>(kRowGroup));
    arrow::StringBuilder names;
    arrow::TimestampBuilder times(RowSchema()->field(1)->type(), arrow::default_memory_pool());
    for (size_t i = from; i < to; ++i) {
      Check(names.Append(entries[i].filename), url);
      Check(times.Append(entries[i].added_at_us), url);
    }
    std::shared_ptr<arrow::Array> name_column;
    std::shared_ptr<arrow::Array> time_column;
    Check(names.Finish(&name_column), url);
    Check(times.Finish(&time_column), url);
    writer.Write(*arrow::RecordBatch::Make(RowSchema(), static_cast<int64_t>(to - from),
                                           {name_column, time_column}));
  }
  return writer.Finish();
}

int64_t NowMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

struct FileList::State {
  ObjectRef folder;
  std::mutex mutex;
  std::shared_ptr<DeltaTable> table;                          // of the last call
  std::shared_ptr<const std::vector<FileListEntry>> entries;  // of `table`

  /// Newest entries; those of the last call where nothing was committed since.
  std::shared_ptr<const std::vector<FileListEntry>> Newest() {
    std::lock_guard lock(mutex);
    auto newest = table == nullptr ? DeltaTable::Open(folder) : table->Refresh();
    if (newest == nullptr) {
      entries = std::make_shared<const std::vector<FileListEntry>>();
    } else if (entries == nullptr || table == nullptr || !newest->SharesStateWith(*table)) {
      entries = std::make_shared<const std::vector<FileListEntry>>(ReadEntries(*newest));
    }
    table = std::move(newest);
    return entries;
  }
};

FileList::FileList(ObjectRef folder) : state_(std::make_shared<State>()) {
  state_->folder = std::move(folder);
}

std::vector<FileListEntry> FileList::Entries() const { return *state_->Newest(); }

int64_t FileList::Add(const std::vector<std::string>& filenames) {
  if (filenames.empty()) return 0;
  int64_t added = 0;
  DeltaTable::CommitWithRetry(state_->folder, kSchemaJson,
                              [&](const DeltaTable& table) -> std::optional<TableChange> {
                                std::unordered_set<std::string> known;
                                for (FileListEntry& entry : ReadEntries(table))
                                  known.insert(std::move(entry.filename));
                                std::vector<FileListEntry> fresh;
                                const int64_t now = NowMicros();
                                for (const std::string& name : filenames) {
                                  if (known.insert(name).second) fresh.push_back({name, now});
                                }
                                added = static_cast<int64_t>(fresh.size());
                                if (fresh.empty()) return std::nullopt;
                                TableChange change;
                                change.operation = "WRITE";
                                change.adds.push_back(WriteEntries(table.folder(), fresh));
                                return change;
                              });
  return added;
}

int64_t FileList::Remove(const std::vector<std::string>& filenames) {
  if (filenames.empty() || DeltaTable::Open(state_->folder) == nullptr) return 0;
  const std::unordered_set<std::string> gone(filenames.begin(), filenames.end());
  int64_t removed = 0;
  DeltaTable::CommitWithRetry(state_->folder, kSchemaJson,
                              [&](const DeltaTable& table) -> std::optional<TableChange> {
                                // The whole list is small beside the lake, and one file is quicker
                                // to read than many.
                                std::vector<FileListEntry> kept;
                                std::unordered_set<std::string> met;
                                for (FileListEntry& entry : ReadEntries(table)) {
                                  if (gone.count(entry.filename) != 0) {
                                    met.insert(entry.filename);
                                  } else {
                                    kept.push_back(std::move(entry));
                                  }
                                }
                                removed = static_cast<int64_t>(met.size());
                                if (met.empty()) return std::nullopt;
                                TableChange change;
                                change.operation = "DELETE";
                                for (const DataFile& file : table.files())
                                  change.removes.push_back(file.path);
                                if (!kept.empty())
                                  change.adds.push_back(WriteEntries(table.folder(), kept));
                                return change;
                              });
  return removed;
}

}  // namespace ariadne::storage
