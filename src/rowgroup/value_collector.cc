#include "rowgroup/value_collector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ariadne::rowgroup {
namespace {

/// Hashes from which on repeated ones are dropped before room is made for more.
constexpr size_t kMany = size_t{1} << 21;
constexpr size_t kMost = size_t{10} << 20;

/// How many values to make room for.
size_t FirstRoom(int64_t expected) {
  // Dictionaries have a NULL besides, and what comes at once is asked room for as a whole.
  constexpr size_t kSlack = 4096;
  return std::min(static_cast<size_t>(std::max<int64_t>(expected, 0)) + kSlack, kMany);
}

}  // namespace

HashRooms::Room HashRooms::Take(size_t size) {
  Room room;
  if (!spare_.empty()) {
    room = std::move(spare_.back());
    spare_.pop_back();
  }
  if (room.size < size) room = {std::make_unique_for_overwrite<uint64_t[]>(size), size};
  return room;
}

void HashRooms::Give(Room room) {
  if (room.size > 0) spare_.push_back(std::move(room));
}

ValueCollector::ValueCollector(Domain domain, Kinds wanted, double rate, HashRooms& rooms,
                               int64_t expected)
    : wanted_(wanted), rate_(rate), rooms_(rooms), range_(domain) {
  if (!wanted.bloom) return;
  room_ = rooms.Take(FirstRoom(expected));
  if (expected > 0) {
    expected_ = std::min(static_cast<size_t>(expected), kMost);
    filter_from_ = (expected_ + 1) / 2;
  }
}

ValueCollector::~ValueCollector() { rooms_.Give(std::move(room_)); }

void ValueCollector::MakeRoom(size_t count) {
  if (held_ >= kMany) DropRepeated();
  const size_t wanted = held_ + count;
  if (wanted <= room_.size && held_ < room_.size / 2) return;
  HashRooms::Room larger = rooms_.Take(std::max(wanted, 2 * held_));
  std::copy_n(room_.hashes.get(), held_, larger.hashes.get());
  room_ = std::move(larger);
}

void ValueCollector::DropRepeated() {
  uint64_t* begin = room_.hashes.get();
  std::sort(begin, begin + held_);
  held_ = static_cast<size_t>(std::unique(begin, begin + held_) - begin);
  overflowed_ = overflowed_ || held_ > kMost;
  if (overflowed_) held_ = 0;
}

void ValueCollector::BeginFilter() {
  filter_ = FilterOf(static_cast<int64_t>(expected_));
  filter_from_ = std::numeric_limits<size_t>::max();
}

BloomFilter ValueCollector::FilterOf(int64_t distinct) const {
  BloomFilter filter(distinct, rate_);
  filter.Insert({room_.hashes.get(), held_});
  return filter;
}

std::pair<BloomFilter, int64_t> ValueCollector::SizedFilter() {
  const auto held = static_cast<int64_t>(held_);
  // Most often nearly all are distinct, and one pass will do: the filter counts what it holds.
  BloomFilter filter = filter_ ? *std::move(filter_) : FilterOf(held);
  const int64_t distinct = std::min(filter.EstimateDistinct(), held);
  const auto size = static_cast<int64_t>(filter.bytes().size());
  if (10 * std::abs(BloomFilter::SizeFor(distinct, rate_) - size) > size) {
    filter = FilterOf(distinct);
  }
  return {std::move(filter), distinct};
}

std::vector<RowGroupIndex> ValueCollector::Make(std::span<const Kind> kinds, int64_t rows) {
  std::optional<std::pair<BloomFilter, int64_t>> counted;
  if (wanted_.bloom) counted = SizedFilter();
  std::vector<RowGroupIndex> made;
  for (const Kind kind : kinds) {
    // As it will be read back: long bounds cut.
    made.push_back({rows, std::nullopt, *ValueRange::Decode(range_.Encode())});
    if (counted) made.back().distinct = counted->second;
    if (kind == Kind::kBloom) made.back().values = std::move(counted->first);
  }
  return made;
}

}  // namespace ariadne::rowgroup
