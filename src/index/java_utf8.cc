#include "index/java_utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ariadne::index {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Sequence {
  size_t length;  // of the well-formed sequence, or of the stretch to replace
  bool valid;
};

/// The sequence at the start of `bytes`; an ill-formed one is the longest stretch that could still
/// have begun a well-formed sequence (the "maximal subpart" of Unicode 15, section 3.9).
Sequence Next(std::string_view bytes) {
  const auto byte = [&bytes](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {1, true};
  size_t length = 0;
  uint8_t low = 0x80;  // bounds of the second byte
  uint8_t high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {1, false};
  }
  for (size_t i = 1; i < length; ++i) {
    if (i >= bytes.size() || byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  // A surrogate, which UTF-8 has not; Java decodes its three bytes before it rejects them.
  if (lead == 0xED && byte(1) >= 0xA0) return {3, false};
  return {length, true};
}

/// Length of the well-formed start of `bytes`.
size_t WellFormed(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    // Eight ASCII bytes at a time.
    uint64_t word = 0;
    if (bytes.size() - at >= 8) {
      std::memcpy(&word, bytes.data() + at, sizeof(word));
      if ((word & 0x8080808080808080ULL) == 0) {
        at += 8;
        continue;
      }
    }
    const Sequence next = Next(bytes.substr(at));
    if (!next.valid) break;
    at += next.length;
  }
  return at;
}

}  // namespace

bool IsUtf8(std::string_view bytes) { return WellFormed(bytes) == bytes.size(); }

JavaUtf8::JavaUtf8(std::string_view bytes) : bytes_(bytes) {
  size_t at = WellFormed(bytes);
  if (at == bytes.size()) return;
  replaced_ = bytes.substr(0, at);
  while (at < bytes.size()) {
    const Sequence next = Next(bytes.substr(at));
    replaced_ += next.valid ? bytes.substr(at, next.length) : kReplacement;
    at += next.length;
  }
}

}  // namespace ariadne::index
