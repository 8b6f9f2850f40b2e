#include <string>
#include <string_view>

#include "text/json_parser.h"

namespace ariadne::text {

namespace {

constexpr int kNone = -1;
constexpr int kPadding = -2;

int Digit(int c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return c == '=' ? kPadding : kNone;
}

}  // namespace

// Digit, kPadding or kNone for the character at `place` of a group of four, consumed. Blanks stand
// before a group only.
int JsonParser::NextBase64(int place, bool* end) {
  while (true) {
    if (at_ >= text_.size()) Fail("it ends within a string");
    const auto c = static_cast<unsigned char>(text_[at_++]);
    if (place == 0 && c <= ' ') continue;
    *end = c == '"';
    if (c != '\\') return *end ? kNone : Digit(c);
    std::string escaped;
    char32_t high = 0;
    AppendEscape(&escaped, &high);
    if (escaped.size() != 1) return kNone;
    if (place == 0 && static_cast<unsigned char>(escaped[0]) <= ' ') continue;
    return Digit(escaped[0]);
  }
}

bool JsonParser::Bytes(std::string* bytes) {
  bytes->clear();
  std::string_view outer;
  size_t outer_at = 0;
  std::string quoted;
  const bool read = !incomplete_;
  if (read) {
    // A string that was read is decoded from its characters.
    quoted = value_ + '"';
    outer = text_;
    outer_at = at_;
    text_ = quoted;
    at_ = 0;
  }
  const auto finish = [&](bool whole) {
    if (read) {
      text_ = outer;
      at_ = outer_at;
    } else if (whole) {
      incomplete_ = false;
    }
    return whole;
  };
  while (true) {
    uint32_t group = 0;
    int place = 0;
    for (; place < 4; ++place) {
      bool end = false;
      int digit = NextBase64(place, &end);
      if (end) {
        if (place == 0) return finish(true);
        // What lacks its padding stops before the quote.
        if (place > 1) --at_;
        return finish(false);
      }
      if (digit == kPadding && place == 2) {
        if (NextBase64(3, &end) != kPadding) return finish(false);
        break;
      }
      if (digit == kPadding && place == 3) break;
      if (digit < 0) return finish(false);
      group = group << 6 | static_cast<uint32_t>(digit);
    }
    group <<= 6 * (4 - place);
    *bytes += static_cast<char>(group >> 16 & 0xff);
    if (place > 2) *bytes += static_cast<char>(group >> 8 & 0xff);
    if (place > 3) *bytes += static_cast<char>(group & 0xff);
  }
}

}  // namespace ariadne::text
