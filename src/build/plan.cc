#include "build/plan.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/built_cells.h"
#include "build/table_rows.h"
#include "index/column_index.h"
#include "source/file_uri.h"
#include "source/spark_schema.h"
#include "storage/arrow_io.h"
#include "storage/file_list.h"

namespace ariadne::build {

namespace {

/// Files of one folder from which on listing it is cheaper than asking for each.
constexpr size_t kListFrom = 16;
constexpr size_t kRequestThreads = 16;

/// For each data file of the main index, the columns that each of its rows lacks.
class UnbuiltCells {
 public:
  UnbuiltCells(const std::vector<IndexedColumn>& columns, const storage::DeltaTable& main);
  /// Declared columns, by place, that the row lacks.
  [[nodiscard]] std::vector<int> Of(const RowPlace& place) const;

 private:
  void Scan(const storage::DeltaTable& main, int32_t file, int column,
            const std::shared_ptr<arrow::Field>& field);

  const std::vector<IndexedColumn>& columns_;
  /// Rows with a null cell, by (file, column).
  std::map<std::pair<int32_t, int>, std::vector<bool>> null_rows_;
  std::vector<int> absent_;  ///< Columns that the table's schema lacks.
};

UnbuiltCells::UnbuiltCells(const std::vector<IndexedColumn>& columns,
                           const storage::DeltaTable& main)
    : columns_(columns) {
  const auto schema = source::FromSparkJson(main.schema_json());
  for (int column = 0; column < static_cast<int>(columns.size()); ++column) {
    const auto field = schema->GetFieldByName(index::StorageColumn(columns[column]));
    if (field == nullptr) {
      absent_.push_back(column);
      continue;
    }
    for (int32_t file = 0; file < static_cast<int32_t>(main.files().size()); ++file) {
      if (StatisticsProveNoNull(main.files()[file], field->name())) continue;
      Scan(main, file, column, field);
    }
    const bool any_null = std::any_of(null_rows_.begin(), null_rows_.end(), [&](const auto& entry) {
      return entry.first.second == column;
    });
    if (any_null && !index::KeepsValues(columns[column].kind) &&
        NullFilterProvesNoValue(main, field->name())) {
      std::erase_if(null_rows_, [&](const auto& entry) { return entry.first.second == column; });
    }
  }
}

void UnbuiltCells::Scan(const storage::DeltaTable& main, int32_t file, int column,
                        const std::shared_ptr<arrow::Field>& field) {
  TableRows reader(main, main.files()[file], arrow::schema({field}));
  std::vector<bool> nulls;
  bool any = false;
  if (!reader.has_column(field->name())) {
    nulls.assign(reader.num_rows(), true);
    any = !nulls.empty();
  } else {
    while (const auto batch = reader.Next()) {
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        nulls.push_back(batch->column(0)->IsNull(i));
        any = any || nulls.back();
      }
    }
  }
  if (any) null_rows_[{file, column}] = std::move(nulls);
}

std::vector<int> UnbuiltCells::Of(const RowPlace& place) const {
  std::vector<int> missing = absent_;
  if (!null_rows_.empty()) {
    for (int column = 0; column < static_cast<int>(columns_.size()); ++column) {
      const auto found = null_rows_.find({place.file, column});
      if (found != null_rows_.end() && found->second[place.row]) missing.push_back(column);
    }
  }
  return missing;
}

/// nullopt: it is not there. On a local disk such that a file which is overwritten from now on
/// looks otherwise, where that can be told.
std::optional<storage::ObjectMeta> LookAt(const storage::ObjectRef& object) {
  if (object.store->is_local()) {
    try {
      if (auto settled = storage::SettledMeta(*storage::OpenInput(object))) return settled;
    } catch (const ObjectNotFound&) {
      return std::nullopt;
    }
  }
  return object.store->Head(object.path);
}

/// Sizes of files of one folder: from one listing where it has many of them, else file by file.
void FindSizesIn(const std::string& folder, const std::vector<FileJob*>& files) {
  const storage::ObjectStore& store = *files.front()->object.store;
  std::unordered_map<std::string, storage::ObjectMeta> listed;
  const auto fill = [](FileJob* job, const storage::ObjectMeta& object) {
    job->size = object.size;
    job->modified_ms = object.modified_ms;
    job->etag = object.etag;
  };
  // A local file's size costs no request.
  if (files.size() >= kListFrom && !store.is_local()) {
    try {
      for (storage::ObjectMeta& object : store.List(folder)) {
        std::string path = object.path;
        listed.emplace(std::move(path), std::move(object));
      }
    } catch (const StorageError&) {
      // Listing may be forbidden where reading is not.
    }
  }
  for (FileJob* job : files) {
    if (const auto found = listed.find(job->object.path); found != listed.end()) {
      fill(job, found->second);
      continue;
    }
    try {
      const auto object = LookAt(job->object);
      if (object) {
        fill(job, *object);
      } else {
        job->error = "the file is not there any more; put it back or stop tracking it";
      }
    } catch (const StorageError& error) {
      job->error = error.what();
    }
  }
}

void FindSizes(std::vector<FileJob>* jobs) {
  std::map<std::pair<storage::ObjectStore*, std::string>, std::vector<FileJob*>> by_folder;
  for (FileJob& job : *jobs) {
    if (!job.error.empty()) continue;
    const size_t slash = job.object.path.rfind('/');
    by_folder[{job.object.store.get(),
               slash == std::string::npos ? "" : job.object.path.substr(0, slash)}]
        .push_back(&job);
  }
  std::vector<std::pair<std::string, std::vector<FileJob*>>> folders;
  for (auto& [folder, files] : by_folder) folders.emplace_back(folder.second, std::move(files));
  // Requests wait for a network, not for a core.
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < folders.size(); i = next++) {
      FindSizesIn(folders[i].first, folders[i].second);
    }
  };
  std::vector<std::jthread> threads;
  for (size_t i = 1; i < std::min(folders.size(), kRequestThreads); ++i) threads.emplace_back(work);
  work();
}

}  // namespace

