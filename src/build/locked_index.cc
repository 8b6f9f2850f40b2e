#include "build/locked_index.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/main_rows.h"
#include "build/migrate.h"
#include "source/spark_schema.h"

namespace ariadne::build {

namespace {

constexpr int64_t kSmallestBudget = 1 << 20;

/// Nothing is locked below an index that is not there: a lock would make a folder.
std::unique_ptr<storage::Lock> LockIndex(const UpdateTarget& target, const std::stop_token& stop) {
  ReadMetadataOf(target.layout);
  return storage::Lock::Acquire(target.layout.update_lock(), target.options, stop);
}

}  // namespace

int64_t OperationMemory(const Options& options) {
  if (options.memory_bytes > 0) return std::max(options.memory_bytes, kSmallestBudget);
  const int64_t pages = ::sysconf(_SC_PHYS_PAGES);
  const int64_t page = ::sysconf(_SC_PAGESIZE);
  return std::max<int64_t>(pages > 0 && page > 0 ? pages * page / 4 : 0, int64_t{256} << 20);
}

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
  workspace_.columns = DeclaredColumns(metadata_);
  workspace_.memory_bytes = OperationMemory(target.options);
  workspace_.context.memory_bytes = workspace_.memory_bytes / 4;
  if (!target.options.token_time_zone.empty()) {
    workspace_.context.token_time_zone = target.options.token_time_zone;
  }
  workspace_.lock = &keeper_;
  MigrateStorage(&workspace_, &metadata_);
  workspace_.metadata = metadata_;
}

void LockedIndex::PlanBuilding() {
  workspace_.schema = source::FromSparkJson(metadata_.schema_json);
  workspace_.plans = PlanColumns(workspace_.columns, *workspace_.schema);
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
  if (total != metadata.total_indexed_file_size || counter != metadata.batches_since_compact) {
    metadata.total_indexed_file_size = total;
    metadata.batches_since_compact = counter;
    workspace_.lock->Refresh();
    metadata.Write(layout().metadata());
  }
  metadata_ = std::move(metadata);
}

}  // namespace ariadne::build
