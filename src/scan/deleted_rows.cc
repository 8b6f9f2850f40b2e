#include "scan/deleted_rows.h"

#include <algorithm>
#include <iterator>

namespace ariadne::scan {

DeletedRows::DeletedRows(const std::vector<int64_t>& rows) {
  for (const int64_t row : rows) {
    if (!runs_.empty() && runs_.back().second == row) {
      ++runs_.back().second;
    } else {
      runs_.emplace_back(row, row + 1);
    }
  }
}

bool DeletedRows::Holds(int64_t row) const {
  const auto after = std::upper_bound(
      runs_.begin(), runs_.end(), row,
      [](int64_t place, const std::pair<int64_t, int64_t>& run) { return place < run.first; });
  return after != runs_.begin() && row < std::prev(after)->second;
}

}  // namespace ariadne::scan
