#include "source/lake_name.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "ariadne/errors.h"

namespace ariadne::source {

namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void AppendEscaped(std::string_view bytes, std::string* out) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out->push_back('%');
    out->push_back(kHex[byte >> 4]);
    out->push_back(kHex[byte & 0xF]);
  }
}

bool IsPlainAscii(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return std::string_view("-_.!~*'():@&=+$,;/").find(c) != std::string_view::npos;
}

// Length in bytes of the UTF-8 character at `text`, 0 where there is none; its code point.
size_t Utf8Length(std::string_view text, uint32_t* code_point) {
  const auto at = [&text](size_t i) { return static_cast<uint8_t>(text[i]); };
  size_t length = 0;
  uint32_t smallest = 0;
  if (at(0) >= 0xC2 && at(0) <= 0xDF) {
    length = 2, smallest = 0x80, *code_point = at(0) & 0x1F;
  } else if ((at(0) & 0xF0) == 0xE0) {
    length = 3, smallest = 0x800, *code_point = at(0) & 0x0F;
  } else if (at(0) >= 0xF0 && at(0) <= 0xF4) {
    length = 4, smallest = 0x10000, *code_point = at(0) & 0x07;
  } else {
    return 0;
  }
  if (text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
    *code_point = *code_point << 6 | (at(i) & 0x3F);
  }
  const bool surrogate = *code_point >= 0xD800 && *code_point <= 0xDFFF;
  return *code_point < smallest || *code_point > 0x10FFFF || surrogate ? 0 : length;
}

// Java's Character.isISOControl and isSpaceChar beyond ASCII.
bool IsControlOrSpace(uint32_t c) {
  return (c >= 0x80 && c <= 0xA0) || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// Absolute path without empty, "." and ".." segments; ".." at the root stays at the root.
std::string NormalLocalPath(std::string_view path) {
  std::vector<std::string_view> segments;
  for (size_t begin = 0; begin < path.size();) {
    size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
    begin = end + 1;
  }
  std::string result;
  for (const std::string_view segment : segments) {
    result += '/';
    result += segment;
  }
  return result.empty() ? "/" : result;
}

LakeName Local(std::string_view path) {
  if (path.starts_with('/')) return {"file", "", NormalLocalPath(path)};
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  if (error) {
    throw InvalidArgument("'" + std::string(path) +
                          "' is a relative path and there is no working directory: " +
                          error.message() + "; give an absolute path");
  }
  return {"file", "", NormalLocalPath(here.string() + "/" + std::string(path))};
}

}  // namespace

size_t SchemeEnd(std::string_view name) {
  size_t end = 0;
  while (end < name.size() && (std::isalnum(static_cast<unsigned char>(name[end])) != 0 ||
                               std::string_view("+.-").find(name[end]) != std::string_view::npos)) {
    ++end;
  }
  if (end == 0 || end == name.size() || name[end] != ':' ||
      std::isalpha(static_cast<unsigned char>(name[0])) == 0) {
    return std::string_view::npos;
  }
  if (name.substr(end).starts_with("://")) return end;
  const bool file =
      end == 4 && std::equal(name.begin(), name.begin() + 4, "file", [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == b;
      });
  return file && name.substr(end).starts_with(":/") ? end : std::string_view::npos;
}

std::string Unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexValue(text[i + 1]) >= 0 &&
        HexValue(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string EscapePath(std::string_view path) {
  std::string out;
  out.reserve(path.size() + 8);
  for (size_t i = 0; i < path.size();) {
    if (static_cast<uint8_t>(path[i]) < 0x80) {
      if (IsPlainAscii(path[i])) {
        out.push_back(path[i]);
      } else {
        AppendEscaped(path.substr(i, 1), &out);
      }
      ++i;
      continue;
    }
    uint32_t code_point = 0;
    const size_t length = Utf8Length(path.substr(i), &code_point);
    // A byte that is no UTF-8 is escaped, since our tables hold UTF-8 only.
    if (length == 0 || IsControlOrSpace(code_point)) {
      AppendEscaped(path.substr(i, std::max<size_t>(length, 1)), &out);
    } else {
      out += path.substr(i, length);
    }
    i += std::max<size_t>(length, 1);
  }
  return out;
}

LakeName ParseName(std::string_view name) {
  const auto refuse = [&name](const std::string& why) {
    throw InvalidArgument("'" + std::string(name) + "' names no file: " + why +
                          ". Give a path or a URL such as s3://bucket/key");
  };
  if (name.empty()) refuse("it is empty");
  if (name.find('\0') != std::string_view::npos) refuse("it holds a NUL character");
  const size_t colon = SchemeEnd(name);
  if (colon == std::string_view::npos) return Local(name);

  std::string scheme(name.substr(0, colon));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string_view rest = name.substr(colon + 1);
  std::string_view authority;
  if (rest.starts_with("//")) {
    const size_t slash = std::min(rest.find('/', 2), rest.size());
    authority = rest.substr(2, slash - 2);
    rest = rest.substr(slash);
  }
  std::string path = Unescape(rest);
  if (path.find('\0') != std::string::npos) refuse("it holds a NUL character");
  if (scheme == "file") {
    if (!authority.empty() && authority != "localhost") {
      refuse("a file URL cannot name the host '" + std::string(authority) + "'");
    }
    return {"file", "", NormalLocalPath(path.empty() ? "/" : path)};
  }
  if (authority.empty()) refuse("no bucket or host follows '" + scheme + "://'");
  return {scheme, std::string(authority), path.empty() ? "/" : path};
}

}  // namespace ariadne::source
