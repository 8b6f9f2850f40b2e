#include "engine/spark_letter_case.h"

#include <unicode/ucasemap.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "ariadne/errors.h"

namespace ariadne::engine {

namespace {

using Mapping = int32_t (*)(const UCaseMap*, char*, int32_t, const char*, int32_t, UErrorCode*);

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string Map(std::string_view text, Mapping mapping) {
  static const UCaseMap* const kMap = [] {
    UErrorCode error = U_ZERO_ERROR;
    const UCaseMap* map = ucasemap_open("", 0, &error);
    if (U_FAILURE(error)) throw QueryError("The letters' case tables could not be loaded");
    return map;
  }();
  // A mapping can take more bytes than the text.
  std::string out(text.size() + 16, '\0');
  while (true) {
    UErrorCode error = U_ZERO_ERROR;
    const int32_t length = mapping(kMap, out.data(), static_cast<int32_t>(out.size()), text.data(),
                                   static_cast<int32_t>(text.size()), &error);
    if (error == U_BUFFER_OVERFLOW_ERROR) {
      out.resize(length);
      continue;
    }
    if (U_FAILURE(error)) throw QueryError("A text could not be mapped to another letter case");
    out.resize(length);
    return out;
  }
}

}  // namespace

std::string UpperCase(std::string_view text) {
  if (!IsAscii(text)) return Map(text, ucasemap_utf8ToUpper);
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return out;
}

std::string LowerCase(std::string_view text) {
  if (!IsAscii(text)) return Map(text, ucasemap_utf8ToLower);
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

}  // namespace ariadne::engine
