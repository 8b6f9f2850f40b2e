#include "scan/plain_copy_file.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/io/file.h>
#include <arrow/result.h>

#include "ariadne/errors.h"
#include "duckdb/common/error_data.hpp"
#include "duckdb/common/file_system.hpp"
#include "duckdb/common/string_util.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "parquet_reader.hpp"
#include "source/plain_copy.h"

namespace ariadne::scan {

namespace {

/// A file of the engine's as Arrow reads one.
class EngineInput : public arrow::io::RandomAccessFile {
 public:
  explicit EngineInput(duckdb::unique_ptr<duckdb::FileHandle> file)
      : file_(std::move(file)), size_(static_cast<int64_t>(file_->GetFileSize())) {}

  arrow::Status Close() override { return arrow::Status::OK(); }
  [[nodiscard]] bool closed() const override { return false; }
  [[nodiscard]] arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override {
    position_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> GetSize() override { return size_; }
  arrow::Result<int64_t> Read(int64_t length, void* out) override {
    const int64_t wanted = std::clamp<int64_t>(size_ - position_, 0, length);
    try {
      file_->Read(out, static_cast<duckdb::idx_t>(wanted), static_cast<duckdb::idx_t>(position_));
    } catch (const std::exception& error) {
      return arrow::Status::IOError(duckdb::ErrorData(error).RawMessage());
    }
    position_ += wanted;
    return wanted;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t length) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(length));
    ARROW_ASSIGN_OR_RAISE(const int64_t read, Read(length, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(read));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  duckdb::unique_ptr<duckdb::FileHandle> file_;
  int64_t size_;
  int64_t position_ = 0;
};

bool Contains(const std::vector<std::string>& columns, const std::string& name) {
  return std::any_of(columns.begin(), columns.end(), [&](const std::string& column) {
    return duckdb::StringUtil::CIEquals(column, name);
  });
}

bool IsUnreadable(const duckdb_parquet::ColumnMetaData& chunk) {
  using duckdb_parquet::Encoding;
  using duckdb_parquet::Type;
  if (chunk.type == Type::FLOAT || chunk.type == Type::DOUBLE) return false;
  return std::find(chunk.encodings.begin(), chunk.encodings.end(), Encoding::BYTE_STREAM_SPLIT) !=
         chunk.encodings.end();
}

void Check(const arrow::Status& status, const std::string& url, const std::string& copy) {
  if (status.ok()) return;
  throw StorageError("\"" + url + "\" has columns that are copied before they can be read, and " +
                     copy + " could not be written: " + status.message());
}

}  // namespace

bool PlainCopyFile::IsNeeded(const duckdb::ParquetReader& reader,
                             const std::vector<std::string>& columns) {
  for (const auto& group : reader.GetFileMetadata()->row_groups) {
    for (const auto& chunk : group.columns) {
      const auto& data = chunk.meta_data;
      if (IsUnreadable(data) && !data.path_in_schema.empty() &&
          Contains(columns, data.path_in_schema.front())) {
        return true;
      }
    }
  }
  return false;
}

PlainCopyFile::PlainCopyFile(duckdb::ClientContext& context, const duckdb::OpenFileInfo& file,
                             const std::vector<std::string>& columns) {
  const std::string& url = file.path;
  const std::string folder = duckdb::DBConfig::GetConfig(context).options.temporary_directory;
  std::string name = folder + "/plain-XXXXXX";
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) Check(arrow::Status::IOError("no file can be made"), url, folder);
  path_ = name;
  try {
    const auto out = arrow::io::FileOutputStream::Open(descriptor);
    Check(out.status(), url, path_);
    source::WritePlainCopy(
        std::make_shared<EngineInput>(duckdb::FileSystem::GetFileSystem(context).OpenFile(
            file, duckdb::FileFlags::FILE_FLAGS_READ)),
        url, [&](std::string_view column) { return Contains(columns, std::string(column)); }, *out);
    Check((*out)->Close(), url, path_);
  } catch (...) {
    (void)unlink(path_.c_str());
    throw;
  }
}

PlainCopyFile::~PlainCopyFile() { (void)unlink(path_.c_str()); }

duckdb::OpenFileInfo PlainCopyFile::Open(const std::string& url) const {
  duckdb::OpenFileInfo info(url);
  info.extended_info = duckdb::make_shared_ptr<duckdb::ExtendedOpenFileInfo>();
  info.extended_info->options[kReadFrom] = duckdb::Value(path_);
  return info;
}

}  // namespace ariadne::scan
