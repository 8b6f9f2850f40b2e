#include "build/locked_index.h"

#include <utility>

#include "ariadne/errors.h"
#include "build/main_rows.h"
#include "build/migrate.h"

namespace ariadne::build {

namespace {

/// Nothing is locked below an index that is not there: a lock would make a folder.
std::unique_ptr<storage::Lock> LockIndex(const UpdateTarget& target, const std::stop_token& stop) {
  ReadMetadataOf(target.layout);
  return storage::Lock::Acquire(target.layout.update_lock(), target.options, stop);
}

}  // namespace

storage::IndexMetadata ReadMetadataOf(const storage::IndexLayout& layout) {
  auto metadata = storage::IndexMetadata::Read(layout.metadata());
  if (!metadata) {
    throw IndexNotFound("no index '" + layout.name() + "' at " + layout.folder().store->base_url() +
                        layout.folder().path + "; create it first");
  }
  return std::move(*metadata);
}

LockedIndex::LockedIndex(const UpdateTarget& target, std::stop_token stop)
    : target_(target),
      stop_(std::move(stop)),
      lock_(LockIndex(target, stop_)),
      keeper_(lock_.get(), target.options),
      metadata_(ReadMetadataOf(target.layout)),
      workspace_{.target = target_} {
  if (metadata_.delta_lake != false) metadata_.delta_lake = HasLoggedFiles(target.layout);
  workspace_.lock = &keeper_;
  workspace_.metadata = metadata_;
  workspace_.Prepare();
  MigrateStorage(&workspace_, &metadata_);
  workspace_.metadata = metadata_;
}

void LockedIndex::PlanBuilding() {
  workspace_.PlanBuilding();
  large_ = std::make_unique<LargeTables>(target_, workspace_.plans, metadata_.auto_bloom);
  workspace_.large = large_.get();
  workspace_.MakeMainSchema();
}

void LockedIndex::ThrowIfStopped(const char* operation) const {
  if (!stop_.stop_requested()) return;
  throw Cancelled(std::string(operation) + " of index '" + layout().name() +
                  "' was stopped; what was committed stays, and the same command goes on from "
                  "there");
}

void LockedIndex::WriteTotals(std::optional<int64_t> batches) {
  storage::IndexMetadata metadata = ReadMetadataOf(layout());
  const auto main = storage::DeltaTable::Open(layout().main_index());
  const int64_t total = main == nullptr ? metadata.total_indexed_file_size : SumFileSizes(*main);
  const int64_t counter = batches.value_or(metadata.batches_since_compact);
  if (total != metadata.total_indexed_file_size || counter != metadata.batches_since_compact ||
      metadata.delta_lake != metadata_.delta_lake) {
    metadata.delta_lake = metadata_.delta_lake;
    metadata.total_indexed_file_size = total;
    metadata.batches_since_compact = counter;
    workspace_.lock->Refresh();
    metadata.Write(layout().metadata());
  }
  metadata_ = std::move(metadata);
}

void LockedIndex::RecordLogged(const LoggedFiles& files) {
  if (!files.empty()) {
    metadata_.delta_lake = true;
    storage::IndexMetadata metadata = ReadMetadataOf(layout());
    if (metadata.delta_lake != true) {
      metadata.delta_lake = true;
      workspace_.lock->Refresh();
      metadata.Write(layout().metadata());
    }
  }
  workspace_.lock->Refresh();
  RecordLoggedFiles(layout(), files);
}

}  // namespace ariadne::build
