#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include "source/data_file.h"
#include "source/file_uri.h"

namespace ariadne::source {

/// One Parquet file of the lake, as the index builders read it: with the declared schema's types,
/// columns missing from the file as NULL, Hive partition columns as constants.
/// A column is found by its exact name, else by the one that differs only in case.
/// Methods throw ColumnNotFound (not declared), InvalidFile (truncated, no Parquet, a column that
/// cannot be read as declared), StorageError. One thread at a time per object.
class ParquetSource : public DataFile {
 public:
  /// Reads the footer. `uri` is named in messages, and its folders give the partition values where
  /// `partitions` does not.
  ParquetSource(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string uri,
                std::shared_ptr<arrow::Schema> declared,
                std::optional<std::vector<PartitionValue>> partitions = std::nullopt);
  ~ParquetSource() override;

  [[nodiscard]] int64_t num_rows() const;
  [[nodiscard]] int num_row_groups() const;
  /// Upper bound of the bytes that the distinct values of `column` take, from the footer
  /// (dictionary sizes, uncompressed chunk sizes, row counts): what batches are planned from.
  [[nodiscard]] int64_t MemoryUpperBound(const std::string& column) const override;
  /// Upper bound of the distinct count of `column`, from the footer.
  [[nodiscard]] int64_t DistinctUpperBound(const std::string& column) const override;
  [[nodiscard]] int64_t RowUpperBound() const override { return num_rows(); }
  [[nodiscard]] bool reads_whole_rows() const override { return false; }

  /// Exact smallest and largest value, where the footer's statistics prove them; nullopt where
  /// values must be read (floats, truncated strings, INT96, missing or deprecated statistics).
  [[nodiscard]] std::optional<MinMax> ExactRange(const std::string& column) const override;

  /// Where all pages of a chunk are dictionary-encoded, only its dictionary page is read and given:
  /// a value that a writer put into the dictionary and no row refers to is among them.
  void VisitDistinct(const std::string& column, const ValueVisitor& visit) const override;
  /// Reads the column chunk of the values alone, and of that the dictionary page where it is
  /// enough.
  bool VisitDistinctElements(const ElementPath& path, const std::shared_ptr<arrow::DataType>& type,
                             const ValueVisitor& visit) const override;
  /// In batches of some megabytes.
  void VisitRows(const std::vector<std::string>& columns, const RowVisitor& visit) const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Arrow schema (Spark's reading of it) of one Parquet file, without partition columns.
std::shared_ptr<arrow::Schema> ReadParquetSchema(
    const std::shared_ptr<arrow::io::RandomAccessFile>& file, const std::string& uri);

}  // namespace ariadne::source
