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

/// Values of the elements of an array: the array is the column, or a field of it, and a value is an
/// element or a field of one. Fields of fields are joined by dots; empty: the thing itself.
struct ElementPath {
  std::string column;
  std::string to_array;
  std::string to_value;
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

  /// Upper bound of the number of rows.
  [[nodiscard]] virtual int64_t RowUpperBound() const = 0;
  /// True where whoever reads one column reads them all, so that what is wanted of several is best
  /// had from one VisitRows.
  [[nodiscard]] virtual bool reads_whole_rows() const = 0;

  using ValueVisitor = std::function<void(const arrow::Array& values)>;
  /// Calls `visit` with arrays of the declared type until every distinct value of `column` was
  /// there at least once. NULLs may be among them or not. What `visit` throws passes through.
  virtual void VisitDistinct(const std::string& column, const ValueVisitor& visit) const = 0;

  /// Does the same with the values of elements, of `type` as declared, where that is cheaper than
  /// VisitRows; returns false, and has visited nothing, where it is not.
  virtual bool VisitDistinctElements(const ElementPath& path,
                                     const std::shared_ptr<arrow::DataType>& type,
                                     const ValueVisitor& visit) const = 0;

  using RowVisitor = std::function<void(const arrow::RecordBatch& rows)>;
  /// Calls `visit` with every row once, in order, in batches whose columns are `columns` (distinct
  /// names, may be none) in this order, of the declared types. What `visit` throws passes through.
  virtual void VisitRows(const std::vector<std::string>& columns,
                         const RowVisitor& visit) const = 0;
};

}  // namespace ariadne::source
