#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "index/spill_partitions.h"
#include "index/value_key.h"

namespace ariadne::index {

/// Mixes a key into a hash whose top and bottom bits are both good (the finalizer of murmur3).
inline uint64_t MixKey(uint64_t key) {
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdULL;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53ULL;
  return key ^ (key >> 33);
}
inline uint64_t MixKey(const Key128& key) {
  return MixKey(key.low ^ MixKey(key.high + 0x9e3779b97f4a7c15ULL));
}

/// Slots of a table that has outgrown `slots`: small ones grow fast, so that little is moved twice.
inline size_t NextTableSize(size_t slots) {
  return slots == 0 ? 64 : slots * (slots < (size_t{1} << 16) ? 4 : 2);
}

/// A set of fixed-width keys in one flat table, linear probing, at most half full.
template <typename Key>
class KeySet {
 public:
  /// True if the key was not there.
  bool Insert(const Key& key) {
    if (key == Key{}) return std::exchange(has_zero_, true) == false;
    if (2 * (used_ + 1) > slots_.size()) Grow();
    for (size_t at = MixKey(key) & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == key) return false;
      if (slots_[at] == Key{}) {
        slots_[at] = key;
        ++used_;
        return true;
      }
    }
  }
  [[nodiscard]] bool Contains(const Key& key) const {
    if (key == Key{}) return has_zero_;
    if (slots_.empty()) return false;
    for (size_t at = MixKey(key) & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == key) return true;
      if (slots_[at] == Key{}) return false;
    }
  }
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(used_) + (has_zero_ ? 1 : 0); }
  [[nodiscard]] int64_t memory_bytes() const {
    return static_cast<int64_t>(slots_.capacity() * sizeof(Key));
  }
  /// Most memory that inserting so many more may take for a moment, the table that is outgrown
  /// included.
  [[nodiscard]] int64_t BytesToInsert(int64_t keys) const {
    size_t bytes = slots_.capacity();
    for (size_t slots = slots_.size(); 2 * (used_ + keys) > slots;) {
      bytes = slots + NextTableSize(slots);
      slots = NextTableSize(slots);
    }
    return static_cast<int64_t>(bytes * sizeof(Key));
  }
  template <typename Visit>
  void ForEach(Visit visit) const {
    if (has_zero_) visit(Key{});
    for (const Key& key : slots_) {
      if (key != Key{}) visit(key);
    }
  }
  void Clear() {
    std::vector<Key>().swap(slots_);  // gives the memory back
    used_ = 0;
    has_zero_ = false;
  }

  /// Moves the keys to `spill`.
  void SpillTo(SpillPartitions* spill) {
    ForEach([spill](const Key& key) {
      spill->Add(MixKey(key), {{reinterpret_cast<const char*>(&key), sizeof(Key)}});
    });
    Clear();
  }
  void InsertRun(std::string_view run) {
    for (size_t at = 0; at + sizeof(Key) <= run.size(); at += sizeof(Key)) {
      Key key;
      std::memcpy(&key, run.data() + at, sizeof(Key));
      Insert(key);
    }
  }

 private:
  void Grow() {
    std::vector<Key> old(NextTableSize(slots_.size()));
    old.swap(slots_);
    used_ = 0;
    for (const Key& key : old) {
      if (key != Key{}) Insert(key);
    }
  }

  std::vector<Key> slots_;  // Key{} marks an empty one
  size_t used_ = 0;
  bool has_zero_ = false;
};

}  // namespace ariadne::index
