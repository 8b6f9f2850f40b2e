#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rowgroup/row_group_index.h"

namespace ariadne::rowgroup {

/// Gathers the values of one target while a row group is read. A value may come any number of
/// times, in any order; values that are in no row (of a dictionary, say) only cost precision.
/// Not thread-safe.
class ValueCollector {
 public:
  /// `expected`: about how many values will come.
  ValueCollector(Domain domain, bool bloom, bool range, int64_t expected = 0);

  [[nodiscard]] bool wants_hashes() const { return bloom_; }
  [[nodiscard]] bool wants_range() const { return range_wanted_; }

  /// Calls `fill` with room for `count` hashes (HashOf); it returns how many it wrote.
  template <typename Fill>
  void AddHashes(size_t count, const Fill& fill) {
    if (held_ + count > room_) MakeRoom(count);
    held_ += fill(hashes_.get() + held_);
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
  /// An index of each kind over all values; `rate`: false positives of a filter. Frees nothing.
  /// Distinct values are counted where hashes are wanted.
  [[nodiscard]] std::vector<RowGroupIndex> Make(std::span<const Kind> kinds, int64_t rows,
                                                double rate) const;

 private:
  void MakeRoom(size_t count);
  void DropRepeated();
  [[nodiscard]] std::span<const uint64_t> hashes() const { return {hashes_.get(), held_}; }

  bool bloom_;
  bool range_wanted_;
  bool overflowed_ = false;
  std::unique_ptr<uint64_t[]> hashes_;
  size_t room_ = 0;
  size_t held_ = 0;
  ValueRange range_;
};

}  // namespace ariadne::rowgroup
