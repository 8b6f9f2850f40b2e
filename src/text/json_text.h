#pragma once

#include <string>

#include "text/json_parser.h"

namespace ariadne::text {

/// Appends the value that the parser stands at as JSON again, as Spark gives it where a column is
/// a string: without blanks, numbers as Java prints them. The parser stands at its end then. False:
/// no value begins here. Throws JsonSyntaxError.
bool CopyJson(JsonParser* parser, std::string* text);

}  // namespace ariadne::text
