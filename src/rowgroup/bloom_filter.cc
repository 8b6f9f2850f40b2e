#include "rowgroup/bloom_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "ariadne/errors.h"

namespace ariadne::rowgroup {
namespace {

static_assert(std::endian::native == std::endian::little, "words are kept as the format has them");

constexpr size_t kBlockWords = 8;

/// The odd constants of the format, one a word.
constexpr uint32_t kSalts[kBlockWords] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                          0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};

/// The upper half of the hash chooses the block, the lower half the bits.
size_t FirstWord(uint64_t hash, size_t blocks) {
  return static_cast<size_t>(((hash >> 32) * blocks) >> 32) * kBlockWords;
}
uint32_t BitOf(uint64_t hash, size_t word) {
  return 1U << ((static_cast<uint32_t>(hash) * kSalts[word]) >> 27);
}

}  // namespace

int64_t BloomFilter::SizeFor(int64_t distinct, double rate) {
  const double bits = -8.0 * static_cast<double>(std::max<int64_t>(distinct, 1)) /
                      std::log1p(-std::pow(rate, 1.0 / 8));
  constexpr double kBlockBits = 8.0 * kBlockBytes;
  return static_cast<int64_t>(std::ceil(bits / kBlockBits)) * kBlockBytes;
}

BloomFilter::BloomFilter(int64_t distinct, double rate)
    : words_(static_cast<size_t>(SizeFor(distinct, rate)) / sizeof(uint32_t)) {}

BloomFilter::BloomFilter(std::string_view bytes) : words_(bytes.size() / sizeof(uint32_t)) {
  if (bytes.empty() || bytes.size() % kBlockBytes != 0) {
    throw InvalidArgument("a bloom filter of " + std::to_string(bytes.size()) +
                          " bytes is no whole number of blocks of 32");
  }
  std::memcpy(words_.data(), bytes.data(), bytes.size());
}

void BloomFilter::Insert(std::span<const uint64_t> hashes) {
  const size_t blocks = words_.size() / kBlockWords;
  for (const uint64_t hash : hashes) {
    uint32_t* block = words_.data() + FirstWord(hash, blocks);
    for (size_t i = 0; i < kBlockWords; ++i) block[i] |= BitOf(hash, i);
  }
}

bool BloomFilter::MayContain(uint64_t hash) const {
  const uint32_t* block = words_.data() + FirstWord(hash, words_.size() / kBlockWords);
  for (size_t i = 0; i < kBlockWords; ++i) {
    if ((block[i] & BitOf(hash, i)) == 0) return false;
  }
  return true;
}

double BloomFilter::Fill() const {
  int64_t set = 0;
  for (const uint32_t word : words_) set += std::popcount(word);
  return static_cast<double>(set) / (32.0 * static_cast<double>(words_.size()));
}

double BloomFilter::FalsePositiveRate() const {
  // A hash meets one block; blocks fill differently, so the mean is over blocks.
  double sum = 0;
  for (size_t at = 0; at < words_.size(); at += kBlockWords) {
    double all = 1;
    for (size_t i = 0; i < kBlockWords; ++i) all *= std::popcount(words_[at + i]) / 32.0;
    sum += all;
  }
  return sum / (static_cast<double>(words_.size()) / kBlockWords);
}

std::string_view BloomFilter::bytes() const {
  return {reinterpret_cast<const char*>(words_.data()), words_.size() * sizeof(uint32_t)};
}

}  // namespace ariadne::rowgroup
