#include "index/byte_set.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "index/byte_order_sort.h"
#include "index/key_set.h"

namespace ariadne::index {
namespace {

uint64_t HashOf(std::string_view value) { return XXH3_64bits(value.data(), value.size()); }

/// Elements that a vector has room for, while it is grown to `size`.
size_t GrowthOf(size_t capacity, size_t size) {
  return size <= capacity ? capacity : capacity + std::max(2 * capacity, size);
}

}  // namespace

std::pair<uint32_t, bool> ByteSet::Place(std::string_view value) {
  if (2 * (ends_.size() + 1) > slots_.size()) Grow();
  const auto hash = static_cast<uint32_t>(HashOf(value));
  const size_t mask = slots_.size() - 1;
  for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const Slot& found = slots_[slot];
    if (found.position_plus_1 == 0) {
      arena_.append(value);
      ends_.push_back(arena_.size());
      slots_[slot] = {hash, static_cast<uint32_t>(ends_.size())};
      return {static_cast<uint32_t>(ends_.size() - 1), true};
    }
    if (found.hash == hash && at(found.position_plus_1 - 1) == value) {
      return {found.position_plus_1 - 1, false};
    }
  }
}

bool ByteSet::Contains(std::string_view value) const {
  if (slots_.empty()) return false;
  const auto hash = static_cast<uint32_t>(HashOf(value));
  const size_t mask = slots_.size() - 1;
  for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const Slot& found = slots_[slot];
    if (found.position_plus_1 == 0) return false;
    if (found.hash == hash && at(found.position_plus_1 - 1) == value) return true;
  }
}

void ByteSet::Grow() {
  std::vector<Slot> old(NextTableSize(slots_.size()));
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.position_plus_1 == 0) continue;
    size_t to = slot.hash & mask;
    while (slots_[to].position_plus_1 != 0) to = (to + 1) & mask;
    slots_[to] = slot;
  }
}

int64_t ByteSet::memory_bytes() const {
  return static_cast<int64_t>(arena_.capacity() + ends_.capacity() * sizeof(uint64_t) +
                              slots_.capacity() * sizeof(Slot));
}

int64_t ByteSet::BytesToInsert(int64_t values, int64_t bytes) const {
  const size_t count = ends_.size() + static_cast<size_t>(values);
  size_t slots = slots_.size();
  size_t total = slots;
  while (2 * count > slots) {
    total = slots + NextTableSize(slots);
    slots = NextTableSize(slots);
  }
  return static_cast<int64_t>(total * sizeof(Slot) +
                              GrowthOf(ends_.capacity(), count) * sizeof(uint64_t) +
                              GrowthOf(arena_.capacity(), arena_.size() + bytes));
}

std::vector<uint32_t> ByteSet::SortedOrder() const { return ByteOrder(arena_, ends_); }

void ByteSet::Clear() {
  // Swapping with empty ones gives the memory back, which clear() would not.
  std::string().swap(arena_);
  std::vector<uint64_t>().swap(ends_);
  std::vector<Slot>().swap(slots_);
}

void ByteSet::SpillTo(SpillPartitions* spill) {
  for (size_t i = 0; i < ends_.size(); ++i) {
    const std::string_view value = at(i);
    const auto length = static_cast<uint32_t>(value.size());
    spill->Add(HashOf(value), {{reinterpret_cast<const char*>(&length), sizeof(length)}, value});
  }
  Clear();
}

void ByteSet::InsertRun(std::string_view run) {
  while (!run.empty()) {
    uint32_t length = 0;
    std::memcpy(&length, run.data(), sizeof(length));
    Insert(run.substr(sizeof(length), length));
    run.remove_prefix(sizeof(length) + length);
  }
}

}  // namespace ariadne::index
