#include "scan/deleted_rows.h"

#include <algorithm>
#include <cstring>

namespace ariadne::scan {

namespace {

/// A read option a file, its value the places as native 64-bit integers end to end.
constexpr char kOption[] = "deletedRows:";

}  // namespace

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

void LeaveOut(const std::map<std::string, std::vector<int64_t>>& rows, FileSet* files) {
  for (const auto& [uri, places] : rows) {
    std::string value(places.size() * sizeof(int64_t), '\0');
    std::memcpy(value.data(), places.data(), value.size());
    files->read_options.emplace_back(kOption + uri, std::move(value));
  }
}

DeletedRowsByUri LeftOut(const FileSet& files) {
  DeletedRowsByUri rows;
  for (const auto& [name, value] : files.read_options) {
    if (!name.starts_with(kOption)) continue;
    std::vector<int64_t> places(value.size() / sizeof(int64_t));
    std::memcpy(places.data(), value.data(), places.size() * sizeof(int64_t));
    rows.emplace(name.substr(std::strlen(kOption)), std::make_shared<const DeletedRows>(places));
  }
  return rows;
}

}  // namespace ariadne::scan
