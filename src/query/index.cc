#include "ariadne/index.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <arrow/table.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/delta_lake.h"
#include "build/lake_files.h"
#include "build/lake_format.h"
#include "build/update.h"
#include "query/declaration.h"
#include "query/index_state.h"
#include "query/join.h"
#include "query/key_table.h"
#include "query/lake_snapshot.h"
#include "query/locate.h"
#include "query/parallel_for.h"
#include "query/tracked_files.h"
#include "source/file_uri.h"
#include "storage/lock.h"

namespace ariadne {

Index::Index(std::shared_ptr<internal::IndexImpl> impl) : impl_(std::move(impl)) {}

const std::string& Index::name() const { return impl_->layout().name(); }

std::shared_ptr<arrow::Schema> Index::schema() const { return impl_->schema(); }

std::string Index::format() const { return impl_->format(); }

const ReadOptions& Index::read_options() const { return impl_->read_options(); }

std::vector<IndexedColumn> Index::columns() const {
  return build::DeclaredColumns(impl_->ReadMetadata());
}

void Index::AddIndex(const IndexedColumn& column) {
  storage::IndexMetadata metadata = impl_->ReadMetadata();
  // Checked before the lock is waited for: a mistake is told at once, and what is declared already
  // needs no right to write.
  if (!query::Declare(metadata, *impl_->schema(), column)) return;
  const auto lock = storage::Lock::Acquire(impl_->layout().update_lock(), impl_->lake().options);
  metadata = impl_->ReadMetadata();
  if (!query::Declare(metadata, *impl_->schema(), column)) return;
  lock->Check();
  metadata.Write(impl_->layout().metadata());
}

void Index::AddRegular(const std::string& column) {
  AddIndex({.kind = IndexedColumn::Kind::kRegular, .column = column});
}

void Index::AddBloom(const std::string& column, double fpr) {
  AddIndex({.kind = IndexedColumn::Kind::kBloom, .column = column, .fpr = fpr});
}

void Index::AddRange(const std::string& column) {
  AddIndex({.kind = IndexedColumn::Kind::kRange, .column = column});
}

void Index::AddComputed(const std::string& name, const std::string& expression) {
  AddIndex({.kind = IndexedColumn::Kind::kComputed, .column = name, .expression = expression});
}

void Index::AddTemporal(const std::string& column, const std::string& timestamp) {
  AddIndex(
      {.kind = IndexedColumn::Kind::kTemporal, .column = column, .timestamp_column = timestamp});
}

void Index::AddExploded(const std::string& array_column, const std::string& field_path,
                        const std::string& as_column) {
  AddIndex({.kind = IndexedColumn::Kind::kExploded,
            .column = as_column,
            .array_column = array_column,
            .field_path = field_path});
}

namespace {

/// Files that a path names; of a Delta table the live ones. Throws InvalidDeltaTable where its log
/// says more of them: to note that is a sync's work.
std::vector<std::string> FilesOf(const internal::IndexImpl& index, const std::string& path) {
  const internal::LakeImpl& lake = index.lake();
  auto files = build::ExpandLake(path, *lake.stores, lake.options.path_map, index.layout().root());
  const bool is_file = files.size() == 1 && files.front() == query::CanonicalOrSelf(path);
  if (is_file || index.format() != "parquet") return files;
  auto table = build::ReadDeltaLake(index.update_target(), path);
  if (!table) return files;
  if (!table->logged.empty()) {
    throw InvalidDeltaTable("the log of the Delta table " + path +
                            " says of its files what is not in them (rows that deletion vectors "
                            "take, or partition values): sync index '" +
                            index.layout().name() + "' with it instead of adding its files");
  }
  return std::move(table->uris);
}

}  // namespace

AddReport Index::AddFiles(const std::vector<std::string>& paths) {
  const internal::LakeImpl& lake = impl_->lake();
  std::vector<std::string> uris;
  std::unordered_set<std::string> asked;
  for (const std::string& path : paths) {
    for (std::string& uri : FilesOf(*impl_, path)) {
      if (asked.insert(uri).second) uris.push_back(std::move(uri));
    }
  }
  build::CheckSuffixes(impl_->format(), uris);
  AddReport report;
  if (uris.empty()) return report;
  const auto lock = storage::Lock::Acquire(impl_->layout().file_list_lock(), lake.options);
  (void)impl_->ReadMetadata();  // An index that was removed meanwhile must not get a file list.
  std::unordered_set<std::string> known;
  for (const auto& entry : impl_->file_list().Entries()) {
    known.insert(query::CanonicalOrSelf(entry.filename));
  }
  std::vector<std::string> added;
  for (std::string& uri : uris) {
    if (!known.contains(uri)) added.push_back(std::move(uri));
  }
  lock->Check();
  if (!added.empty()) report.added = impl_->file_list().Add(added);
  report.already_tracked = static_cast<int64_t>(uris.size()) - report.added;
  return report;
}

std::vector<TrackedFile> Index::Files() const {
  const auto& lake = impl_->lake();
  const auto options = query::TrackingIn(lake, query::ThreadCount(lake.options.threads));
  const auto main_index = impl_->ReadMainIndex();
  const auto entries = impl_->file_list().Entries();
  const auto tracked = query::MatchTrackedFiles(entries, main_index.get(), options);
  std::vector<TrackedFile> files;
  files.reserve(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    files.push_back({entries[i].filename, entries[i].added_at_us, tracked.entry_indexed[i] != 0});
  }
  std::sort(files.begin(), files.end(),
            [](const TrackedFile& a, const TrackedFile& b) { return a.uri < b.uri; });
  return files;
}

UpdateReport Index::Update(const UpdateOptions& options) {
  return build::Update(impl_->update_target(), options);
}

Located Index::Locate(const std::vector<Probe>& probes) const {
  return query::LocateFiles(*impl_, probes).report;
}

Located Index::Locate(const arrow::Table& keys, const std::vector<std::string>& on) const {
  return query::LocateFiles(*impl_, query::ProbesOf(keys, on)).report;
}

Joined Index::Join(const std::shared_ptr<arrow::Table>& keys, const JoinOptions& options) const {
  return query::JoinLake(*impl_, keys, options);
}

}  // namespace ariadne
