#pragma once

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
  ValueCollector(Domain domain, bool bloom, bool range)
      : bloom_(bloom), range_wanted_(range), range_(domain) {}

  void AddNull() { range_.AddNull(); }
  /// T: int64_t, double or std::string_view, that of the domain.
  template <typename T>
  void Add(T value) {
    if (bloom_) AddHash(HashOf(value));
    if (range_wanted_) range_.Add(value);
  }

  /// Past some ten million distinct values it gives up, and this is true: nothing can be made.
  [[nodiscard]] bool overflowed() const { return overflowed_; }
  /// The index of that kind over all values; `rate`: false positives of a filter. Frees nothing.
  [[nodiscard]] RowGroupIndex Make(Kind kind, int64_t rows, double rate) const;

 private:
  void AddHash(uint64_t hash) {
    // Sorted and clustered columns come in runs.
    if (!hashes_.empty() && hashes_.back() == hash) return;
    hashes_.push_back(hash);
    if (hashes_.size() >= limit_) Compact();
  }
  void Compact();

  static constexpr size_t kFirstLimit = size_t{1} << 21;
  static constexpr size_t kMost = size_t{10} << 20;

  bool bloom_;
  bool range_wanted_;
  bool overflowed_ = false;
  size_t limit_ = kFirstLimit;  ///< Where repeated hashes are dropped.
  std::vector<uint64_t> hashes_;
  ValueRange range_;
};

}  // namespace ariadne::rowgroup
