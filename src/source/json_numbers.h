#pragma once

#include <string>
#include <string_view>

namespace ariadne::source {

/// Writes each number of a JSON text as a string: a parser would round 1.10 and 9007199254740993,
/// and refuse 1e400. What is no JSON number stays as it is, for the parser to complain about.
std::string QuoteNumbers(std::string_view json);

}  // namespace ariadne::source
