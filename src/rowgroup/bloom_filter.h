#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ariadne::rowgroup {

/// The split-block bloom filter of the Parquet format (BloomFilter.md): blocks of 32 bytes, a hash
/// sets one bit in each of a block's eight words. The format lets a filter have any number of
/// blocks; writers that round them up to a power of two spend up to twice the bytes.
class BloomFilter {
 public:
  static constexpr int64_t kBlockBytes = 32;

  /// Bytes that `distinct` values need for a false positive rate of `rate` (between 0 and 1,
  /// exclusive): -8 n / ln(1 - rate^(1/8)) bits, rounded up to whole blocks.
  static int64_t SizeFor(int64_t distinct, double rate);

  /// An empty filter of SizeFor's size.
  BloomFilter(int64_t distinct, double rate);
  /// A filter from its bytes. Throws InvalidArgument where they are no whole number of blocks.
  explicit BloomFilter(std::string_view bytes);

  void Insert(std::span<const uint64_t> hashes);
  /// About how many different hashes were inserted, by the share of bits that are not set (linear
  /// counting): to 1% unless the filter was sized for far fewer.
  [[nodiscard]] int64_t EstimateDistinct() const;
  /// False: the hash was never inserted.
  [[nodiscard]] bool MayContain(uint64_t hash) const;

  /// Share of bits that are set, from 0 to 1. A full filter rules nothing out.
  [[nodiscard]] double Fill() const;
  /// Rate of false positives that this fill gives.
  [[nodiscard]] double FalsePositiveRate() const;
  /// The blocks, words little-endian: what a Parquet file holds after the filter's header.
  [[nodiscard]] std::string_view bytes() const;

 private:
  /// Aligned, so that no block lies on two cache lines.
  struct alignas(kBlockBytes) Block {
    uint32_t words[8];
  };
  [[nodiscard]] const Block& BlockOf(uint64_t hash) const;

  std::vector<Block> blocks_;
};

}  // namespace ariadne::rowgroup
