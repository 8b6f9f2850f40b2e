#include "text/text_encoding.h"

#include <cstdint>
#include <cstring>

namespace ariadne::text {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

unsigned char ByteAt(std::string_view bytes, size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

// Length of the longest beginning of a character at `at`, as Java's UTF-8 decoder replaces it;
// `whole` tells whether it is all of one, `cut` whether the bytes end within it.
size_t Utf8Prefix(std::string_view bytes, size_t at, bool* whole, bool* cut) {
  const unsigned char lead = ByteAt(bytes, at);
  size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    if (lead == 0xe0) low = 0xa0;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  }
  *whole = *cut = false;
  if (length == 0) return 1;
  size_t taken = 1;
  for (; taken < length; ++taken) {
    if (at + taken >= bytes.size()) {
      *cut = true;
      return taken;
    }
    const unsigned char next = ByteAt(bytes, at + taken);
    if (next < low || next > high) return taken;
    low = 0x80;
    high = 0xbf;
  }
  // Surrogates are no characters, but replaced as one.
  *whole = lead != 0xed || ByteAt(bytes, at + 1) < 0xa0;
  return length;
}

size_t DecodeUtf8(std::string_view bytes, bool last, std::string* text, bool* malformed) {
  size_t at = 0;
  while (at < bytes.size()) {
    if (ByteAt(bytes, at) < 0x80) {
      text->push_back(bytes[at++]);
      continue;
    }
    bool whole = false;
    bool cut = false;
    const size_t length = Utf8Prefix(bytes, at, &whole, &cut);
    if (cut && !last) return at;
    if (whole) {
      text->append(bytes.substr(at, length));
    } else {
      text->append(kReplacement);
      *malformed = true;
    }
    at += length;
  }
  return at;
}

size_t DecodeUtf16(std::string_view bytes, bool little, bool last, std::string* text,
                   bool* malformed) {
  const auto unit = [&](size_t i) -> char32_t {
    const unsigned char first = ByteAt(bytes, i);
    const unsigned char second = ByteAt(bytes, i + 1);
    return little ? (second << 8 | first) : (first << 8 | second);
  };
  size_t at = 0;
  while (at + 2 <= bytes.size()) {
    const char32_t code = unit(at);
    if (code < 0xd800 || code > 0xdfff) {
      AppendUtf8(code, text);
      at += 2;
      continue;
    }
    if (code < 0xdc00) {
      if (at + 4 > bytes.size()) {
        if (!last) return at;
      } else if (const char32_t low = unit(at + 2); low >= 0xdc00 && low <= 0xdfff) {
        AppendUtf8(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), text);
        at += 4;
        continue;
      }
    }
    text->append(kReplacement);
    *malformed = true;
    at += 2;
  }
  if (at < bytes.size() && last) {
    text->append(kReplacement);
    *malformed = true;
    at = bytes.size();
  }
  return at;
}

}  // namespace

void AppendUtf8(char32_t code, std::string* text) {
  const auto put = [text](char32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

bool IsAscii(std::string_view bytes) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    if ((word & kHighBits) != 0) return false;
    bytes.remove_prefix(sizeof(word));
  }
  for (const char c : bytes) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

size_t DecodeText(std::string_view bytes, Encoding encoding, bool last, std::string* text,
                  bool* malformed) {
  switch (encoding) {
    case Encoding::kUtf8:
      return DecodeUtf8(bytes, last, text, malformed);
    case Encoding::kUtf16:  // Without a byte order mark Java takes the big end first.
    case Encoding::kUtf16Be:
      return DecodeUtf16(bytes, /*little=*/false, last, text, malformed);
    case Encoding::kUtf16Le:
      return DecodeUtf16(bytes, /*little=*/true, last, text, malformed);
    case Encoding::kLatin1:
      for (const char c : bytes) AppendUtf8(static_cast<unsigned char>(c), text);
      return bytes.size();
    case Encoding::kAscii:
      for (const char c : bytes) {
        if (static_cast<unsigned char>(c) < 0x80) {
          text->push_back(c);
        } else {
          text->append(kReplacement);
          *malformed = true;
        }
      }
      return bytes.size();
  }
  return bytes.size();
}

}  // namespace ariadne::text
