#include "cli/text_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <utility>

namespace ariadne::cli {
namespace {

constexpr size_t kGap = 2;
// A column is cut no narrower than this before columns are dropped.
constexpr size_t kNarrowest = 8;

using Range = std::pair<uint32_t, uint32_t>;
// Unicode's East Asian Wide and Fullwidth blocks, and emoji.
constexpr std::array<Range, 12> kWide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0x33FF},
                                       {0x3400, 0x4DBF},
                                       {0x4E00, 0x9FFF},
                                       {0xA000, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0x1F300, 0x1FAFF},
                                       {0x20000, 0x3FFFD}}};
// Combining marks, joiners and variation selectors.
constexpr std::array<Range, 8> kEmpty{{{0x0300, 0x036F},
                                       {0x0483, 0x0489},
                                       {0x0591, 0x05BD},
                                       {0x064B, 0x065F},
                                       {0x1AB0, 0x1AFF},
                                       {0x200B, 0x200F},
                                       {0x20D0, 0x20FF},
                                       {0xFE00, 0xFE0F}}};

template <size_t N>
bool In(const std::array<Range, N>& ranges, uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return code >= range.first && code <= range.second;
  });
}

size_t CodeWidth(uint32_t code) { return In(kEmpty, code) ? 0 : In(kWide, code) ? 2 : 1; }

// Takes the next code point off `text`; a byte that is no UTF-8 counts as one character.
std::pair<uint32_t, size_t> NextCode(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  const size_t size = first < 0x80    ? 1
                      : first >= 0xF0 ? 4
                      : first >= 0xE0 ? 3
                      : first >= 0xC2 ? 2
                                      : 1;
  if (size == 1 || size > text.size()) return {first < 0x80 ? first : 0xFFFD, 1};
  uint32_t code = first & (0xFFU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {0xFFFD, 1};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  return {code, size};
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const auto [code, size] = NextCode(text);
    width += CodeWidth(code);
    text.remove_prefix(size);
  }
  return width;
}

std::string Printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string result;
  while (!text.empty()) {
    const auto [code, size] = NextCode(text);
    if (code == '\n') {
      result += "\\n";
    } else if (code == '\t') {
      result += "\\t";
    } else if (code == '\r') {
      result += "\\r";
    } else if (code < 0x20 || (code >= 0x7F && code < 0xA0) || (code == 0xFFFD && size == 1)) {
      const auto byte = static_cast<unsigned char>(text[size - 1]);
      result += "\\x";
      result += kHex[byte >> 4U];
      result += kHex[byte & 0xFU];
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return result;
}

std::string Shorten(const std::string& text, size_t width) {
  if (DisplayWidth(text) <= width) return text;
  std::string_view rest = text;
  size_t used = 1;  // The ellipsis.
  size_t bytes = 0;
  while (!rest.empty()) {
    const auto [code, size] = NextCode(rest);
    used += CodeWidth(code);
    if (used > width) break;
    bytes += size;
    rest.remove_prefix(size);
  }
  return text.substr(0, bytes) + "…";
}

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = Printable(column.title);
}

void TextTable::AddRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = Printable(cell);
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void TextTable::Print(std::ostream& out, size_t max_width) const {
  std::vector<size_t> widths(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    widths[i] = DisplayWidth(columns_[i].title);
    for (const auto& row : rows_) widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), size_t{0}) +
           kGap * (widths.empty() ? 0 : widths.size() - 1);
  };
  while (max_width > 0 && total() > max_width) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest > kNarrowest) {
      const size_t excess = total() - max_width;
      *widest = std::max(kNarrowest, *widest - std::min(*widest, std::min<size_t>(excess, 4)));
    } else if (widths.size() > 1) {
      widths.pop_back();
    } else {
      break;
    }
  }
  const auto print_row = [&](const auto& cell_of) {
    std::string line;
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = Shorten(cell_of(i), widths[i]);
      const std::string pad(widths[i] - std::min(widths[i], DisplayWidth(cell)), ' ');
      line += columns_[i].right ? pad + cell : cell + pad;
      if (i + 1 < widths.size()) line.append(kGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print_row([&](size_t i) { return columns_[i].title; });
  print_row([&](size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : rows_) print_row([&](size_t i) { return row[i]; });
  if (const size_t hidden = columns_.size() - widths.size(); hidden > 0) {
    out << "(" << hidden << " more column" << (hidden == 1 ? "" : "s") << ")\n";
  }
}

}  // namespace ariadne::cli