Plan MakePlan(const UpdateTarget& target, const std::vector<IndexedColumn>& columns,
              const storage::DeltaTable* main, const LargeTables& large_tables) {
  Plan plan;
  MainRows rows;
  std::optional<UnbuiltCells> unbuilt;
  if (main != nullptr) {
    rows = LoadMainRows(*main);
    unbuilt.emplace(columns, *main);
  }
  std::map<int, std::unordered_set<std::string>> large;  // By column, loaded when asked for.
  const auto is_large = [&](int column, const std::string& uri) {
    if (!large_tables.HasRows(column)) return false;
    auto found = large.find(column);
    if (found == large.end()) found = large.emplace(column, large_tables.Files(column)).first;
    return found->second.contains(uri);
  };

  std::vector<int> all_columns(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) all_columns[i] = static_cast<int>(i);
  std::unordered_set<std::string> seen;
  for (const storage::FileListEntry& entry :
       storage::FileList(target.layout.file_list()).Entries()) {
    FileJob job;
    job.uri = CanonicalOrSame(entry.filename);
    if (!seen.insert(job.uri).second) continue;
    if (const auto found = rows.find(job.uri); found != rows.end()) {
      // Of several spellings of one file the newest row may serve; any that lacks a column is
      // replaced together with the others.
      std::set<int> missing;
      for (const RowPlace& place : found->second) {
        for (const int column : unbuilt->Of(place)) {
          if (!is_large(column, job.uri)) missing.insert(column);
        }
      }
      if (missing.empty()) continue;
      job.columns.assign(missing.begin(), missing.end());
      job.old_row = found->second.back();
    } else {
      job.columns = all_columns;
    }
    try {
      job.object = target.stores->Resolve(source::MapPath(entry.filename, target.options.path_map));
    } catch (const Error& error) {
      job.error = error.what();
    }
    plan.jobs.push_back(std::move(job));
  }
  std::sort(plan.jobs.begin(), plan.jobs.end(), [](const FileJob& a, const FileJob& b) {
    if (a.old_row.has_value() != b.old_row.has_value()) return b.old_row.has_value();
    if (a.old_row) {
      return std::tie(a.old_row->file, a.old_row->row) < std::tie(b.old_row->file, b.old_row->row);
    }
    return a.uri < b.uri;
  });
  FindSizes(&plan.jobs);
  for (const FileJob& job : plan.jobs) plan.bytes += std::max<int64_t>(0, job.size);
  return plan;
}

}  // namespace ariadne::build
