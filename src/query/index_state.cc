#include "query/index_state.h"

#include <algorithm>
#include <utility>

#include "ariadne/errors.h"
#include "index/civil_time.h"
#include "query/parallel_for.h"
#include "source/file_uri.h"
#include "source/spark_schema.h"

namespace ariadne::internal {

LakeImpl::LakeImpl(const std::string& root, Options options)
    : root_url(source::DecodedUrl(source::CanonicalUri(root))), options(std::move(options)) {
  if (!this->options.token_time_zone.empty()) {
    (void)index::TimeZone::Load(this->options.token_time_zone);  // Throws where there is none.
  }
  stores = std::make_shared<storage::Stores>(this->options.storage);
  this->root = stores->Resolve(root_url);
  engine::SessionOptions session;
  session.memory_bytes = this->options.memory_bytes;
  session.threads = this->options.threads;
  sessions = std::make_unique<query::SessionPool>(std::move(session), stores);
}

IndexImpl::IndexImpl(std::shared_ptr<LakeImpl> lake, storage::IndexLayout layout,
                     const storage::IndexMetadata& metadata)
    : lake_(std::move(lake)),
      layout_(std::move(layout)),
      schema_(source::FromSparkJson(metadata.schema_json)),
      format_(metadata.format),
      read_options_(metadata.read_options),
      file_list_(layout_.file_list()) {}

storage::IndexMetadata IndexImpl::ReadMetadata() const {
  auto metadata = storage::IndexMetadata::Read(layout_.metadata());
  if (!metadata) {
    throw IndexNotFound("index \"" + layout_.name() + "\" was removed from " + lake_->root_url +
                        " since it was opened; create it again");
  }
  return *std::move(metadata);
}

std::shared_ptr<const query::MainIndex> IndexImpl::ReadMainIndex() const {
  std::shared_ptr<storage::DeltaTable> table;
  std::shared_ptr<const query::MainIndex> previous;
  {
    const std::lock_guard lock(mutex_);
    table = table_;
    previous = main_index_;
  }
  // Without the lock: a slow store must not make concurrent queries wait for each other.
  table = table ? table->Refresh() : storage::DeltaTable::Open(layout_.main_index());
  if (!table) return nullptr;
  const int threads = query::ThreadCount(lake_->options.threads);
  if (!previous || previous->table().version() != table->version() ||
      !previous->failure().empty()) {
    auto loaded = query::MainIndex::Load(table, previous.get(), threads);
    if (!loaded->failure().empty()) {
      // A rewrite may have replaced the part, and a vacuum removed it, since the snapshot was
      // taken.
      auto newer = table->Refresh();
      if (newer && newer->version() != table->version()) {
        table = std::move(newer);
        loaded = query::MainIndex::Load(table, loaded.get(), threads);
      }
    }
    previous = std::move(loaded);
  }
  const std::lock_guard lock(mutex_);
  if (!table_ || table_->version() <= table->version()) {
    table_ = std::move(table);
    main_index_ = previous;
  }
  return previous;
}

build::UpdateTarget IndexImpl::update_target() const {
  return {layout_, lake_->stores, lake_->options};
}

std::shared_ptr<IndexImpl> OpenIndex(const std::shared_ptr<LakeImpl>& lake,
                                     const std::string& name) {
  const storage::IndexLayout layout(lake->root, name);
  auto metadata = storage::IndexMetadata::Read(layout.metadata());
  if (!metadata) return nullptr;
  return std::make_shared<IndexImpl>(lake, layout, *metadata);
}

std::vector<std::string> IndexNames(const LakeImpl& lake) {
  const storage::ObjectRef folder = storage::IndexLayout::IndexesFolder(lake.root);
  std::vector<std::string> folders;
  for (std::string& name : folder.store->ListNames(folder.path)) {
    if (!name.ends_with('/') || name.starts_with('.')) continue;
    name.pop_back();
    folders.push_back(std::move(name));
  }
  std::vector<uint8_t> exists(folders.size(), 0);
  query::ParallelFor(folders.size(), folder.store->is_local() ? 1 : 16, [&](size_t i) {
    const auto metadata = storage::IndexLayout(lake.root, folders[i]).metadata();
    exists[i] = metadata.store->Head(metadata.path) ? 1 : 0;
  });
  std::vector<std::string> names;
  for (size_t i = 0; i < folders.size(); ++i) {
    if (exists[i] != 0) names.push_back(std::move(folders[i]));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace ariadne::internal
