#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "scan/file_scan.h"
#include "scan/kept_rows.h"
#include "scan/row_group_indexing.h"

namespace ariadne::scan {

/// A file set that SQL can name, with what its scans have read so far. Counters only grow.
struct RegisteredSet {
  std::shared_ptr<const FileSet> files;
  std::shared_ptr<const RowGroupIndexing> indexing;  ///< nullptr: off.
  /// Of each Parquet file the rows that its scan gives, nullptr: none; empty: all rows of all
  /// files.
  std::vector<std::shared_ptr<const KeptRows>> kept_rows;
  std::atomic<int64_t> files_opened{0};
  std::atomic<int64_t> row_groups_found{0};  ///< In the files opened.
  std::atomic<int64_t> row_groups_read{0};
  std::atomic<int64_t> row_groups_skipped_by_statistics{0};
  std::atomic<int64_t> row_groups_skipped_by_bloom_filter{0};  ///< One of the file's own.
  std::atomic<int64_t> row_groups_skipped_by_index{0};
  std::atomic<int64_t> rows_read{0};
  /// Called as a scan of the set begins; empty: nobody wants to know.
  std::function<void(const std::shared_ptr<const RegisteredSet>&)> on_scan;
  /// Called as a query that names the set is explained: whether its plan reads the set. Empty:
  /// nobody wants to know.
  std::function<void(bool)> on_explain;

  /// How many row groups of the files that were opened were read, and what ruled out the others, as
  /// pairs of a title and a number: for people.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> RowGroupsInWords() const;

  /// Whether row-group indexes are built of what is read: some are wanted, and the set is not too
  /// small. A file of unknown size counts for nothing.
  [[nodiscard]] bool BuildsIndexes() const;
};

/// The file sets of one database, by name. Thread-safe.
class FileSets {
 public:
  /// `indexing`: of scans of all sets.
  explicit FileSets(std::shared_ptr<const RowGroupIndexing> indexing = nullptr)
      : indexing_(std::move(indexing)) {}

  /// Replaces a set of that name; scans that run keep theirs. Throws SchemaMismatch where two
  /// columns differ by case only, since SQL could not tell them apart.
  void Put(const std::string& name, std::shared_ptr<const FileSet> files,
           std::function<void(const std::shared_ptr<const RegisteredSet>&)> on_scan = {},
           std::function<void(bool)> on_explain = {});
  void Remove(const std::string& name);
  /// nullptr: no such set.
  [[nodiscard]] std::shared_ptr<RegisteredSet> Find(const std::string& name) const;
  /// Throws InvalidArgument for a name that was never registered.
  [[nodiscard]] ScanMetrics Metrics(const std::string& name) const;

 private:
  const std::shared_ptr<const RowGroupIndexing> indexing_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<RegisteredSet>> sets_;
};

}  // namespace ariadne::scan
