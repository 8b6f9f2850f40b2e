#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "index/spill_file.h"

namespace ariadne::index {

/// An external merge sort of distinct keys with payloads: sorted runs in a nameless local file, a
/// block of each in memory while they are merged.
class SortedRuns {
 public:
  using Visit = std::function<void(std::string_view key, std::string_view payload)>;

  /// `folder`: as SpillFile's. `memory_bytes`: what the blocks of all runs may take together;
  /// `expected_runs`: how many those are.
  SortedRuns(const std::string& folder, int64_t memory_bytes, int expected_runs);
  /// What is added from now on ascends (by unsigned bytes) again.
  void BeginRun();
  void Add(std::string_view key, std::string_view payload = {});
  /// All keys of all runs, ascending. Throws StorageError.
  void Merge(const Visit& visit);

 private:
  void EndBlock();

  SpillFile file_;
  size_t block_bytes_;
  std::string block_;
  std::vector<std::vector<SpillRun>> runs_;  ///< Blocks of each run.
};

}  // namespace ariadne::index
