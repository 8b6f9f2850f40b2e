#include "index/guava_bloom.h"

#include <murmurhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <arrow/array/array_binary.h>
#include <arrow/buffer.h>

#include "ariadne/errors.h"

namespace ariadne::index {
namespace {

constexpr char kMurmur128Mitz64 = 1;
constexpr size_t kHeaderBytes = 6;
constexpr double kLn2 = 0.6931471805599453;

double Bits(int64_t expected, double fpr) {
  return std::trunc(-static_cast<double>(expected) * std::log(fpr) / (kLn2 * kLn2));
}

/// Guava's probe sequence: h1, h1 + h2, h1 + 2 h2, …, each without its sign bit, modulo the bits.
template <typename Visit>
bool AllOf(const Key128& hash, uint32_t functions, uint64_t bits, Visit visit) {
  uint64_t combined = hash.low;
  for (uint32_t i = 0; i < functions; ++i) {
    if (!visit((combined & static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) % bits)) {
      return false;
    }
    combined += hash.high;
  }
  return true;
}

/// Words are big-endian: bit b of a word lies in byte 7 - b / 8.
uint64_t ByteOf(uint64_t bit) { return (8 * (bit >> 6)) + (7 - ((bit & 63) >> 3)); }

}  // namespace

Key128 TokenHash(std::string_view token) {
  uint64_t digest[2];
  lmmh_x64_128(token.data(), static_cast<unsigned int>(token.size()), 0, digest);
  return {digest[1], digest[0]};
}

void GuavaBloom::CheckRate(double fpr, const std::string& column) {
  if (fpr > 0 && fpr < 1 && Bits(1, fpr) >= 1) return;
  throw InvalidArgument("the false positive rate of a bloom index on column '" + column + "' is " +
                        std::to_string(fpr) +
                        "; it must be above 0 and at most 0.61, where one value still has a bit");
}

GuavaBloom::GuavaBloom(int64_t expected, double fpr)
    : functions_(
          static_cast<uint32_t>(std::clamp(std::floor(-std::log(fpr) / kLn2 + 0.5), 1.0, 255.0))) {
  const double words = std::ceil(Bits(std::max<int64_t>(expected, 1), fpr) / 64);
  if (words > std::numeric_limits<int32_t>::max()) {
    throw InvalidArgument("a bloom filter of " + std::to_string(expected) +
                          " values at a false positive rate of " + std::to_string(fpr) +
                          " exceeds the format's 2^31 words; use a higher rate or smaller files");
  }
  const auto count = static_cast<uint32_t>(std::max(words, 1.0));
  bits_ = uint64_t{64} * count;
  bytes_.resize(kHeaderBytes + (sizeof(uint64_t) * count));
  bytes_[0] = kMurmur128Mitz64;
  bytes_[1] = static_cast<char>(functions_);
  const uint32_t big_endian = __builtin_bswap32(count);
  std::memcpy(bytes_.data() + 2, &big_endian, sizeof(big_endian));
}

void GuavaBloom::Put(const Key128& hash) {
  char* words = bytes_.data() + kHeaderBytes;
  AllOf(hash, functions_, bits_, [words](uint64_t bit) {
    char& byte = words[ByteOf(bit)];
    byte = static_cast<char>(static_cast<uint8_t>(byte) | (1U << (bit & 7)));
    return true;
  });
}

std::shared_ptr<arrow::Array> FilterCell(std::string serialized) {
  if (serialized.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    throw InvalidArgument("a bloom filter of " + std::to_string(serialized.size()) +
                          " bytes exceeds the 2 GB that one cell of the index can hold; use a "
                          "higher false positive rate or smaller files");
  }
  std::vector<int32_t> offsets = {0, static_cast<int32_t>(serialized.size())};
  return std::make_shared<arrow::BinaryArray>(1, arrow::Buffer::FromVector(std::move(offsets)),
                                              arrow::Buffer::FromString(std::move(serialized)));
}

std::optional<GuavaBloomView> GuavaBloomView::Parse(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || bytes[0] != kMurmur128Mitz64 || bytes[1] == 0) return {};
  uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 2, sizeof(count));
  count = __builtin_bswap32(count);
  if (count == 0 || bytes.size() != kHeaderBytes + 8ULL * count) return {};
  GuavaBloomView view;
  view.functions_ = static_cast<uint8_t>(bytes[1]);
  view.bits_ = 64ULL * count;
  view.words_ = bytes.data() + kHeaderBytes;
  return view;
}

bool GuavaBloomView::MightContain(const Key128& hash) const {
  return AllOf(hash, functions_, bits_, [this](uint64_t bit) {
    return ((static_cast<uint8_t>(words_[ByteOf(bit)]) >> (bit & 7)) & 1) != 0;
  });
}

bool GuavaBloomView::IsEmpty() const {
  const std::string_view words(words_, bits_ / 8);
  return words.find_first_not_of('\0') == std::string_view::npos;
}

}  // namespace ariadne::index
