#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <arrow/io/interfaces.h>
#include <arrow/type_fwd.h>
#include <parquet/properties.h>

#include "source/parquet_source.h"

namespace ariadne::source {

/// An array from JSON text, such as `[1, null]`.
std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type,
                                      const std::string& json);
std::shared_ptr<arrow::Table> TableOf(const std::string& column,
                                      const std::shared_ptr<arrow::Array>& array);

/// A Parquet file as Arrow writes it.
std::shared_ptr<arrow::Buffer> WriteParquet(
    const arrow::Table& table, int64_t rows_a_group = 1 << 20,
    const std::function<void(parquet::WriterProperties::Builder*)>& set = {},
    const std::function<void(parquet::ArrowWriterProperties::Builder*)>& set_arrow = {});

/// A file in memory that counts what is read of it, and fails when told to.
class CountingFile : public arrow::io::RandomAccessFile {
 public:
  explicit CountingFile(std::shared_ptr<arrow::Buffer> bytes);
  arrow::Status Close() override;
  bool closed() const override;
  arrow::Result<int64_t> Tell() const override;
  arrow::Status Seek(int64_t position) override;
  arrow::Result<int64_t> GetSize() override;
  arrow::Result<int64_t> Read(int64_t length, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t length) override;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t length, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t length) override;

  int64_t bytes = 0;
  int64_t reads = 0;
  bool broken = false;

 private:
  arrow::Status Count(int64_t length);
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
};

/// A value's text such that two values have the same one exactly where they are the same to the bit
/// (NaNs are one).
std::string KeyOf(const arrow::Scalar& scalar);
/// Keys of the values of an array that are not NULL.
std::set<std::string> KeysOf(const arrow::Array& array);
/// Keys of all that VisitDistinct gives; checks that each array has the declared type.
std::set<std::string> Visited(const ParquetSource& source, const std::string& column,
                              const std::shared_ptr<arrow::DataType>& type);

/// Opens `bytes` with one declared column.
std::unique_ptr<ParquetSource> OpenBytes(const std::shared_ptr<arrow::Buffer>& bytes,
                                         const std::string& column,
                                         const std::shared_ptr<arrow::DataType>& type,
                                         const std::string& uri = "file:///lake/e.parquet");

}  // namespace ariadne::source
