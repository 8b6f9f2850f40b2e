#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "query/row_condition.h"
#include "scan/file_sets.h"

namespace ariadne::sql {

/// What one scan of a table read, and why not less.
struct ScanReport {
  /// One condition that pruned, or did not.
  struct Step {
    std::string phase;  ///< "plan", or "start" for what is known when the scan starts: join keys.
    std::string condition;
    std::string index;   ///< Empty: none was asked.
    std::string reason;  ///< Why it did not prune; empty where it did.
    int64_t files_before = 0;
    int64_t files_after = 0;
  };
  int64_t plan =
      0;  ///< Tells the scans of queries apart: one that is planned and run has one number.
  std::string table;
  /// False: of files that the query names, by `scan('…')` or `delta('…')`. No index is asked, and
  /// `files` are those opened, of a query that was only planned all of them.
  bool of_table = true;
  /// The plan has no such scan any more: the optimizer has proved that it needs no row of it.
  bool left_out = false;
  int64_t total_files = 0;
  int64_t planned_files = 0;  ///< Left when the query was planned.
  int64_t files = 0;          ///< Left when the scan started.
  int64_t unindexed_files = 0;
  std::vector<Step> steps;
  /// What was read of `files`; nullptr where the query was only planned. Counters grow while it
  /// runs.
  std::shared_ptr<const scan::RegisteredSet> read;
};

/// "4/365"
std::string Ratio(int64_t part, int64_t whole);
/// Of a scan that is left out of its query's plan.
ScanReport LeftOut(ScanReport report);
/// A line a step, such as "tailnum = 'N1': 4 of 365 files left by the regular index on tailnum".
std::vector<std::string> Words(const ScanReport& report);

/// The newest scans of a database, oldest first. Thread-safe.
class PruningLog {
 public:
  /// A number for a scan that is being planned.
  int64_t NextPlan();
  /// Of one plan, what was only planned gives way to what was planned later, and to what was run.
  void Add(ScanReport report);
  [[nodiscard]] std::vector<ScanReport> Reports() const;
  void Clear();

 private:
  mutable std::mutex mutex_;
  std::deque<ScanReport> reports_;
  int64_t plans_ = 0;
};

}  // namespace ariadne::sql
