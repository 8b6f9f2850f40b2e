#include "rowgroup/bloom_filter.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "ariadne/errors.h"

namespace ariadne::rowgroup {
namespace {

static_assert(std::endian::native == std::endian::little, "words are kept as the format has them");

constexpr size_t kBlockWords = 8;
constexpr double kWordBits = 32;

/// The odd constants of the format, one a word.
constexpr uint32_t kSalts[kBlockWords] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                          0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};

/// The upper half of the hash chooses the block, the lower half the bits.
size_t PlaceOf(uint64_t hash, size_t blocks) {
  return static_cast<size_t>(((hash >> 32) * blocks) >> 32);
}
uint32_t BitOf(uint64_t hash, size_t word) {
  return 1U << ((static_cast<uint32_t>(hash) * kSalts[word]) >> 27);
}

/// Of the first `of_block` words of each block. Inlined into functions for what the machine can do.
[[gnu::always_inline]] inline int64_t CountBitsOf(const uint32_t* words, size_t blocks,
                                                  size_t of_block) {
  int64_t set = 0;
  for (size_t block = 0; block < blocks; ++block, words += kBlockWords) {
    for (size_t i = 0; i < of_block; ++i) set += std::popcount(words[i]);
  }
  return set;
}

void SetBits(std::span<const uint64_t> hashes, uint32_t* words, size_t blocks) {
  for (const uint64_t hash : hashes) {
    uint32_t* block = words + PlaceOf(hash, blocks) * kBlockWords;
    for (size_t i = 0; i < kBlockWords; ++i) block[i] |= BitOf(hash, i);
  }
}

#ifdef __x86_64__
/// The bits of all words of a block at once, and where the block is.
struct Wide {
  __m256i bits;
  __m256i* block;
};
[[gnu::target("avx2"), gnu::always_inline]] inline Wide WideOf(uint64_t hash, uint32_t* words,
                                                               size_t blocks) {
  const __m256i salts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kSalts));
  const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int32_t>(hash)), salts);
  return {_mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27)),
          reinterpret_cast<__m256i*>(words + PlaceOf(hash, blocks) * kBlockWords)};
}
[[gnu::target("avx2"), gnu::always_inline]] inline void Set(const Wide& wide) {
  _mm256_storeu_si256(wide.block, _mm256_or_si256(_mm256_loadu_si256(wide.block), wide.bits));
}

[[gnu::target("avx2")]] void SetBitsWide(std::span<const uint64_t> hashes, uint32_t* words,
                                         size_t blocks) {
  // The next hashes are not read behind stores that might change them: a tenth to a fifth faster.
  constexpr size_t kAtOnce = 4;
  size_t next = 0;
  for (; next + kAtOnce <= hashes.size(); next += kAtOnce) {
    Wide wide[kAtOnce];
    for (size_t i = 0; i < kAtOnce; ++i) wide[i] = WideOf(hashes[next + i], words, blocks);
    for (const Wide& each : wide) Set(each);
  }
  for (; next < hashes.size(); ++next) Set(WideOf(hashes[next], words, blocks));
}

[[gnu::target("popcnt")]] int64_t CountBitsFast(const uint32_t* words, size_t blocks,
                                                size_t of_block) {
  return CountBitsOf(words, blocks, of_block);
}
#endif

int64_t CountBits(const uint32_t* words, size_t blocks, size_t of_block) {
#ifdef __x86_64__
  static const bool fast = __builtin_cpu_supports("popcnt") != 0;
  if (fast) return CountBitsFast(words, blocks, of_block);
#endif
  return CountBitsOf(words, blocks, of_block);
}

}  // namespace

int64_t BloomFilter::SizeFor(int64_t distinct, double rate) {
  const double bits = -8.0 * static_cast<double>(std::max<int64_t>(distinct, 1)) /
                      std::log1p(-std::pow(rate, 1.0 / 8));
  constexpr double kBlockBits = 8.0 * kBlockBytes;
  return static_cast<int64_t>(std::ceil(bits / kBlockBits)) * kBlockBytes;
}

BloomFilter::BloomFilter(int64_t distinct, double rate)
    : blocks_(static_cast<size_t>(SizeFor(distinct, rate) / kBlockBytes)) {}

BloomFilter::BloomFilter(std::string_view bytes) : blocks_(bytes.size() / kBlockBytes) {
  if (bytes.empty() || bytes.size() % kBlockBytes != 0) {
    throw InvalidArgument("a bloom filter of " + std::to_string(bytes.size()) +
                          " bytes is no whole number of blocks of 32");
  }
  std::memcpy(blocks_.data(), bytes.data(), bytes.size());
}

void BloomFilter::Insert(std::span<const uint64_t> hashes) {
  uint32_t* words = blocks_.data()->words;
#ifdef __x86_64__
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (wide) return SetBitsWide(hashes, words, blocks_.size());
#endif
  SetBits(hashes, words, blocks_.size());
}

int64_t BloomFilter::EstimateDistinct() const {
  // A hash sets one bit of each word of a block, and blocks meet hashes by a Poisson distribution.
  // Of many blocks one word each tells enough.
  constexpr size_t kManyBlocks = 1024;
  const size_t words = blocks_.size() < kManyBlocks ? kBlockWords : 1;
  const int64_t set = CountBits(blocks_.data()->words, blocks_.size(), words);
  const auto blocks = static_cast<double>(blocks_.size());
  const double unset =
      1 - static_cast<double>(set) / (kWordBits * static_cast<double>(words) * blocks);
  return std::llround(-kWordBits * blocks * std::log(std::max(unset, 1e-9)));
}

const BloomFilter::Block& BloomFilter::BlockOf(uint64_t hash) const {
  return blocks_[PlaceOf(hash, blocks_.size())];
}

bool BloomFilter::MayContain(uint64_t hash) const {
  const Block& block = BlockOf(hash);
  for (size_t i = 0; i < kBlockWords; ++i) {
    if ((block.words[i] & BitOf(hash, i)) == 0) return false;
  }
  return true;
}

double BloomFilter::Fill() const {
  const int64_t set = CountBits(blocks_.data()->words, blocks_.size(), kBlockWords);
  return static_cast<double>(set) / (kWordBits * kBlockWords * static_cast<double>(blocks_.size()));
}

double BloomFilter::FalsePositiveRate() const {
  // A hash meets one block; blocks fill differently, so the mean is over blocks.
  double sum = 0;
  for (const Block& block : blocks_) {
    double all = 1;
    for (const uint32_t word : block.words) all *= std::popcount(word) / kWordBits;
    sum += all;
  }
  return sum / static_cast<double>(blocks_.size());
}

std::string_view BloomFilter::bytes() const {
  return {reinterpret_cast<const char*>(blocks_.data()), blocks_.size() * sizeof(Block)};
}

}  // namespace ariadne::rowgroup
