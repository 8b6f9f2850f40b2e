#include "rowgroup/value_collector.h"

#include <algorithm>
#include <utility>

namespace ariadne::rowgroup {
namespace {

/// Hashes from which on repeated ones are dropped before room is made for more.
constexpr size_t kMany = size_t{1} << 21;
constexpr size_t kMost = size_t{10} << 20;

/// A filter of the size that the distinct hashes demand, and about how many they are.
std::pair<BloomFilter, int64_t> FilterOf(std::span<const uint64_t> hashes, double rate) {
  // Most often nearly all are distinct, and one pass will do: the filter counts what it holds.
  const auto count = static_cast<int64_t>(hashes.size());
  BloomFilter filter(count, rate);
  filter.Insert(hashes);
  const int64_t distinct = std::min(filter.EstimateDistinct(), count);
  if (10 * BloomFilter::SizeFor(distinct, rate) < 9 * BloomFilter::SizeFor(count, rate)) {
    filter = BloomFilter(distinct, rate);
    filter.Insert(hashes);
  }
  return {std::move(filter), distinct};
}

}  // namespace

ValueCollector::ValueCollector(Domain domain, bool bloom, bool range, int64_t expected)
    : bloom_(bloom), range_wanted_(range), range_(domain) {
  // Dictionaries have a NULL besides, and what comes at once is asked room for as a whole.
  constexpr size_t kSlack = 4096;
  if (bloom) {
    MakeRoom(std::min(static_cast<size_t>(std::max<int64_t>(expected, 0)) + kSlack, kMany));
  }
}

void ValueCollector::MakeRoom(size_t count) {
  if (held_ >= kMany) DropRepeated();
  const size_t wanted = held_ + count;
  if (wanted <= room_ && held_ < room_ / 2) return;
  room_ = std::max(wanted, 2 * held_);
  auto larger = std::make_unique_for_overwrite<uint64_t[]>(room_);
  std::copy_n(hashes_.get(), held_, larger.get());
  hashes_ = std::move(larger);
}

void ValueCollector::DropRepeated() {
  std::sort(hashes_.get(), hashes_.get() + held_);
  const auto* end = std::unique(hashes_.get(), hashes_.get() + held_);
  held_ = static_cast<size_t>(end - hashes_.get());
  overflowed_ = overflowed_ || held_ > kMost;
  if (overflowed_) held_ = 0;
}

std::vector<RowGroupIndex> ValueCollector::Make(std::span<const Kind> kinds, int64_t rows,
                                                double rate) const {
  auto counted = FilterOf(hashes(), rate);
  std::vector<RowGroupIndex> made;
  for (const Kind kind : kinds) {
    // As it will be read back: long bounds cut.
    made.push_back({rows, counted.second, *ValueRange::Decode(range_.Encode())});
    if (kind == Kind::kBloom) made.back().values = std::move(counted.first);
  }
  return made;
}

}  // namespace ariadne::rowgroup
