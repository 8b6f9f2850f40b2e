#include "index/lookup_format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ariadne::index::lookup {

uint64_t Checksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string EncodeHeader(const Header& header) {
  std::string out(kMagic, sizeof(kMagic));
  PutFixed<uint32_t>(&out, kVersion);
  PutFixed<uint32_t>(&out, header.bucket_bits);
  PutFixed<uint64_t>(&out, header.num_rows);
  PutFixed<uint64_t>(&out, header.num_values);
  PutFixed<uint64_t>(&out, header.num_pairs);
  PutFixed<uint64_t>(&out, header.null_bytes);
  PutFixed<uint64_t>(&out, header.num_nulls);
  PutFixed<uint64_t>(&out, header.file_bytes);
  PutFixed<uint64_t>(&out, Checksum(out));
  return out;
}

bool DecodeHeader(std::string_view bytes, Header* header) {
  if (static_cast<int64_t>(bytes.size()) < kHeaderBytes) return false;
  const char* at = bytes.data();
  if (std::memcmp(at, kMagic, sizeof(kMagic)) != 0) return false;
  if (GetFixed<uint64_t>(at + kHeaderBytes - 8) != Checksum(bytes.substr(0, kHeaderBytes - 8))) {
    return false;
  }
  if (GetFixed<uint32_t>(at + 8) != kVersion) return false;
  header->bucket_bits = GetFixed<uint32_t>(at + 12);
  header->num_rows = GetFixed<uint64_t>(at + 16);
  header->num_values = GetFixed<uint64_t>(at + 24);
  header->num_pairs = GetFixed<uint64_t>(at + 32);
  header->null_bytes = GetFixed<uint64_t>(at + 40);
  header->num_nulls = GetFixed<uint64_t>(at + 48);
  header->file_bytes = GetFixed<uint64_t>(at + 56);
  return header->bucket_bits <= kMaxBucketBits &&
         header->num_rows <= static_cast<uint64_t>(kMaxRows) &&
         header->null_bytes <= header->file_bytes;
}

void PutVarint(std::string* out, uint64_t value) {
  char bytes[10];
  int n = 0;
  while (value >= 0x80) {
    bytes[n++] = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes[n++] = static_cast<char>(value);
  out->append(bytes, n);
}

const char* GetVarint(const char* at, const char* end, uint64_t* value) {
  uint64_t result = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at == end) return nullptr;
    const auto byte = static_cast<uint8_t>(*at++);
    result |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = result;
      return at;
    }
  }
  return nullptr;
}

void PutRows(std::string* out, const uint32_t* rows, int64_t count) {
  const int64_t bitmap_bytes = count == 0 ? 0 : rows[count - 1] / 8 + 1;
  // A gap takes at least a byte, so a bitmap can only win where it has fewer bytes than rows.
  if (bitmap_bytes < count) {
    PutVarint(out, static_cast<uint64_t>(count) * 2 + 1);
    PutVarint(out, static_cast<uint64_t>(bitmap_bytes));
    const size_t begin = out->size();
    out->resize(begin + bitmap_bytes, '\0');
    for (int64_t i = 0; i < count; ++i) {
      (*out)[begin + rows[i] / 8] |= static_cast<char>(1 << (rows[i] % 8));
    }
    return;
  }
  PutVarint(out, static_cast<uint64_t>(count) * 2);
  uint32_t previous = 0;
  for (int64_t i = 0; i < count; ++i) {
    PutVarint(out, rows[i] - previous);
    previous = rows[i];
  }
}

const char* GetRows(const char* at, const char* end, int64_t num_rows, uint8_t* hit) {
  uint64_t tag = 0;
  at = GetVarint(at, end, &tag);
  if (at == nullptr) return nullptr;
  if (tag % 2 == 1) {
    uint64_t length = 0;
    at = GetVarint(at, end, &length);
    if (at == nullptr || length > static_cast<uint64_t>(end - at)) return nullptr;
    if (hit != nullptr) {
      for (uint64_t row = 0; row < length * 8; ++row) {
        if ((static_cast<uint8_t>(at[row / 8]) >> (row % 8) & 1) == 0) continue;
        if (row >= static_cast<uint64_t>(num_rows)) return nullptr;
        hit[row] = 1;
      }
    }
    return at + length;
  }
  uint64_t row = 0;
  for (uint64_t i = 0; i < tag / 2; ++i) {
    uint64_t gap = 0;
    at = GetVarint(at, end, &gap);
    if (at == nullptr) return nullptr;
    row += gap;
    if (row >= static_cast<uint64_t>(num_rows)) return nullptr;
    if (hit != nullptr) hit[row] = 1;
  }
  return at;
}

}  // namespace ariadne::index::lookup
