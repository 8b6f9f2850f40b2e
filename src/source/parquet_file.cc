#include "source/parquet_file.h"

#include <mutex>

#include <arrow/buffer.h>

namespace ariadne::source {

namespace {

/// One request for most chunks, few for the largest.
constexpr int64_t kStreamBytes = 8 << 20;

}  // namespace

// Remembers a read that failed: Parquet's exceptions do not tell a broken store from a broken file.
class ParquetFile::Input : public arrow::io::RandomAccessFile {
 public:
  explicit Input(std::shared_ptr<arrow::io::RandomAccessFile> file) : file_(std::move(file)) {}

  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return file_->closed(); }
  arrow::Result<int64_t> Tell() const override { return file_->Tell(); }
  arrow::Status Seek(int64_t position) override { return Watch(file_->Seek(position)); }
  arrow::Result<int64_t> GetSize() override { return Watch(file_->GetSize()); }
  arrow::Result<int64_t> Read(int64_t length, void* out) override {
    return Watch(file_->Read(length, out));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t length) override {
    return Watch(file_->Read(length));
  }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t length, void* out) override {
    return Watch(file_->ReadAt(position, length, out));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t length) override {
    return Watch(file_->ReadAt(position, length));
  }

  arrow::Status failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  const arrow::Status& Note(const arrow::Status& status) {
    // A range that lies outside of the file is the footer's fault (Invalid), not the store's.
    if (status.IsIOError()) {
      const std::lock_guard lock(mutex_);
      if (failure_.ok()) failure_ = status;
    }
    return status;
  }
  arrow::Status Watch(const arrow::Status& status) { return Note(status); }
  template <typename T>
  arrow::Result<T> Watch(arrow::Result<T> result) {
    Note(result.status());
    return result;
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  mutable std::mutex mutex_;
  arrow::Status failure_;
};

std::string Reason(std::string_view message) {
  for (const std::string_view code : {"Invalid: ", "IOError: ", "NotImplemented: "}) {
    if (message.starts_with(code)) message.remove_prefix(code.size());
  }
  while (message.ends_with('.') || message.ends_with('\n')) message.remove_suffix(1);
  return std::string(message);
}

const parquet::ReaderProperties& ParquetFile::properties() {
  static const parquet::ReaderProperties kProperties = [] {
    parquet::ReaderProperties properties = parquet::default_reader_properties();
    properties.set_page_checksum_verification(true);
    // A chunk comes in pieces of this size, not whole: a file may be a single row group.
    properties.enable_buffered_stream();
    properties.set_buffer_size(kStreamBytes);
    return properties;
  }();
  return kProperties;
}

ParquetFile::ParquetFile(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string uri,
                         std::string remedy)
    : uri_(std::move(uri)),
      remedy_(std::move(remedy)),
      watched_(std::make_shared<Input>(std::move(file))),
      input_(watched_) {
  size_ = Unwrap("", input_->GetSize());
  if (size_ == 0) Fail("", "the file is empty (0 bytes)");
  Guard("", [this] {
    try {
      reader_ = parquet::ParquetFileReader::Open(input_, properties());
    } catch (const std::exception&) {
      const auto end = input_->ReadAt(size_ < 4 ? 0 : size_ - 4, 4);
      if (end.ok() && std::string_view(**end) == "PARE") {
        Fail("", "its footer is encrypted, and Ariadne has no key");
      }
      throw;
    }
    metadata_ = reader_->metadata();
  });
  int64_t rows = 0;
  for (int group = 0; group < metadata_->num_row_groups(); ++group) {
    const int64_t in_group = metadata_->RowGroup(group)->num_rows();
    if (in_group < 0) Fail("", "its footer claims a negative number of rows");
    rows += in_group;
  }
  if (rows != metadata_->num_rows()) {
    Fail("", "its footer claims " + std::to_string(metadata_->num_rows()) +
                 " rows, and its row groups hold " + std::to_string(rows));
  }
}

ParquetFile::~ParquetFile() = default;

void ParquetFile::Fail(const std::string& column, const std::string& why) const {
  const std::string what = column.empty() ? uri_ : uri_ + ", column '" + column + "'";
  const arrow::Status failure = watched_->failure();
  if (!failure.ok()) throw StorageError(what + " could not be read: " + Reason(failure.message()));
  throw InvalidFile(what + " cannot be read as Parquet: " + Reason(why) + ". " + remedy_);
}

}  // namespace ariadne::source
