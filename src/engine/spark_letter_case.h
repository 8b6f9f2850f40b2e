#pragma once

#include <string>
#include <string_view>

namespace ariadne::engine {

// Full case mappings of Unicode, independent of the locale: "ß" becomes "SS", a final "Σ" "ς".
std::string UpperCase(std::string_view text);
std::string LowerCase(std::string_view text);

}  // namespace ariadne::engine
