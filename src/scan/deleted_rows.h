#pragma once

#include <cstdint>
#include <utility>
#include <vector>

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

}  // namespace ariadne::scan
