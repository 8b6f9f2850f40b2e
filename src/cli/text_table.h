#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace ariadne::cli {

/// Columns that UTF-8 text takes on a terminal: wide characters two, combining marks none.
size_t DisplayWidth(std::string_view text);
/// One line that a terminal cannot misread: control characters are shown as escapes.
std::string Printable(std::string_view text);
/// At most `width` columns, ending in "…" where something was cut.
std::string Shorten(const std::string& text, size_t width);

/// A table with aligned columns, for people.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool right = false;  ///< Aligned right, as numbers are.
  };

  explicit TextTable(std::vector<Column> columns);
  void AddRow(std::vector<std::string> cells);
  /// `max_width`: columns of the terminal; 0: nothing is cut. A table that is too wide has its
  /// widest cells cut, and then loses its last columns, which is said below it.
  void Print(std::ostream& out, size_t max_width = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ariadne::cli
