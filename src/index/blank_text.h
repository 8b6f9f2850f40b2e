#pragma once

#include <string_view>

namespace ariadne::index {

/// `text` without blanks and control characters at either end, which Spark's casts ignore.
inline std::string_view WithoutBlanks(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace ariadne::index
