#include "storage/json_fault.h"

#include <string_view>

namespace ariadne::storage {

std::string JsonFault(const nlohmann::json::exception& error) {
  if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr) {
    return "a value is missing";
  }
  if (dynamic_cast<const nlohmann::json::parse_error*>(&error) == nullptr) {
    return "a value is of the wrong kind";
  }
  // "[json.exception.parse_error.101] parse error at line 1, column 3: syntax error while …": the
  // place is what helps.
  const std::string_view text = error.what();
  const size_t begin = text.find("at line");
  const size_t end = text.find(':', begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return "it is no JSON";
  return "it is no JSON " + std::string(text.substr(begin, end - begin));
}

}  // namespace ariadne::storage
