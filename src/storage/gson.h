#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ariadne::storage::internal {

/// JSON in one line, to the byte as Java's Gson prints it: HTML characters escaped, doubles as
/// `Double.toString` gives them, keys in the order they have.
std::string ToGson(const nlohmann::ordered_json& value);

}  // namespace ariadne::storage::internal
