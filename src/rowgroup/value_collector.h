#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "rowgroup/row_group_index.h"

namespace ariadne::rowgroup {

/// Gathers the values of one target while a row group is read. A value may come any number of
/// times, in any order; values that are in no row (of a dictionary, say) only cost precision.
/// Not thread-safe.
class ValueCollector {
 public:
  /// `expected`: about how many values will come.
  ValueCollector(Domain domain, bool bloom, bool range, int64_t expected = 0)
      : bloom_(bloom), range_wanted_(range), range_(domain) {
    if (bloom) hashes_.reserve(static_cast<size_t>(std::clamp<int64_t>(expected, 0, kMost)));
  }

  [[nodiscard]] bool wants_hashes() const { return bloom_; }
  [[nodiscard]] bool wants_range() const { return range_wanted_; }

  /// Calls `fill` with room for `count` hashes (HashOf); it returns how many it wrote.
  template <typename Fill>
  void AddHashes(size_t count, const Fill& fill) {
    const size_t before = hashes_.size();
    // Appending without the zeroes: `count` is a vector's length, so the copy stays in the cache.
    scratch_.resize(std::max(scratch_.size(), count));
    const size_t filled = fill(scratch_.data());
    hashes_.insert(hashes_.end(), scratch_.data(), scratch_.data() + filled);
    if (before + filled >= limit_) Compact();
  }
  ValueRange& range() { return range_; }

  /// One value by itself. T: int64_t, double or std::string_view, that of the domain.
  template <typename T>
  void Add(T value) {
    if (bloom_) {
      AddHashes(1, [&](uint64_t* out) {
        *out = HashOf(value);
        return 1;
      });
    }
    if (range_wanted_) range_.Add(value);
  }
  void AddNull() { range_.AddNull(); }

  /// Past some ten million distinct values it gives up, and this is true: nothing can be made.
  [[nodiscard]] bool overflowed() const { return overflowed_; }
  /// The index of that kind over all values; `rate`: false positives of a filter. Frees nothing.
  [[nodiscard]] RowGroupIndex Make(Kind kind, int64_t rows, double rate) const;

 private:
  void Compact();

  static constexpr size_t kFirstLimit = size_t{1} << 21;
  static constexpr int64_t kMost = int64_t{10} << 20;

  bool bloom_;
  bool range_wanted_;
  bool overflowed_ = false;
  size_t limit_ = kFirstLimit;  ///< Where repeated hashes are dropped.
  std::vector<uint64_t> hashes_;
  std::vector<uint64_t> scratch_;
  ValueRange range_;
};

}  // namespace ariadne::rowgroup
