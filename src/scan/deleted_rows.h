#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scan/file_scan.h"

namespace ariadne::scan {

/// Rows of one file that are no rows of the lake any more, though the file holds them.
class DeletedRows {
 public:
  /// `rows`: their places in the file, ascending.
  explicit DeletedRows(const std::vector<int64_t>& rows);
  [[nodiscard]] bool Holds(int64_t row) const;

 private:
  std::vector<std::pair<int64_t, int64_t>> runs_;  ///< First row, and the one after the last.
};

using DeletedRowsByUri = std::map<std::string, std::shared_ptr<const DeletedRows>>;

/// Has scans of a set of Parquet files leave rows out: `rows` are places, ascending, by the URI of
/// the file in the set. They go with the set's read options.
void LeaveOut(const std::map<std::string, std::vector<int64_t>>& rows, FileSet* files);
/// What LeaveOut asked for.
DeletedRowsByUri LeftOut(const FileSet& files);

}  // namespace ariadne::scan
