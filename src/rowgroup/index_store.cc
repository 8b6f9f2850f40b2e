#include "rowgroup/index_store.h"

#include <list>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace ariadne::rowgroup {

const char* ToString(DiscardReason reason) {
  switch (reason) {
    case DiscardReason::kStoppedEarly:
      return "stopped early";
    case DiscardReason::kFailed:
      return "failed";
    case DiscardReason::kRowsSkipped:
      return "rows skipped";
    case DiscardReason::kFileChanged:
      return "file changed";
    case DiscardReason::kTooManyValues:
      return "too many values";
    case DiscardReason::kCount:
      break;
  }
  return "";
}

struct IndexStore::State {
  struct Entry {
    StoredIndex stored;
    std::string text;
    int64_t bytes = 0;
  };
  using Order = std::list<Entry>;  ///< Most recently asked first.

  explicit State(StoreLimits given) : limits(given) {}

  bool Insert(std::string text, IndexKey key, RowGroupIndex index) {
    if (entries.contains(text)) return false;
    Entry entry;
    // The key is held twice, as itself and as text.
    entry.bytes = index.MemoryBytes() + static_cast<int64_t>(sizeof(Entry) + 3 * text.size());
    entry.stored = {std::move(key), std::make_shared<const RowGroupIndex>(std::move(index))};
    entry.text = std::move(text);
    bytes += entry.bytes;
    order.push_front(std::move(entry));
    entries.emplace(order.front().text, order.begin());
    Evict();
    return true;
  }

  void Evict() {
    const auto over = [this] {
      return (limits.entries > 0 && static_cast<int64_t>(entries.size()) > limits.entries) ||
             (limits.bytes > 0 && bytes > limits.bytes);
    };
    while (!order.empty() && over()) {
      Remove(std::prev(order.end()));
      ++counters.evicted;
    }
  }

  void Remove(Order::iterator at) {
    bytes -= at->bytes;
    entries.erase(at->text);
    order.erase(at);
  }

  const StoreLimits limits;
  std::mutex mutex;
  Order order;
  std::unordered_map<std::string_view, Order::iterator> entries;  ///< Keys lie in `order`.
  std::unordered_set<std::string> registered;
  std::vector<std::string> unsaved;
  int64_t bytes = 0;
  StoreCounters counters;
};

IndexStore::IndexStore(StoreLimits limits) : state_(std::make_unique<State>(limits)) {}
IndexStore::~IndexStore() = default;

std::shared_ptr<IndexStore> IndexStore::Make(StoreLimits limits) {
  return std::shared_ptr<IndexStore>(new IndexStore(limits));
}

std::vector<Registration> IndexStore::Register(std::span<const IndexKey> keys) {
  std::vector<std::pair<const IndexKey*, std::string>> asked;
  for (const IndexKey& key : keys) asked.emplace_back(&key, key.Text());
  {
    const std::lock_guard lock(state_->mutex);
    state_->counters.refused += static_cast<int64_t>(std::erase_if(asked, [&](const auto& each) {
      return state_->entries.contains(each.second) ||
             !state_->registered.insert(each.second).second;
    }));
  }
  std::vector<Registration> registrations;
  for (auto& [key, text] : asked) {
    registrations.push_back(Registration(shared_from_this(), *key, std::move(text)));
  }
  return registrations;
}

std::optional<Registration> IndexStore::Register(const IndexKey& key) {
  auto registrations = Register(std::span(&key, 1));
  if (registrations.empty()) return std::nullopt;
  return std::move(registrations.front());
}

bool IndexStore::MayMatch(const IndexKey& key, const Predicate& predicate) {
  const std::string text = key.Text();
  std::shared_ptr<const RowGroupIndex> index;
  {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->entries.find(text);
    if (found == state_->entries.end()) return true;
    state_->order.splice(state_->order.begin(), state_->order, found->second);
    index = found->second->stored.index;
    ++state_->counters.hit;
  }
  if (index->MayMatch(predicate)) return true;
  const std::lock_guard lock(state_->mutex);
  ++state_->counters.skipped;
  return false;
}

bool IndexStore::Holds(const IndexKey& key) const {
  const std::string text = key.Text();
  const std::lock_guard lock(state_->mutex);
  return state_->entries.contains(text);
}

void IndexStore::Load(const IndexKey& key, RowGroupIndex index) {
  std::string text = key.Text();
  const std::lock_guard lock(state_->mutex);
  if (state_->Insert(std::move(text), key, std::move(index))) ++state_->counters.loaded;
}

std::vector<StoredIndex> IndexStore::List() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<StoredIndex> all;
  all.reserve(state_->order.size());
  for (const auto& entry : state_->order) all.push_back(entry.stored);
  return all;
}

std::vector<StoredIndex> IndexStore::TakeUnsaved() {
  const std::lock_guard lock(state_->mutex);
  std::vector<StoredIndex> taken;
  for (const std::string& text : state_->unsaved) {
    const auto found = state_->entries.find(text);
    if (found != state_->entries.end()) taken.push_back(found->second->stored);
  }
  state_->unsaved.clear();
  return taken;
}

int64_t IndexStore::Drop(const std::function<bool(const IndexKey&)>& drop) {
  const std::lock_guard lock(state_->mutex);
  int64_t dropped = 0;
  for (auto at = state_->order.begin(); at != state_->order.end();) {
    const auto next = std::next(at);
    if (drop(at->stored.key)) {
      state_->Remove(at);
      ++dropped;
    }
    at = next;
  }
  return dropped;
}

StoreCounters IndexStore::counters() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counters;
}

std::pair<int64_t, int64_t> IndexStore::size() const {
  const std::lock_guard lock(state_->mutex);
  return {static_cast<int64_t>(state_->entries.size()), state_->bytes};
}

void IndexStore::Commit(const std::string& text, IndexKey key, RowGroupIndex index) {
  const std::lock_guard lock(state_->mutex);
  state_->registered.erase(text);
  // Another process's index may have been loaded while this one was built.
  if (!state_->Insert(text, std::move(key), std::move(index))) return;
  state_->unsaved.push_back(text);
  ++state_->counters.built;
}

void IndexStore::Discard(const std::string& text, DiscardReason reason) {
  const std::lock_guard lock(state_->mutex);
  state_->registered.erase(text);
  ++state_->counters.discarded[static_cast<size_t>(reason)];
}

Registration::Registration(std::shared_ptr<IndexStore> store, IndexKey key, std::string text)
    : store_(std::move(store)), key_(std::move(key)), text_(std::move(text)) {}

Registration::Registration(Registration&& other) noexcept = default;

Registration& Registration::operator=(Registration&& other) noexcept {
  if (this != &other) {
    if (store_) store_->Discard(text_, DiscardReason::kStoppedEarly);
    store_ = std::move(other.store_);
    key_ = std::move(other.key_);
    text_ = std::move(other.text_);
  }
  return *this;
}

Registration::~Registration() {
  if (store_) store_->Discard(text_, DiscardReason::kStoppedEarly);
}

void Registration::Commit(RowGroupIndex index) {
  if (const auto store = std::exchange(store_, nullptr)) {
    store->Commit(text_, key_, std::move(index));
  }
}

void Registration::Discard(DiscardReason reason) {
  if (const auto store = std::exchange(store_, nullptr)) store->Discard(text_, reason);
}

}  // namespace ariadne::rowgroup
