#include "rowgroup/index_service.h"

#include <chrono>
#include <exception>
#include <utility>

namespace ariadne::rowgroup {
namespace {

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

/// Between two saves of a process that goes on: many small commits would slow every later load.
constexpr std::chrono::seconds kBetweenSaves(60);

}  // namespace

IndexService::IndexService(const RowGroupOptions& options, const storage::ObjectRef& root,
                           std::function<void(const std::string&)> warn)
    : options_(options),
      warn_(std::move(warn)),
      store_(IndexStore::Make({.entries = options.store_entries, .bytes = options.store_bytes})) {
  if (!options.persistence) return;
  table_.emplace(IndexTable::FolderBelow(root));
  load_.emplace(*table_, store_, Milliseconds(options.load_timeout_seconds));
}

IndexService::~IndexService() { Save(); }

void IndexService::BeforeQuery() {
  bool save = false;
  {
    const std::lock_guard lock(mutex_);
    if (load_) {
      // Only the first query waits: the others find what is there by then.
      const bool ended = load_->Wait(Milliseconds(waited_ ? 0 : options_.load_wait_seconds));
      waited_ = true;
      Warn(load_->warning());
      if (ended) load_.reset();
    }
    save = table_ && std::chrono::steady_clock::now() - saved_ > kBetweenSaves;
  }
  if (save) Save();
}

void IndexService::Save() {
  const std::lock_guard lock(mutex_);
  if (!table_) return;
  saved_ = std::chrono::steady_clock::now();
  try {
    table_->Append(store_->TakeUnsaved());
  } catch (const std::exception& error) {
    Warn(std::string("the row-group indexes cannot be kept: ") + error.what() + " (" +
         table_->url() + ")");
  }
}

void IndexService::Warn(const std::string& text) {
  if (text.empty() || text == warned_) return;
  warned_ = text;
  warn_(text);
}

}  // namespace ariadne::rowgroup
