#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace ariadne::engine
