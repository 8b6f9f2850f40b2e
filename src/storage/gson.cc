#include "storage/gson.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace ariadne::storage::internal {
namespace {

using Json = nlohmann::ordered_json;

void PrintString(const std::string& text, std::string& out) {
  out += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\f':
        out += "\\f";
        break;
      default: {
        const bool html = c == '<' || c == '>' || c == '&' || c == '=' || c == '\'';
        if (html || static_cast<unsigned char>(c) < 0x20) {
          char escaped[8];
          std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned char>(c));
          out += escaped;
        } else if (text.compare(i, 3, "\xE2\x80\xA8") == 0 ||
                   text.compare(i, 3, "\xE2\x80\xA9") == 0) {
          // Line and paragraph separators, which JavaScript takes for ends of lines.
          out += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
          i += 2;
        } else {
          out += c;
        }
      }
    }
  }
  out += '"';
}

/// Shortest digits that read back the same, laid out as `Double.toString` does: plain between
/// 10^-3 and 10^7, else with an exponent; always a digit after the point.
void PrintDouble(double value, std::string& out) {
  if (value == 0) {
    out += std::signbit(value) ? "-0.0" : "0.0";
    return;
  }
  char text[40];
  const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific);
  std::string_view shortest(text, static_cast<size_t>(end.ptr - text));
  if (shortest.front() == '-') {
    out += '-';
    shortest.remove_prefix(1);
  }
  const size_t e = shortest.find('e');
  const int exponent = std::atoi(std::string(shortest.substr(e + 1)).c_str());
  std::string digits(1, shortest[0]);
  if (e > 2) digits += shortest.substr(2, e - 2);
  if (exponent >= -3 && exponent < 0) {
    out += "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  } else if (exponent >= 0 && exponent < 7) {
    const size_t whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() < whole + 1) digits.resize(whole + 1, '0');
    out += digits.substr(0, whole) + "." + digits.substr(whole);
  } else {
    if (digits.size() == 1) digits += '0';
    out += digits.substr(0, 1) + "." + digits.substr(1) + "E" + std::to_string(exponent);
  }
}

void Print(const Json& value, std::string& out) {
  if (value.is_string()) {
    PrintString(value.get_ref<const std::string&>(), out);
  } else if (value.is_number_float()) {
    PrintDouble(value.get<double>(), out);
  } else if (value.is_array()) {
    out += '[';
    for (size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ',';
      Print(value[i], out);
    }
    out += ']';
  } else if (value.is_object()) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : value.items()) {
      if (!first) out += ',';
      first = false;
      PrintString(key, out);
      out += ':';
      Print(member, out);
    }
    out += '}';
  } else {
    out += value.dump();
  }
}

}  // namespace

std::string ToGson(const Json& value) {
  std::string out;
  Print(value, out);
  return out;
}

}  // namespace ariadne::storage::internal
