#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ariadne::engine {

/// Bytes of the character that begins with `first`: 1 to 4; 1 for bytes that begin none.
inline size_t Utf8Length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xF0 && byte <= 0xF7) return 4;
  if (byte >= 0xE0) return byte <= 0xEF ? 3 : 1;
  return byte >= 0xC2 ? 2 : 1;
}

/// Characters (code points) of `text`, by first bytes, as Spark counts them.
inline int64_t CountCharacters(std::string_view text) {
  int64_t count = 0;
  for (size_t at = 0; at < text.size(); at += Utf8Length(text[at])) ++count;
  return count;
}

/// Place of the byte at which character number `index` begins; the end where there are fewer.
inline size_t ByteOfCharacter(std::string_view text, int64_t index) {
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += Utf8Length(text[at]);
  return at < text.size() ? at : text.size();
}

inline void AppendUtf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr unsigned char kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[more] | (code >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
}

}  // namespace ariadne::engine
