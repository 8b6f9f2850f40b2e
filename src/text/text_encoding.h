#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/text_format.h"

namespace ariadne::text {

/// Appends the characters of `bytes` to `text` in UTF-8. What is no character of the encoding
/// becomes U+FFFD, as Java's decoders replace it, and sets `malformed`. Returns how many bytes were
/// taken: fewer than all only where `last` is false and a character is cut off at the end.
size_t DecodeText(std::string_view bytes, Encoding encoding, bool last, std::string* text,
                  bool* malformed);

/// Appends a code point in UTF-8.
void AppendUtf8(char32_t code, std::string* text);

/// True if all bytes are below 0x80.
bool IsAscii(std::string_view bytes);

}  // namespace ariadne::text
