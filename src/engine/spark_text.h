#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ariadne::engine {

/// A literal of a Spark expression, or the type of a cast.
struct SparkLiteral {
  enum class Kind { kNull, kBoolean, kNumber, kString, kBinary, kDate, kTimestamp, kType };
  Kind kind = Kind::kNull;
  /// What the literal says: "true", a number as written ("-12L", "1.50"), a string after its
  /// escapes, hexadecimal digits, the text of a date or timestamp, a type in lower case.
  std::string text;
};

/// A Spark expression rewritten for DuckDB's parser, which knows other quotes, literals and
/// precedences. Names carry their kind: "c:x" a column or field, "f:x" a function in lower case,
/// "l:3" a literal. The shape of the tree is all that is left to the parser.
struct SparkText {
  std::string sql;
  std::vector<SparkLiteral> literals;
  /// Operators of `sql` by their place in it, where they stand for another one: Spark's `||` binds
  /// as tightly as `+`, its `div` as `/`, so these are written instead.
  std::map<size_t, std::string> operators;
};

/// Throws InvalidArgument naming what is not supported: sub-queries, parameters, stars, lambdas,
/// intervals, bitwise operators, text that does not end.
SparkText RewriteSparkText(const std::string& expression);

/// The error of an expression: names the expression and what is wrong with it.
[[noreturn]] void ThrowUnsupported(std::string_view expression, const std::string& problem);

}  // namespace ariadne::engine
