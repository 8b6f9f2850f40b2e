#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ariadne::index::lookup {

// Bytes of a lookup file (docs/lookup-format.md), little endian throughout:
//
//   header | null rows | directory blocks | buckets
//
// Everything that a search needs first lies in front, so that one read of kFirstRead bytes, without
// asking for the object's size, mostly brings header, null rows and directory.

inline constexpr char kMagic[8] = {'A', 'R', 'L', 'O', 'O', 'K', 'U', 'P'};
inline constexpr uint32_t kVersion = 1;
inline constexpr int64_t kHeaderBytes = 72;
inline constexpr int64_t kFirstRead = 64 << 10;
/// Buckets that one directory block describes: 8 bytes offset, 4 bytes length each, 8 checksum.
inline constexpr int64_t kBucketsPerBlock = 512;
inline constexpr int64_t kChecksumBytes = 8;
inline constexpr int64_t kBucketChecksumBytes = 4;
/// Bytes a bucket should have: small enough to search front to back, large enough to make its
/// directory entry and checksum (8 bytes) cheap.
inline constexpr int64_t kBucketTarget = 1536;
inline constexpr int kMaxBucketBits = 24;
/// Of each hash only the upper bits are kept: a pair (hash, row) then sorts as one 64-bit word.
/// Two values of a column share them with probability 2^-48, which costs a needless candidate.
inline constexpr int kHashBits = 48;
inline constexpr int kSuffixBits = 40;  ///< Hash bits below the partition byte.
inline constexpr int kRowBits = 24;
inline constexpr int64_t kMaxRows = int64_t{1} << kRowBits;

struct Header {
  uint32_t bucket_bits = 0;  ///< Buckets are 2^bucket_bits; the upper hash bits choose one.
  uint64_t num_rows = 0;     ///< Rows of the data file.
  uint64_t num_values = 0;   ///< Distinct hashes.
  uint64_t num_pairs = 0;    ///< (value, row) pairs.
  uint64_t null_bytes = 0;   ///< Length of the null row block, its checksum included.
  uint64_t num_nulls = 0;    ///< Rows in it.
  uint64_t file_bytes = 0;   ///< Length of the whole file.
};

/// kHeaderBytes bytes, checksum included.
std::string EncodeHeader(const Header& header);
/// False where the bytes are not a sound header of a version that is understood.
bool DecodeHeader(std::string_view bytes, Header* header);

uint64_t Checksum(std::string_view bytes);

template <typename T>
void PutFixed(std::string* out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out->append(bytes, sizeof(T));
}
template <typename T>
T GetFixed(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

void PutVarint(std::string* out, uint64_t value);
/// nullptr where [at, end) does not begin with a varint of at most 64 bits.
const char* GetVarint(const char* at, const char* end, uint64_t* value);

/// Rows of one value: varint count*2, then the first row and the gaps as varints; or, where that is
/// shorter, varint count*2+1 and varint length, then a bitmap from row 0, lowest bit first.
/// `rows` ascend and are distinct.
void PutRows(std::string* out, const uint32_t* rows, int64_t count);
/// Sets hit[row] for each row; hit == nullptr: only steps over them. nullptr: damaged.
const char* GetRows(const char* at, const char* end, int64_t num_rows, uint8_t* hit);

/// Directory blocks and bytes of 2^bits buckets.
inline int64_t DirectoryBlocks(uint32_t bits) {
  return ((int64_t{1} << bits) + kBucketsPerBlock - 1) / kBucketsPerBlock;
}
inline int64_t DirectoryBlockBytes() { return 8 + kBucketsPerBlock * 4 + kChecksumBytes; }

}  // namespace ariadne::index::lookup
