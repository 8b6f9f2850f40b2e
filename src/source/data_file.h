#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

namespace ariadne::source {

/// Smallest and largest value of a column in a file: arrays of length 1 of the declared type; both
/// null where the file holds no value.
struct MinMax {
  std::shared_ptr<arrow::Scalar> min, max;
};

/// One data file of the lake, whatever its format, as the index builders read it: with the declared
/// schema's types, columns missing from the file as NULL, Hive partition columns as constants.
/// Methods throw ColumnNotFound (not declared), InvalidFile, StorageError. One thread at a time per
/// object.
class DataFile {
 public:
  virtual ~DataFile() = default;

  /// Upper bound of the bytes that the distinct values of `column` take: what batches are planned
  /// from.
  [[nodiscard]] virtual int64_t MemoryUpperBound(const std::string& column) const = 0;
  /// Upper bound of the distinct count of `column`.
  [[nodiscard]] virtual int64_t DistinctUpperBound(const std::string& column) const = 0;
  /// Exact smallest and largest value, where they are known without reading values; else nullopt.
  [[nodiscard]] virtual std::optional<MinMax> ExactRange(const std::string& column) const = 0;

  /// Takes the place of a column among those that VisitDistinct was given, and values of it.
  using Visitor = std::function<void(size_t column, const arrow::Array& values)>;
  /// Calls `visit` with arrays of the declared types until every distinct value of each column was
  /// there at least once; NULLs may be among them or not. Columns may come in any order, a format
  /// of rows reads its file once for all of them. What `visit` throws passes through.
  virtual void VisitDistinct(const std::vector<std::string>& columns,
                             const Visitor& visit) const = 0;
};

}  // namespace ariadne::source
