#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

namespace ariadne::build {

/// A computed column over the rows of data files. Immutable; one thread at a time evaluates.
class ComputedColumn {
 public:
  virtual ~ComputedColumn() = default;
  [[nodiscard]] virtual std::shared_ptr<arrow::DataType> type() const = 0;
  /// Top-level columns that it reads.
  [[nodiscard]] virtual std::vector<std::string> columns() const = 0;
  /// One value a row of `rows`, which has `columns()`.
  [[nodiscard]] virtual std::shared_ptr<arrow::Array> Evaluate(
      const arrow::RecordBatch& rows) const = 0;
};

/// `expression`: Spark SQL over the columns of `schema`. Throws UnsupportedColumn, ColumnNotFound.
std::shared_ptr<const ComputedColumn> CompileComputed(const std::string& expression,
                                                      const arrow::Schema& schema);
/// Its type, as index::ExpressionType asks for it.
std::shared_ptr<arrow::DataType> ComputedType(const std::string& expression,
                                              const arrow::Schema& schema);

}  // namespace ariadne::build
