#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "scan/file_scan.h"

namespace ariadne::scan {

/// A file set that SQL can name, with what its scans have read so far. Counters only grow.
struct RegisteredSet {
  std::shared_ptr<const FileSet> files;
  std::atomic<int64_t> files_opened{0};
  std::atomic<int64_t> row_groups_found{0};  ///< In the files opened.
  std::atomic<int64_t> row_groups_read{0};
  std::atomic<int64_t> row_groups_skipped{0};
  std::atomic<int64_t> rows_read{0};
};

/// The file sets of one database, by name. Thread-safe.
class FileSets {
 public:
  /// Replaces a set of that name; scans that run keep theirs. Throws SchemaMismatch where two
  /// columns differ by case only, since SQL could not tell them apart.
  void Put(const std::string& name, std::shared_ptr<const FileSet> files);
  void Remove(const std::string& name);
  /// nullptr: no such set.
  [[nodiscard]] std::shared_ptr<RegisteredSet> Find(const std::string& name) const;
  /// Throws InvalidArgument for a name that was never registered.
  [[nodiscard]] ScanMetrics Metrics(const std::string& name) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<RegisteredSet>> sets_;
};

}  // namespace ariadne::scan
