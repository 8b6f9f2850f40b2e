#include "parquet_bytes.h"

#include <cmath>
#include <cstring>
#include <utility>

#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/json/from_string.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

namespace ariadne::source {

std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type,
                                      const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::shared_ptr<arrow::Table> TableOf(const std::string& column,
                                      const std::shared_ptr<arrow::Array>& array) {
  return arrow::Table::Make(arrow::schema({arrow::field(column, array->type())}), {array});
}

std::shared_ptr<arrow::Buffer> WriteParquet(
    const arrow::Table& table, int64_t rows_a_group,
    const std::function<void(parquet::WriterProperties::Builder*)>& set,
    const std::function<void(parquet::ArrowWriterProperties::Builder*)>& set_arrow) {
  parquet::WriterProperties::Builder properties;
  if (set) set(&properties);
  parquet::ArrowWriterProperties::Builder arrow_properties;
  if (set_arrow) set_arrow(&arrow_properties);
  auto out = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto status =
      parquet::arrow::WriteTable(table, arrow::default_memory_pool(), out, rows_a_group,
                                 properties.build(), arrow_properties.build());
  EXPECT_TRUE(status.ok()) << status.ToString();
  return out->Finish().ValueOrDie();
}

CountingFile::CountingFile(std::shared_ptr<arrow::Buffer> data)
    : file_(std::make_shared<arrow::io::BufferReader>(std::move(data))) {}

arrow::Status CountingFile::Count(int64_t length) {
  if (broken) return arrow::Status::IOError("the disk is gone");
  bytes += length;
  ++reads;
  return arrow::Status::OK();
}

arrow::Status CountingFile::Close() { return file_->Close(); }
bool CountingFile::closed() const { return file_->closed(); }
arrow::Result<int64_t> CountingFile::Tell() const { return file_->Tell(); }
arrow::Status CountingFile::Seek(int64_t position) { return file_->Seek(position); }
arrow::Result<int64_t> CountingFile::GetSize() { return file_->GetSize(); }
arrow::Result<int64_t> CountingFile::Read(int64_t length, void* out) {
  ARROW_RETURN_NOT_OK(Count(length));
  return file_->Read(length, out);
}
arrow::Result<std::shared_ptr<arrow::Buffer>> CountingFile::Read(int64_t length) {
  ARROW_RETURN_NOT_OK(Count(length));
  return file_->Read(length);
}
arrow::Result<int64_t> CountingFile::ReadAt(int64_t position, int64_t length, void* out) {
  ARROW_RETURN_NOT_OK(Count(length));
  return file_->ReadAt(position, length, out);
}
arrow::Result<std::shared_ptr<arrow::Buffer>> CountingFile::ReadAt(int64_t position,
                                                                   int64_t length) {
  ARROW_RETURN_NOT_OK(Count(length));
  return file_->ReadAt(position, length);
}

std::string KeyOf(const arrow::Scalar& scalar) {
  const auto bits = [](auto value) {
    if (std::isnan(value)) return std::string("NaN");
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  switch (scalar.type->id()) {
    case arrow::Type::FLOAT:
      return bits(static_cast<const arrow::FloatScalar&>(scalar).value);
    case arrow::Type::DOUBLE:
      return bits(static_cast<const arrow::DoubleScalar&>(scalar).value);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return std::string(
          std::string_view(*static_cast<const arrow::BaseBinaryScalar&>(scalar).value));
    default:
      return scalar.ToString();
  }
}

std::set<std::string> KeysOf(const arrow::Array& array) {
  std::set<std::string> keys;
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsValid(i)) keys.insert(KeyOf(*array.GetScalar(i).ValueOrDie()));
  }
  return keys;
}

std::set<std::string> Visited(const ParquetSource& source, const std::string& column,
                              const std::shared_ptr<arrow::DataType>& type) {
  std::set<std::string> keys;
  source.VisitDistinct(column, [&](const arrow::Array& array) {
    EXPECT_TRUE(array.type()->Equals(*type)) << array.type()->ToString();
    const auto valid = array.ValidateFull();
    EXPECT_TRUE(valid.ok()) << valid.ToString();
    keys.merge(KeysOf(array));
  });
  return keys;
}

std::unique_ptr<ParquetSource> OpenBytes(const std::shared_ptr<arrow::Buffer>& bytes,
                                         const std::string& column,
                                         const std::shared_ptr<arrow::DataType>& type,
                                         const std::string& uri) {
  return std::make_unique<ParquetSource>(std::make_shared<arrow::io::BufferReader>(bytes), uri,
                                         arrow::schema({arrow::field(column, type)}));
}

}  // namespace ariadne::source
