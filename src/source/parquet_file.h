#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "ariadne/errors.h"

namespace ariadne::source {

/// What a message of Arrow's says, without the name of its code and the full stop at its end.
std::string Reason(std::string_view message);

/// An open Parquet file whose failures come out as errors of ours: InvalidFile where the file is at
/// fault, StorageError where it could not be read.
class ParquetFile {
 public:
  /// Reads the footer. `remedy`: what messages say is to be done about a file that is at fault.
  ParquetFile(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string uri,
              std::string remedy = "Write the file again, or take it out of the index");
  ~ParquetFile();
  ParquetFile(const ParquetFile&) = delete;
  ParquetFile& operator=(const ParquetFile&) = delete;

  [[nodiscard]] const std::string& uri() const { return uri_; }
  [[nodiscard]] const parquet::FileMetaData& metadata() const { return *metadata_; }
  [[nodiscard]] std::shared_ptr<parquet::FileMetaData> shared_metadata() const { return metadata_; }
  [[nodiscard]] parquet::ParquetFileReader& reader() const { return *reader_; }
  [[nodiscard]] const std::shared_ptr<arrow::io::RandomAccessFile>& input() const { return input_; }
  [[nodiscard]] int64_t size() const { return size_; }
  [[nodiscard]] static const parquet::ReaderProperties& properties();

  /// Runs `read` and turns what it throws into an error that names the file and `column` (may be
  /// empty). Errors of ours pass.
  template <typename Read>
  auto Guard(const std::string& column, Read&& read) const -> std::invoke_result_t<Read> {
    try {
      return std::forward<Read>(read)();
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      Fail(column, error.what());
    }
  }

  /// Throws InvalidFile, or StorageError if a read failed before.
  [[noreturn]] void Fail(const std::string& column, const std::string& why) const;
  void Check(const std::string& column, const arrow::Status& status) const {
    if (!status.ok()) Fail(column, status.message());
  }
  template <typename T>
  T Unwrap(const std::string& column, arrow::Result<T> result) const {
    Check(column, result.status());
    return std::move(result).ValueUnsafe();
  }

 private:
  class Input;

  std::string uri_;
  std::string remedy_;
  std::shared_ptr<Input> watched_;
  std::shared_ptr<arrow::io::RandomAccessFile> input_;
  int64_t size_ = 0;
  std::unique_ptr<parquet::ParquetFileReader> reader_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
};

}  // namespace ariadne::source
