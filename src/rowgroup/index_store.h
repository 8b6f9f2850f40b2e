#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rowgroup/index_key.h"
#include "rowgroup/predicate.h"
#include "rowgroup/row_group_index.h"

namespace ariadne::rowgroup {

/// What a store may hold; whichever is reached first. 0: unbounded.
struct StoreLimits {
  int64_t entries = 0;
  int64_t bytes = int64_t{256} << 20;
};

/// Why the values of a row group were thrown away.
enum class DiscardReason : uint8_t {
  kStoppedEarly,   ///< The task ended before its last row: LIMIT, cancel, an error elsewhere.
  kFailed,         ///< Reading or evaluating failed.
  kRowsSkipped,    ///< Some rows never reached the observer.
  kFileChanged,    ///< The file is not the one that was registered any more.
  kTooManyValues,  ///< More distinct values than a filter is worth.
  kCount,
};
/// "stopped early", "failed", "rows skipped", "file changed", "too many values".
const char* ToString(DiscardReason reason);

struct StoreCounters {
  int64_t built = 0;
  std::array<int64_t, static_cast<size_t>(DiscardReason::kCount)> discarded{};
  int64_t refused = 0;  ///< Registrations of what another task builds or has built.
  int64_t hit = 0;      ///< Questions that met an index.
  int64_t skipped = 0;  ///< Questions that an index answered with "no".
  int64_t loaded = 0;   ///< Indexes that came from elsewhere.
  int64_t evicted = 0;
};

struct StoredIndex {
  IndexKey key;
  std::shared_ptr<const RowGroupIndex> index;
};

class Registration;

/// The indexes that one process knows, least recently asked out first. What is not in it is
/// "maybe". Thread-safe; tasks may outlive the caller's handle, so it lives in a shared_ptr.
class IndexStore : public std::enable_shared_from_this<IndexStore> {
 public:
  static std::shared_ptr<IndexStore> Make(StoreLimits limits = {});
  ~IndexStore();
  IndexStore(const IndexStore&) = delete;
  IndexStore& operator=(const IndexStore&) = delete;

  /// The right to build an index; only who holds it can put one in. nullopt: it is there already,
  /// or another task builds it.
  std::optional<Registration> Register(const IndexKey& key);
  /// The same for keys of one target at once, so that two tasks do not share them out and each read
  /// all values: those that were free.
  std::vector<Registration> Register(std::span<const IndexKey> keys);

  /// False: an index says that no row matches. True: maybe.
  bool MayMatch(const IndexKey& key, const Predicate& predicate);
  /// Whether there is an index of that key, without touching its place in the order.
  [[nodiscard]] bool Holds(const IndexKey& key) const;

  /// Takes an index that was built elsewhere, unless there is one already: the first writer wins.
  void Load(const IndexKey& key, RowGroupIndex index);
  /// Everything held, most recently asked first.
  [[nodiscard]] std::vector<StoredIndex> List() const;
  /// What was built here since the last call and is still held.
  std::vector<StoredIndex> TakeUnsaved();
  /// Removes the indexes of which `drop` is true; returns how many.
  int64_t Drop(const std::function<bool(const IndexKey&)>& drop);

  [[nodiscard]] StoreCounters counters() const;
  /// Held now: indexes, and bytes with their keys.
  [[nodiscard]] std::pair<int64_t, int64_t> size() const;

 private:
  friend class Registration;
  explicit IndexStore(StoreLimits limits);
  void Commit(const std::string& text, IndexKey key, RowGroupIndex index);
  void Discard(const std::string& text, DiscardReason reason);

  struct State;
  std::unique_ptr<State> state_;
};

/// A task's right to build one index. Dropped without Commit or Discard, nothing was built, and
/// another task may register.
class Registration {
 public:
  Registration(Registration&& other) noexcept;
  Registration& operator=(Registration&& other) noexcept;
  ~Registration();

  [[nodiscard]] const IndexKey& key() const { return key_; }
  /// Makes the index known to every query. Only for an index of every row of the row group.
  void Commit(RowGroupIndex index);
  void Discard(DiscardReason reason);

 private:
  friend class IndexStore;
  Registration(std::shared_ptr<IndexStore> store, IndexKey key, std::string text);

  std::shared_ptr<IndexStore> store_;  ///< nullptr: used up.
  IndexKey key_;
  std::string text_;
};

}  // namespace ariadne::rowgroup
