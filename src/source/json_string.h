#pragma once

#include <string>
#include <string_view>

namespace ariadne::source {

/// Appends the text as a JSON string with the escapes of Jackson, which Spark writes by: its
/// hexadecimal digits are upper case, unlike nlohmann's.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace ariadne::source
