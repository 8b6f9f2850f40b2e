#pragma once

#include <string>
#include <vector>

#include "engine/spark_text.h"

namespace ariadne::engine {

/// A node of a parsed Spark expression.
struct SparkSyntax {
  enum class Kind {
    kLiteral,
    kColumn,   ///< `name`: a column as written.
    kField,    ///< Field `name` of the one argument.
    kElement,  ///< Element of the first argument at the second.
    kCall,     ///< Function or operator `name`: "upper", "+", "and", "=", "in", "case", ...
  };
  Kind kind = Kind::kLiteral;
  std::string name;
  SparkLiteral literal;
  std::vector<SparkSyntax> arguments;
};

/// Calls that are no functions: "neg", "pos", "+", "-", "*", "/", "%", "div", "||", "=", "<>", "<",
/// "<=", ">", ">=", "<=>", "and", "or", "not", "isnull", "isnotnull", "like" (text, pattern,
/// escape), "in" (value, list...), "between" (value, lower, upper), "case" (condition, value, ...,
/// else); `lower(x)` is "lower" all the same.
/// Throws InvalidArgument naming the syntax that is not supported.
SparkSyntax ParseSpark(const std::string& expression);

}  // namespace ariadne::engine
