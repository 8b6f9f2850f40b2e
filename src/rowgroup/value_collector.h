#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rowgroup/row_group_index.h"

namespace ariadne::rowgroup {

/// Memory for the hashes of one collector after another. The system hands out fresh memory a page
/// at a time, which costs as much as half of the hashing. Not thread-safe.
class HashRooms {
 public:
  struct Room {
    std::unique_ptr<uint64_t[]> hashes;
    size_t size = 0;
  };
  /// Of `size` hashes at least, of any content.
  Room Take(size_t size);
  void Give(Room room);

 private:
  std::vector<Room> spare_;
};

/// Gathers the values of one target while a row group is read. A value may come any number of
/// times, in any order; values that are in no row (of a dictionary, say) only cost precision.
/// Not thread-safe.
class ValueCollector {
 public:
  /// `rate`: of false positives of a filter. `expected`: about how many values will come, 0 where
  /// that is not known. `rooms` outlive the collector.
  ValueCollector(Domain domain, Kinds wanted, double rate, HashRooms& rooms, int64_t expected = 0);
  ~ValueCollector();
  ValueCollector(const ValueCollector&) = delete;
  ValueCollector& operator=(const ValueCollector&) = delete;

  [[nodiscard]] bool wants_hashes() const { return wanted_.bloom; }
  [[nodiscard]] bool wants_range() const { return wanted_.range; }

  /// Calls `fill` with room for `count` hashes (HashOf); it returns how many it wrote. Some
  /// thousand at a time are cheapest: they are put into the filter while they are at hand.
  template <typename Fill>
  void AddHashes(size_t count, const Fill& fill) {
    if (held_ + count > room_.size) MakeRoom(count);
    uint64_t* out = room_.hashes.get() + held_;
    const size_t filled = fill(out);
    held_ += filled;
    if (filter_) {
      filter_->Insert({out, filled});
    } else if (held_ >= filter_from_) {
      BeginFilter();
    }
  }
  ValueRange& range() { return range_; }

  /// One value by itself. T: int64_t, double or std::string_view, that of the domain.
  template <typename T>
  void Add(T value) {
    if (wanted_.bloom) {
      AddHashes(1, [&](uint64_t* out) {
        *out = HashOf(value);
        return 1;
      });
    }
    if (wanted_.range) range_.Add(value);
  }
  void AddNull() { range_.AddNull(); }

  /// Past some ten million distinct values it gives up, and this is true: nothing can be made.
  [[nodiscard]] bool overflowed() const { return overflowed_; }
  /// An index of each of the kinds wanted over all values. To be called once.
  [[nodiscard]] std::vector<RowGroupIndex> Make(std::span<const Kind> kinds, int64_t rows);

 private:
  void MakeRoom(size_t count);
  void DropRepeated();
  void BeginFilter();
  /// Of all hashes held.
  [[nodiscard]] BloomFilter FilterOf(int64_t distinct) const;
  /// A filter of the size that the distinct hashes demand, and about how many they are.
  [[nodiscard]] std::pair<BloomFilter, int64_t> SizedFilter();

  Kinds wanted_;
  double rate_;
  bool overflowed_ = false;
  HashRooms& rooms_;
  HashRooms::Room room_;
  size_t held_ = 0;
  size_t expected_ = 0;
  /// Hashes held from which on a filter for as many as are expected is filled besides.
  size_t filter_from_ = std::numeric_limits<size_t>::max();
  std::optional<BloomFilter> filter_;  ///< Holds all so far.
  ValueRange range_;
};

}  // namespace ariadne::rowgroup
