#include "rowgroup/value_collector.h"

#include <algorithm>

#include "rowgroup/distinct_sketch.h"

namespace ariadne::rowgroup {

void ValueCollector::Compact() {
  if (overflowed_) {
    hashes_.clear();
    return;
  }
  std::sort(hashes_.begin(), hashes_.end());
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  if (hashes_.size() > kMost) {
    overflowed_ = true;
    hashes_ = {};
    return;
  }
  limit_ = std::max(kFirstLimit, 2 * hashes_.size());
}

RowGroupIndex ValueCollector::Make(Kind kind, int64_t rows, double rate) const {
  DistinctSketch sketch;
  sketch.Add(hashes_);
  const int64_t distinct = sketch.Estimate();
  if (kind == Kind::kBloom) {
    BloomFilter filter(distinct, rate);
    filter.Insert(hashes_);
    return {.rows = rows, .distinct = distinct, .values = std::move(filter)};
  }
  // As it will be read back: long bounds cut.
  return {.rows = rows, .distinct = distinct, .values = *ValueRange::Decode(range_.Encode())};
}

}  // namespace ariadne::rowgroup
