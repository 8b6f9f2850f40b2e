#include "engine/spark_node.h"

#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "engine/spark_kernel.h"

namespace ariadne::engine {

namespace {

std::shared_ptr<arrow::Array> Repeat(const arrow::Array& value, int64_t rows) {
  if (rows == 0) return value.Slice(0, 0);
  if (value.IsNull(0)) return Checked(arrow::MakeArrayOfNull(value.type(), rows));
  return Checked(arrow::MakeArrayFromScalar(*Checked(value.GetScalar(0)), rows));
}

std::shared_ptr<SparkNode> Constant(std::shared_ptr<arrow::Array> value) {
  auto node = std::make_shared<SparkNode>();
  node->type = value->type();
  node->constant = std::move(value);
  return node;
}

}  // namespace

SparkNodePtr ColumnNode(int column, SparkType type) {
  auto node = std::make_shared<SparkNode>();
  node->type = std::move(type);
  node->column = column;
  return node;
}

SparkNodePtr LiteralNode(std::shared_ptr<arrow::Array> value) {
  auto node = Constant(std::move(value));
  node->is_literal = true;
  return node;
}

SparkNodePtr NullNode(const SparkType& type) {
  return LiteralNode(Checked(arrow::MakeArrayOfNull(type, 1)));
}

SparkNodePtr IntegerNode(int32_t value) {
  return LiteralNode(Checked(arrow::MakeArrayFromScalar(arrow::Int32Scalar(value), 1)));
}

SparkNodePtr StringNode(const std::string& value) {
  return LiteralNode(Checked(arrow::MakeArrayFromScalar(arrow::StringScalar(value), 1)));
}

SparkNodePtr KernelNode(SparkType type, SparkNodes arguments, SparkKernel kernel) {
  bool constant = true;
  SparkArrays values;
  for (const auto& argument : arguments) {
    constant = constant && argument->constant != nullptr;
    values.push_back(argument->constant);
  }
  if (constant) return Constant(kernel(values, 1));
  auto node = std::make_shared<SparkNode>();
  node->type = std::move(type);
  node->arguments = std::move(arguments);
  node->kernel = std::move(kernel);
  return node;
}

std::shared_ptr<arrow::Array> EvaluateNode(const SparkNode& node, const SparkArrays& columns,
                                           int64_t rows) {
  if (node.constant != nullptr) return Repeat(*node.constant, rows);
  if (node.column != SparkNode::kNoColumn) return columns.at(node.column);
  SparkArrays arguments;
  arguments.reserve(node.arguments.size());
  for (const auto& argument : node.arguments) {
    arguments.push_back(EvaluateNode(*argument, columns, rows));
  }
  return node.kernel(arguments, rows);
}

bool ConstantText(const SparkNode& node, std::string* text) {
  if (node.constant == nullptr || node.type->id() != arrow::Type::STRING ||
      node.constant->IsNull(0)) {
    return false;
  }
  *text = static_cast<const arrow::StringArray&>(*node.constant).GetString(0);
  return true;
}

}  // namespace ariadne::engine
