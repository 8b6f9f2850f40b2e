#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "index/spill_partitions.h"

namespace ariadne::index {

/// A set of byte strings, laid end to end in one arena behind a flat table of 32-bit hashes.
class ByteSet {
 public:
  /// True if the value was not there.
  bool Insert(std::string_view value) { return Place(value).second; }
  /// Inserts the value where it is not there; its place in the order of insertion, and whether it
  /// is new.
  std::pair<uint32_t, bool> Place(std::string_view value);
  [[nodiscard]] bool Contains(std::string_view value) const;

  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(ends_.size()); }
  [[nodiscard]] int64_t memory_bytes() const;
  /// Most memory that inserting so many more values of so many bytes may take for a moment, what is
  /// outgrown included.
  [[nodiscard]] int64_t BytesToInsert(int64_t values, int64_t bytes) const;
  /// Sum of the lengths, in bytes.
  [[nodiscard]] int64_t arena_bytes() const { return static_cast<int64_t>(arena_.size()); }
  /// The i-th value in order of insertion; valid until the next change.
  [[nodiscard]] std::string_view at(size_t i) const {
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {arena_.data() + begin, ends_[i] - begin};
  }
  /// Positions of the values in the order of their unsigned bytes.
  [[nodiscard]] std::vector<uint32_t> SortedOrder() const;
  void Clear();

  /// Moves the values to `spill`.
  void SpillTo(SpillPartitions* spill);
  /// Inserts values that SpillTo moved.
  void InsertRun(std::string_view run);

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t position_plus_1 = 0;  // 0: empty
  };
  void Grow();

  std::string arena_;
  std::vector<uint64_t> ends_;
  std::vector<Slot> slots_;
};

}  // namespace ariadne::index
