#include "query/lake_snapshot.h"

#include <algorithm>
#include <future>
#include <iostream>
#include <map>

#include "ariadne/errors.h"
#include "build/row_removal.h"
#include "query/parallel_for.h"
#include "scan/deleted_rows.h"
#include "source/file_uri.h"

namespace ariadne::query {

int StoreThreads(const internal::LakeImpl& lake) {
  constexpr int kRemoteThreads = 16;
  const int threads = ThreadCount(lake.options.threads);
  return lake.root.store->is_local() ? threads : std::max(threads, kRemoteThreads);
}

TrackingOptions TrackingIn(const internal::LakeImpl& lake, int threads) {
  TrackingOptions options;
  options.stores = lake.stores.get();
  options.root = lake.root;
  options.path_map = lake.options.path_map;
  options.threads = threads;
  return options;
}

std::shared_ptr<const LakeSnapshot> LakeSnapshot::Take(const internal::IndexImpl& index) {
  auto snapshot = std::make_shared<LakeSnapshot>();
  snapshot->index_ = &index;
  auto reading_entries = std::async(std::launch::async, [&] { return snapshot->ReadTracked(); });
  snapshot->main_index_ = index.ReadMainIndex();
  const auto entries = reading_entries.get();
  snapshot->CheckMainIndexIsWhole();
  TrackingOptions options = TrackingIn(index.lake(), StoreThreads(index.lake()));
  options.sizes = snapshot->includes_unindexed();
  snapshot->tracked_ = MatchTrackedFiles(entries, snapshot->main_index_.get(), options);
  snapshot->ApplyUnindexedPolicy();
  return snapshot;
}

std::vector<storage::FileListEntry> LakeSnapshot::ReadTracked() {
  const auto same = [](const storage::FileListEntry& a, const storage::FileListEntry& b) {
    return a.filename == b.filename;
  };
  auto entries = index_->file_list().Entries();
  while (true) {
    // After the list: whatever is said of a file is there before it is tracked.
    metadata_ = index_->ReadMetadata();
    logged_ = std::make_shared<const build::LoggedFiles>(
        build::LoadLoggedFiles(index_->layout(), metadata_));
    if (logged_->empty()) return entries;
    // A sync that came in between has taken rows from files in favour of others, not in this list.
    auto newest = index_->file_list().Entries();
    if (std::equal(entries.begin(), entries.end(), newest.begin(), newest.end(), same)) {
      return entries;
    }
    entries = std::move(newest);
  }
}

bool LakeSnapshot::includes_unindexed() const {
  return index_->lake().options.unindexed == Unindexed::kInclude;
}

ProbeSite LakeSnapshot::site() const {
  const internal::LakeImpl& lake = index_->lake();
  ProbeSite site;
  site.main_index = main_index_.get();
  site.layout = &index_->layout();
  site.logged = logged_.get();
  site.token_time_zone = lake.options.token_time_zone;
  site.named_by_array = build::ExplodedNamedByArray(metadata_);
  site.auto_bloom = metadata_.auto_bloom;
  site.auto_bloom_fpr = lake.options.auto_bloom_fpr;
  site.threads = StoreThreads(lake);
  return site;
}

void LakeSnapshot::CheckMainIndexIsWhole() const {
  if (!main_index_ || main_index_->failure().empty()) return;
  const std::string& failure = main_index_->failure();
  if (!includes_unindexed()) {
    throw StorageError("the main index of \"" + index_->layout().name() +
                       "\" cannot be read whole (" + failure +
                       "), so files would be left out that may hold the values: ask with "
                       "unindexed=include until it is built again");
  }
  std::cerr << "ariadne: warning: " << failure << "; the files it describes stay candidates\n";
}

void LakeSnapshot::ApplyUnindexedPolicy() const {
  if (index_->lake().options.unindexed != Unindexed::kError || tracked_.unindexed.empty()) return;
  throw UnindexedFiles(std::to_string(tracked_.unindexed.size()) + " tracked file(s) of index \"" +
                       index_->layout().name() + "\" are not indexed yet, such as " +
                       tracked_.unindexed.front().uri +
                       ": update the index, or ask with unindexed=include or exclude");
}

namespace {

void AddLogged(const build::LoggedFiles& logged, const arrow::Schema& schema,
               scan::ScanFile* file) {
  if (logged.empty()) return;
  const auto found = logged.find(build::FileKey(file->uri));
  if (found == logged.end()) return;
  const build::LoggedFile& of_log = found->second;
  if (!of_log.deleted_rows.empty()) {
    file->deleted_rows = std::make_shared<const scan::DeletedRows>(of_log.deleted_rows);
  }
  if (of_log.partition_values) {
    file->partition_values = build::PartitionValuesOf(*of_log.partition_values, schema);
  }
}

}  // namespace

std::vector<scan::ScanFile> ScanFilesOf(const internal::IndexImpl& index,
                                        const build::LoggedFiles& logged,
                                        const std::vector<std::pair<std::string, int64_t>>& files) {
  std::map<std::string, scan::ScanFile> by_name;
  for (const auto& [uri, size] : files) {
    scan::ScanFile file;
    file.uri = uri;
    file.url = source::MapPath(uri, index.lake().options.path_map);
    // A local size is had for nothing, and is right even for a file that was overwritten.
    file.size = file.url.starts_with("file:") ? -1 : size;
    AddLogged(logged, *index.schema(), &file);
    by_name.emplace(CanonicalOrSelf(uri), std::move(file));
  }
  std::vector<scan::ScanFile> result;
  result.reserve(by_name.size());
  for (auto& [name, file] : by_name) result.push_back(std::move(file));
  return result;
}

}  // namespace ariadne::query
