#include "source/glob.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ariadne::source {

namespace {

using Text = std::u32string;

// Code points; a byte that is no UTF-8 stands for itself, out of their range.
Text Decode(std::string_view bytes) {
  Text text;
  for (size_t i = 0; i < bytes.size();) {
    const auto first = static_cast<uint8_t>(bytes[i]);
    const size_t length = first < 0x80   ? 1
                          : first < 0xC2 ? 0
                          : first < 0xE0 ? 2
                          : first < 0xF0 ? 3
                          : first < 0xF5 ? 4
                                         : 0;
    char32_t c = length < 2 ? first : first & (0xFF >> (length + 1));
    bool valid = length > 0 && i + length <= bytes.size();
    for (size_t k = 1; valid && k < length; ++k) {
      const auto next = static_cast<uint8_t>(bytes[i + k]);
      valid = (next & 0xC0) == 0x80;
      c = c << 6 | (next & 0x3F);
    }
    text.push_back(valid ? c : 0x110000 + first);
    i += valid ? length : 1;
  }
  return text;
}

// A set `[...]` at `at`: whether it holds `c`, and `at` moved behind it; nullopt: it has no end.
std::optional<bool> MatchesSet(const Text& pattern, size_t* at, char32_t c) {
  size_t i = *at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '^' || pattern[i] == '!');
  if (negated) ++i;
  bool found = false;
  for (bool first = true; i < pattern.size(); first = false) {
    if (pattern[i] == ']' && !first) {
      *at = i + 1;
      return found != negated;
    }
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    const char32_t low = pattern[i++];
    char32_t high = low;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
      ++i;
      if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
      high = pattern[i++];
    }
    found = found || (low <= c && c <= high);
  }
  return std::nullopt;
}

// Matches one character other than '*' at `at`, and moves `at` behind it.
bool MatchesOne(const Text& pattern, size_t* at, char32_t c) {
  switch (pattern[*at]) {
    case '?':
      ++*at;
      return true;
    case '[':
      if (const auto in_set = MatchesSet(pattern, at, c)) return *in_set;
      break;
    case '\\':
      if (*at + 1 < pattern.size()) ++*at;
      break;
    default:
      break;
  }
  return pattern[(*at)++] == c;
}

// The place of the brace that closes the one at `open`, and of the commas between the two.
size_t ClosingBrace(const std::string& pattern, size_t open, std::vector<size_t>* commas) {
  int depth = 0;
  for (size_t i = open; i < pattern.size(); ++i) {
    switch (pattern[i]) {
      case '\\':
        ++i;
        break;
      case '{':
        ++depth;
        break;
      case ',':
        if (depth == 1) commas->push_back(i);
        break;
      case '}':
        if (--depth == 0) return i;
        break;
      default:
        break;
    }
  }
  return std::string::npos;
}

bool AllVisible(const std::vector<std::string_view>& path, size_t from) {
  return std::none_of(path.begin() + static_cast<std::ptrdiff_t>(from), path.end(), IsHidden);
}

bool MatchesFrom(const std::vector<std::string_view>& pattern, size_t p,
                 const std::vector<std::string_view>& path, size_t t) {
  if (p == pattern.size()) return AllVisible(path, t);
  if (pattern[p] == "**") {
    for (size_t next = t; next <= path.size(); ++next) {
      if (MatchesFrom(pattern, p + 1, path, next)) return true;
      if (next < path.size() && IsHidden(path[next])) return false;
    }
    return false;
  }
  if (t == path.size()) return false;
  if (IsHidden(path[t]) && !pattern[p].starts_with(path[t][0])) return false;
  return MatchesSegment(pattern[p], path[t]) && MatchesFrom(pattern, p + 1, path, t + 1);
}

}  // namespace

bool IsGlob(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (std::string_view("*?[{").find(pattern[i]) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

std::string LiteralOf(std::string_view pattern) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    text.push_back(pattern[i]);
  }
  return text;
}

std::vector<std::string> ExpandBraces(const std::string& pattern) {
  for (size_t open = 0; open < pattern.size(); ++open) {
    if (pattern[open] == '\\') {
      ++open;
      continue;
    }
    if (pattern[open] != '{') continue;
    std::vector<size_t> ends;
    const size_t close = ClosingBrace(pattern, open, &ends);
    if (close == std::string::npos) continue;
    ends.push_back(close);
    std::vector<std::string> result;
    size_t begin = open + 1;
    for (const size_t end : ends) {
      std::string chosen = pattern.substr(0, open);
      chosen += pattern.substr(begin, end - begin);
      chosen += pattern.substr(close + 1);
      for (std::string& each : ExpandBraces(chosen)) result.push_back(std::move(each));
      begin = end + 1;
    }
    return result;
  }
  return {pattern};
}

bool MatchesSegment(std::string_view pattern_bytes, std::string_view text_bytes) {
  const Text pattern = Decode(pattern_bytes);
  const Text text = Decode(text_bytes);
  size_t p = 0;
  size_t t = 0;
  // Where to go on when what follows the last '*' fails: it takes one character more.
  size_t star = Text::npos;
  size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_text = t;
    } else if (p < pattern.size() && MatchesOne(pattern, &p, text[t])) {
      ++t;
    } else if (star != Text::npos) {
      p = star;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool MatchesPath(const std::vector<std::string_view>& pattern,
                 const std::vector<std::string_view>& path) {
  return MatchesFrom(pattern, 0, path, 0);
}

bool IsHidden(std::string_view segment) {
  // `_column=value` is a partition.
  return segment.starts_with('.') ||
         (segment.starts_with('_') && segment.find('=') == std::string_view::npos);
}

std::vector<std::string_view> SplitPath(std::string_view path) {
  std::vector<std::string_view> segments;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) segments.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return segments;
}

}  // namespace ariadne::source
