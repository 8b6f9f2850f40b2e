#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/type_fwd.h>

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
  [[nodiscard]] const std::string& Serialize() const& { return bytes_; }
  /// Without a copy, which of a large file's filter would be a large one.
  [[nodiscard]] std::string Serialize() && { return std::move(bytes_); }

 private:
  uint32_t functions_;
  uint64_t bits_ = 0;
  std::string bytes_;  ///< As serialized, from the beginning.
};

/// A cell of a filter column: a binary array of length 1. Throws InvalidArgument past the 2 GB that
/// one cell can hold.
std::shared_ptr<arrow::Array> FilterCell(std::string serialized);

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
