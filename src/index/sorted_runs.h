#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "index/spill_file.h"

namespace ariadne::index {

/// An external merge sort of distinct keys with payloads: sorted runs in a nameless local file, a
/// block of each in memory while they are merged.
class SortedRuns {
 public:
  using Visit = std::function<void(std::string_view key, std::string_view payload)>;

  /// `folder`: as SpillFile's.
  explicit SortedRuns(const std::string& folder) : file_(folder) {}
  /// What is added from now on ascends (by unsigned bytes) again.
  void BeginRun();
  void Add(std::string_view key, std::string_view payload = {});
  /// All keys of all runs, ascending. Throws StorageError.
  void Merge(const Visit& visit);

 private:
  void Flush();

  SpillFile file_;
  int run_ = -1;
  std::string block_;
};

}  // namespace ariadne::index
