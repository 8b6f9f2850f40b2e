#include "build/computed_column.h"

#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "engine/spark_expression.h"

namespace ariadne::build {

namespace {

class SparkComputedColumn : public ComputedColumn {
 public:
  explicit SparkComputedColumn(std::shared_ptr<const engine::SparkExpression> expression)
      : expression_(std::move(expression)) {}

  [[nodiscard]] std::shared_ptr<arrow::DataType> type() const override {
    return expression_->type();
  }
  [[nodiscard]] std::vector<std::string> columns() const override { return expression_->columns(); }
  [[nodiscard]] std::shared_ptr<arrow::Array> Evaluate(
      const arrow::RecordBatch& rows) const override {
    return expression_->Evaluate(rows);
  }

 private:
  std::shared_ptr<const engine::SparkExpression> expression_;
};

}  // namespace

std::shared_ptr<const ComputedColumn> CompileComputed(const std::string& expression,
                                                      const arrow::Schema& schema) {
  return std::make_shared<SparkComputedColumn>(
      engine::SparkExpression::Compile(expression, schema));
}

std::shared_ptr<arrow::DataType> ComputedType(const std::string& expression,
                                              const arrow::Schema& schema) {
  return CompileComputed(expression, schema)->type();
}

}  // namespace ariadne::build
