#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ariadne::engine {

/// A path of get_json_object: `$.a.b[0]`, `$['a b']`, `$[*].a`.
class JsonPath {
 public:
  /// Empty for text that is no path.
  static std::optional<JsonPath> Parse(std::string_view text);

  /// What the path leads to in a JSON text: a string without its quotes, anything else as JSON
  /// written anew (without blanks, floating numbers as doubles). Several matches of a `[*]` make an
  /// array. Empty where nothing matches, where a field is null, and for malformed JSON.
  [[nodiscard]] std::optional<std::string> Get(std::string_view json) const;

 private:
  struct Step {
    enum class Kind { kSubscript, kWildcard, kKey, kIndex, kNamed };
    Kind kind = Kind::kKey;
    std::string name;
    long index = 0;
  };
  class Evaluation;

  std::vector<Step> steps_;
};

}  // namespace ariadne::engine
