#pragma once

#include <string>
#include <vector>

namespace ariadne::engine {

/// A token of Spark SQL.
struct SparkToken {
  enum class Kind { kWord, kQuotedName, kString, kNumber, kSymbol };
  Kind kind = Kind::kSymbol;
  /// A string after its escapes, a name without its quotes, else as written.
  std::string text;
  std::string upper;  ///< A word in upper case; empty for other tokens.
};

/// Comments and blanks are left out. Throws InvalidArgument for text that does not end and for
/// characters that Spark SQL has no use for.
std::vector<SparkToken> ReadSparkTokens(const std::string& expression);

}  // namespace ariadne::engine
