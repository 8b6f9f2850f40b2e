#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ariadne::scan {

/// Rows of one file, by their places in it: what a scan gives of the file.
class KeptRows {
 public:
  void Add(int64_t row) {
    const auto place = static_cast<size_t>(row);
    if (place >= kept_.size()) kept_.resize(place + 1);
    kept_[place] = true;
  }
  [[nodiscard]] bool Holds(int64_t row) const {
    return static_cast<size_t>(row) < kept_.size() && kept_[static_cast<size_t>(row)];
  }
  /// Leaves what is in both.
  void Intersect(const KeptRows& other) {
    for (size_t row = 0; row < kept_.size(); ++row) {
      if (!other.Holds(static_cast<int64_t>(row))) kept_[row] = false;
    }
  }

 private:
  std::vector<bool> kept_;
};

}  // namespace ariadne::scan
