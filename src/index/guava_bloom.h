#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "index/value_key.h"

namespace ariadne::index {

/// Hash of a token as Guava's filters use it: murmur3 x64 128, seed 0; `low` is the first half of
/// the digest (h1), `high` the second (h2), each read little-endian.
Key128 TokenHash(std::string_view token);

/// A Bloom filter in the bytes of Guava's `BloomFilter.writeTo`: one byte strategy (1), one byte
/// number of hash functions, four bytes big-endian count of words, the words big-endian.
class GuavaBloom {
 public:
  /// Throws InvalidArgument unless 0 < fpr < 1 and one value would need at least one bit.
  static void CheckRate(double fpr, const std::string& column);

  /// An empty filter for `expected` >= 1 values: bits = trunc(-n ln p / ln² 2) rounded up to whole
  /// words, k = max(1, round(-ln p / ln 2)) (Guava's BloomFilter.create).
  GuavaBloom(int64_t expected, double fpr);
  void Put(const Key128& hash);
  [[nodiscard]] std::string Serialize() const;

 private:
  uint32_t functions_;
  std::vector<uint64_t> words_;
};

/// Reads a serialized filter in place.
class GuavaBloomView {
 public:
  /// Empty where the bytes are no filter that can be read: then anything may be in it.
  static std::optional<GuavaBloomView> Parse(std::string_view bytes);
  [[nodiscard]] bool MightContain(const Key128& hash) const;
  /// True where no bit is set: the filter of no value at all, however values were hashed.
  [[nodiscard]] bool IsEmpty() const;

 private:
  uint32_t functions_ = 0;
  uint64_t bits_ = 0;
  const char* words_ = nullptr;
};

}  // namespace ariadne::index
