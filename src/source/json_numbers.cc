#include "source/json_numbers.h"

namespace ariadne::source {

namespace {

/// Whether all of the text is a number as JSON writes it.
bool IsNumber(std::string_view text) {
  const auto take_digits = [&text] {
    size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
    text.remove_prefix(count);
    return count;
  };
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool leading_zero = text.starts_with('0');
  const size_t whole = take_digits();
  if (whole == 0 || (leading_zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (take_digits() == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (take_digits() == 0) return false;
  }
  return text.empty();
}

}  // namespace

std::string QuoteNumbers(std::string_view json) {
  std::string result;
  bool in_string = false;
  for (size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (in_string && c == '\\' && at + 1 < json.size()) {
      result += json.substr(at, 2);
      at += 2;
    } else if (!in_string && (c == '-' || (c >= '0' && c <= '9'))) {
      auto end = json.find_first_not_of("0123456789+-.eE", at);
      if (end == std::string_view::npos) end = json.size();
      const std::string_view number = json.substr(at, end - at);
      const auto next = json.find_first_not_of(" \t\r\n", end);
      const bool is_key = next != std::string_view::npos && json[next] == ':';
      const char* quote = !is_key && IsNumber(number) ? "\"" : "";
      result.append(quote).append(number).append(quote);
      at = end;
    } else {
      if (c == '"') in_string = !in_string;
      result += c;
      ++at;
    }
  }
  return result;
}

}  // namespace ariadne::source
