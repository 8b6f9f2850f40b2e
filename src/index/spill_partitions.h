#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "index/spill_file.h"

namespace ariadne::index {

/// Entries in a spill file, cut into partitions by hash: equal values meet in one partition, and
/// one at a time is small enough to be held.
class SpillPartitions {
 public:
  static constexpr int kPartitions = 256;

  /// `folder`: as SpillFile's.
  explicit SpillPartitions(std::string folder) : file_(std::move(folder)) {}

  /// Adds an entry, its pieces one after the other, to the partition of the hash's upper bits.
  /// Throws StorageError.
  void Add(uint64_t hash, std::initializer_list<std::string_view> pieces);
  /// Calls `visit` with runs of whole entries, in the order in which they were added.
  void Read(int partition, const std::function<void(std::string_view)>& visit) const;

 private:
  struct Partition {
    std::vector<SpillRun> runs;
    std::string last;  ///< Not written yet.
  };
  SpillFile file_;
  std::array<Partition, kPartitions> partitions_;
};

}  // namespace ariadne::index
