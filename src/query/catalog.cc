#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
#include "build/row_removal.h"
#include "build/update.h"
#include "query/index_state.h"
#include "query/parallel_for.h"
#include "source/spark_schema.h"
#include "storage/delta_table.h"
#include "storage/file_list.h"
#include "storage/layout.h"
#include "storage/metadata.h"

namespace ariadne {

namespace {

using internal::LakeImpl;
using storage::IndexLayout;
using storage::IndexMetadata;

/// Threads for work that is a few requests an index.
int CatalogThreads(const LakeImpl& lake) {
  const int threads = query::ThreadCount(lake.options.threads);
  return lake.root.store->is_local() ? threads : std::max(threads, 16);
}

/// Rows of a table, by its log alone; nullopt where the log does not say.
std::optional<int64_t> LoggedRows(const storage::ObjectRef& folder) {
  const auto table = storage::DeltaTable::Open(folder);
  if (table == nullptr) return 0;
  int64_t rows = 0;
  for (const storage::DataFile& file : table->files()) {
    if (file.num_records < 0 || file.has_deletion_vector) return std::nullopt;
    rows += file.num_records;
  }
  return rows;
}

/// What the logs tell, without a look into any data file; nullopt where they do not.
std::optional<IndexSummary> DescribeByLogs(const LakeImpl& lake, const std::string& name) {
  const IndexLayout layout(lake.root, name);
  const auto metadata = IndexMetadata::Read(layout.metadata());
  if (!metadata) return std::nullopt;
  const auto tracked = LoggedRows(layout.file_list());
  const auto indexed = LoggedRows(layout.main_index());
  // More rows than names: a file under two spellings, or a folder in the list.
  if (!tracked || !indexed || *indexed > *tracked) return std::nullopt;
  IndexSummary summary;
  summary.name = name;
  summary.format = metadata->format;
  summary.read_options = metadata->read_options;
  summary.schema = source::FromSparkJson(metadata->schema_json);
  summary.columns = build::DeclaredColumns(*metadata);
  summary.tracked_files = *tracked;
  summary.indexed_files = *indexed;
  summary.total_indexed_bytes = metadata->total_indexed_file_size;
  summary.metadata_version = metadata->metadata_version;
  summary.storage_format_version = metadata->storage_format_version;
  return summary;
}

/// True where a stored name is one of `keys`, or a folder above one.
bool Names(const std::string& stored, const std::set<std::string>& keys) {
  std::string key = build::FileKey(stored);
  if (keys.contains(key)) return true;
  while (key.ends_with('/')) key.pop_back();
  key += '/';
  return std::any_of(keys.begin(), keys.end(),
                     [&](const std::string& file) { return file.starts_with(key); });
}

bool Tracks(const LakeImpl& lake, const std::string& name, const std::set<std::string>& keys) {
  const IndexLayout layout(lake.root, name);
  const auto entries = storage::FileList(layout.file_list()).Entries();
  for (const storage::FileListEntry& entry : entries) {
    if (Names(entry.filename, keys)) return true;
  }
  if (!entries.empty()) return false;
  // Without any entry the rows of the main index are what is tracked.
  const auto table = storage::DeltaTable::Open(layout.main_index());
  if (table == nullptr) return false;
  const auto main = query::MainIndex::Load(table, nullptr, 1);
  for (const auto& part : main->parts()) {
    for (int64_t row = 0; row < part->num_rows(); ++row) {
      if (keys.contains(build::FileKey(std::string(part->filename(row))))) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<IndexSummary> Lake::DescribeAll(std::vector<std::string>* unreadable) const {
  const std::vector<std::string> names = List();
  std::vector<std::optional<IndexSummary>> summaries(names.size());
  std::vector<std::string> failures(names.size());
  query::ParallelFor(names.size(), CatalogThreads(*impl_), [&](size_t i) {
    try {
      summaries[i] = DescribeByLogs(*impl_, names[i]);
      if (!summaries[i]) summaries[i] = Describe(names[i]);
    } catch (const Error& error) {
      failures[i] = names[i] + ": " + error.what();
    }
  });
  std::vector<IndexSummary> result;
  for (size_t i = 0; i < names.size(); ++i) {
    if (summaries[i]) {
      result.push_back(*std::move(summaries[i]));
    } else if (unreadable != nullptr && !failures[i].empty()) {
      unreadable->push_back(std::move(failures[i]));
    }
  }
  return result;
}

std::vector<std::string> Lake::Find(const std::string& file) const {
  if (file.empty()) throw InvalidArgument("find needs the name of a file");
  const std::set<std::string> keys = build::KeysOf(file, impl_->options.path_map);
  const std::vector<std::string> names = List();
  std::vector<uint8_t> tracks(names.size(), 0);
  query::ParallelFor(names.size(), CatalogThreads(*impl_),
                     [&](size_t i) { tracks[i] = Tracks(*impl_, names[i], keys) ? 1 : 0; });
  std::vector<std::string> found;
  for (size_t i = 0; i < names.size(); ++i) {
    if (tracks[i] != 0) found.push_back(names[i]);
  }
  return found;
}

std::vector<std::string> Lake::Leftovers() const {
  constexpr std::string_view kListPrefix = "[ariadne_index] ";
  std::set<std::string> names;
  const auto add_folders = [&](const storage::ObjectRef& folder, std::string_view prefix) {
    for (std::string& name : folder.store->ListNames(folder.path)) {
      if (!name.ends_with('/') || !name.starts_with(prefix)) continue;
      name.pop_back();
      names.insert(name.substr(prefix.size()));
    }
  };
  add_folders(IndexLayout::IndexesFolder(impl_->root), "");
  add_folders(IndexLayout::FileListsFolder(impl_->root), kListPrefix);
  std::vector<std::string> leftovers;
  for (const std::string& name : names) {
    try {
      if (!Exists(name)) leftovers.push_back(name);
    } catch (const InvalidArgument&) {
      // No index can have that name: somebody else's folder.
    }
  }
  return leftovers;
}

}  // namespace ariadne
