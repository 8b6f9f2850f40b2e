#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ariadne::storage {

/// What is wrong with a JSON text, in words for its reader: "it is no JSON at line 1, column 3", "a
/// value is of the wrong kind".
std::string JsonFault(const nlohmann::json::exception& error);

}  // namespace ariadne::storage
