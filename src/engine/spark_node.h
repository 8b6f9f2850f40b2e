#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

namespace ariadne::engine {

using SparkType = std::shared_ptr<arrow::DataType>;
using SparkArrays = std::vector<std::shared_ptr<arrow::Array>>;
/// Computes a column of `rows` values from the columns of its arguments.
using SparkKernel =
    std::function<std::shared_ptr<arrow::Array>(const SparkArrays& arguments, int64_t rows)>;

struct SparkNode;
using SparkNodePtr = std::shared_ptr<const SparkNode>;
using SparkNodes = std::vector<SparkNodePtr>;

/// A typed node of an expression: a column, a literal, or a kernel over its arguments. Types are
/// those that source::SparkType gives, and null for NULL without a type.
struct SparkNode {
  static constexpr int kNoColumn = -1;

  SparkType type;
  SparkNodes arguments;
  SparkKernel kernel;
  int column = kNoColumn;  ///< Place among the expression's columns.
  /// The value of a node that depends on no column: an array of one.
  std::shared_ptr<arrow::Array> constant;
  /// A literal as written: Spark gives those of integers the narrowest decimal type.
  bool is_literal = false;
};

/// What an expression asks for is not supported, or not typed as Spark wants it; the message is a
/// clause: "the function 'x' is not supported".
class UnsupportedSpark : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

SparkNodePtr ColumnNode(int column, SparkType type);
/// `value`: an array of one.
SparkNodePtr LiteralNode(std::shared_ptr<arrow::Array> value);
/// NULL of a type.
SparkNodePtr NullNode(const SparkType& type);
SparkNodePtr IntegerNode(int32_t value);
SparkNodePtr StringNode(const std::string& value);
/// A kernel over arguments; constant if they all are.
SparkNodePtr KernelNode(SparkType type, SparkNodes arguments, SparkKernel kernel);

/// Values of `node` over `rows` rows of the expression's columns.
std::shared_ptr<arrow::Array> EvaluateNode(const SparkNode& node, const SparkArrays& columns,
                                           int64_t rows);

/// The text of a constant string; nullptr-like `false` for NULL and for what is not constant.
bool ConstantText(const SparkNode& node, std::string* text);

}  // namespace ariadne::engine
