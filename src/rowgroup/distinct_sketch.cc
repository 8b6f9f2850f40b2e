#include "rowgroup/distinct_sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ariadne::rowgroup {
namespace {

/// Correction for registers that were never set; `x` is their share.
double Sigma(double x) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double weight = 1;
  double sum = x;
  for (double before = -1; before != sum;) {
    x *= x;
    before = sum;
    sum += x * weight;
    weight += weight;
  }
  return sum;
}

/// Correction for saturated registers; `x` is the share of the others.
double Tau(double x) {
  if (x == 0 || x == 1) return 0;
  double weight = 1;
  double sum = 1 - x;
  for (double before = -1; before != sum;) {
    x = std::sqrt(x);
    before = sum;
    weight /= 2;
    sum -= (1 - x) * (1 - x) * weight;
  }
  return sum / 3;
}

}  // namespace

void DistinctSketch::Add(std::span<const uint64_t> hashes) {
  constexpr uint64_t kSentinel = uint64_t{1} << (kIndexBits - 1);
  for (const uint64_t hash : hashes) {
    const auto rank = static_cast<uint8_t>(std::countl_zero((hash << kIndexBits) | kSentinel) + 1);
    uint8_t& held = registers_[hash >> (64 - kIndexBits)];
    held = std::max(held, rank);
  }
}

int64_t DistinctSketch::Estimate() const {
  constexpr int kRanks = 64 - kIndexBits;
  std::array<int, kRanks + 2> counts{};
  for (const uint8_t rank : registers_) ++counts[rank];
  const auto m = static_cast<double>(registers_.size());
  double z = m * Tau(1 - counts[kRanks + 1] / m);
  for (int rank = kRanks; rank >= 1; --rank) z = (z + counts[rank]) / 2;
  z += m * Sigma(counts[0] / m);
  const double alpha = 0.5 / std::log(2.0);
  return std::llround(alpha * m * m / z);
}

}  // namespace ariadne::rowgroup
