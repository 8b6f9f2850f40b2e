#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

namespace ariadne::engine {

struct SparkNode;

/// A Spark SQL expression over a schema, as a computed index has it, with the results of Spark
/// without ANSI and with UTC as the session's time zone. docs/expressions.md lists what there is.
/// Immutable and safe to share; one thread a call of Evaluate.
///
/// Evaluation reads its arguments and nothing else: there is no connection, no file, no setting
/// that an expression could reach.
class SparkExpression {
 public:
  /// Throws InvalidArgument naming the function, syntax or type that is not supported,
  /// ColumnNotFound. `schema`: the lake's; its types are taken as Spark reads them.
  static std::shared_ptr<const SparkExpression> Compile(const std::string& text,
                                                        const arrow::Schema& schema);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Spark's type of the result, as Arrow: timestamps are timestamp[us, UTC].
  [[nodiscard]] std::shared_ptr<arrow::DataType> type() const { return type_; }
  /// The columns that it reads, as the schema spells them, in the order of their first mention.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// The same columns with the types that Spark reads them as.
  [[nodiscard]] const std::vector<std::shared_ptr<arrow::Field>>& fields() const { return fields_; }

  /// One value a row. A column that the batch lacks is NULL, one of another type is converted as
  /// ConvertExactly does. Throws InvalidFile for a column whose type cannot be taken for the
  /// schema's, QueryError where memory or the 2 GiB of a text column do not suffice.
  [[nodiscard]] std::shared_ptr<arrow::Array> Evaluate(const arrow::RecordBatch& batch) const;

  /// The same as an expression over DuckDB's columns of these names, for connections on which
  /// RegisterSparkExpression was called.
  [[nodiscard]] std::string ToDuckSql() const;

 private:
  SparkExpression() = default;

  std::string text_;
  std::shared_ptr<arrow::DataType> type_;
  std::vector<std::string> columns_;
  std::vector<std::shared_ptr<arrow::Field>> fields_;
  std::shared_ptr<const SparkNode> root_;
};

/// Name of DuckDB's function: `ariadne_spark('text', {'column': column, ...})`.
inline constexpr char kSparkFunction[] = "ariadne_spark";

}  // namespace ariadne::engine
