#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ariadne::engine {

/// A regular expression of java.util.regex, as far as it means the same everywhere: characters,
/// classes, groups, alternatives and greedy or reluctant quantifiers. Thread-safe.
class JavaRegex {
 public:
  /// Throws UnsupportedSpark naming the construct that is not supported.
  explicit JavaRegex(const std::string& pattern);
  ~JavaRegex();
  JavaRegex(const JavaRegex&) = delete;
  JavaRegex& operator=(const JavaRegex&) = delete;

  /// String.split of Java: at most `limit` parts if it is positive, else all of them, empty ones at
  /// the end too.
  [[nodiscard]] std::vector<std::string> Split(std::string_view text, int limit) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace ariadne::engine
