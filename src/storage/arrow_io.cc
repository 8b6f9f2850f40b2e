#include "storage/arrow_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include "ariadne/errors.h"
#include "storage/store_call.h"

namespace ariadne::storage {
namespace {

std::string UrlOf(const ObjectRef& object) { return object.store->base_url() + object.path; }

/// What both kinds of input share: a position, a size, and `ReadAt` as the only way to data.
class Input : public arrow::io::RandomAccessFile {
 public:
  explicit Input(ObjectRef object) : object_(std::move(object)) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  [[nodiscard]] bool closed() const override { return closed_; }
  [[nodiscard]] arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Result<int64_t> GetSize() override { return size_; }
  arrow::Status Seek(int64_t position) override {
    if (position < 0) return arrow::Status::Invalid("seek before the start of ", UrlOf(object_));
    position_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> Read(int64_t length, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t read, ReadAt(position_, length, out));
    position_ += read;
    return read;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t length) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, length));
    position_ += buffer->size();
    return buffer;
  }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t length, void* out) override {
    if (position < 0 || length < 0) {
      return arrow::Status::Invalid("a negative range was asked of ", UrlOf(object_));
    }
    length = std::min(length, size_ - position);
    if (length <= 0) return 0;
    return ReadRange(position, length, static_cast<uint8_t*>(out));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t length) override {
    const int64_t room = std::max<int64_t>(0, std::min(length, size_ - position));
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(room));
    ARROW_ASSIGN_OR_RAISE(const int64_t read, ReadAt(position, length, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(read));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 protected:
  virtual arrow::Result<int64_t> ReadRange(int64_t position, int64_t length, uint8_t* out) = 0;

  ObjectRef object_;
  int64_t size_ = 0;

 private:
  int64_t position_ = 0;
  bool closed_ = false;
};

class LocalInput : public Input {
 public:
  LocalInput(ObjectRef object, std::optional<int64_t> /*size*/) : Input(std::move(object)) {
    const std::string path = "/" + object_.path;
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file_ < 0 || ::fstat(file_, &status) != 0) CloseAndFail(errno);
    if (S_ISDIR(status.st_mode)) CloseAndFail(ENOENT);
    // What the descriptor says, not the caller: a file may have been replaced meanwhile.
    size_ = status.st_size;
    ar_store_count_read(object_.store->handle(), 1, 0);
  }
  ~LocalInput() override {
    if (file_ >= 0) ::close(file_);
  }

  [[nodiscard]] std::optional<ObjectMeta> Settled() const {
    const auto changed = Changed();
    const auto age = std::chrono::system_clock::now().time_since_epoch() - changed;
    // The clock of another machine; or one that keeps seconds.
    if (age < age.zero()) return std::nullopt;
    if (changed % std::chrono::seconds(1) == changed.zero() && age < std::chrono::seconds(2)) {
      return std::nullopt;
    }
    if (age < kTick) std::this_thread::sleep_for(kTick - age);
    ObjectMeta meta = object_.store->MetaOfOpen(object_.path, file_);
    if (Changed() != changed) return std::nullopt;
    return meta;
  }

 protected:
  arrow::Result<int64_t> ReadRange(int64_t position, int64_t length, uint8_t* out) override {
    int64_t done = 0;
    while (done < length) {
      const ssize_t n =
          ::pread(file_, out + done, static_cast<size_t>(length - done), position + done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return arrow::Status::IOError(UrlOf(object_), ": ", std::strerror(errno));
      if (n == 0) break;
      done += n;
    }
    ar_store_count_read(object_.store->handle(), 1, done);
    return done;
  }

 private:
  /// A kernel may stamp files by a clock that ticks a hundred times a second: what is written
  /// within a tick has one time.
  static constexpr std::chrono::nanoseconds kTick = std::chrono::milliseconds(20);

  /// When the file was last written to, since the epoch.
  [[nodiscard]] std::chrono::nanoseconds Changed() const {
    struct stat status {};
    if (::fstat(file_, &status) != 0) Fail(errno);
    return std::chrono::seconds(status.st_ctim.tv_sec) +
           std::chrono::nanoseconds(status.st_ctim.tv_nsec);
  }

  [[noreturn]] void CloseAndFail(int error) {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
    Fail(error);
  }
  [[noreturn]] void Fail(int error) const {
    if (error == ENOENT || error == ENOTDIR) {
      throw ObjectNotFound(UrlOf(object_) + " does not exist");
    }
    throw StorageError(UrlOf(object_) + " cannot be opened: " + std::strerror(error));
  }

  int file_ = -1;
};

class RemoteInput : public Input {
 public:
  RemoteInput(ObjectRef object, std::optional<int64_t> size) : Input(std::move(object)) {
    if (size.has_value()) {
      size_ = *size;
      return;
    }
    const auto meta = object_.store->Head(object_.path);
    if (!meta.has_value()) throw ObjectNotFound(UrlOf(object_) + " does not exist");
    size_ = meta->size;
  }

 protected:
  arrow::Result<int64_t> ReadRange(int64_t position, int64_t length, uint8_t* out) override {
    char* message = nullptr;
    int64_t read = 0;
    const int status = ar_get_range(object_.store->handle(), object_.path.c_str(), position, length,
                                    out, &read, &message);
    if (status != AR_OK) {
      const std::string text = message == nullptr ? "read failed" : message;
      ar_message_free(message);
      return arrow::Status::IOError(text);
    }
    return read;
  }
};

class Output : public arrow::io::OutputStream {
 public:
  explicit Output(ObjectRef object) : object_(std::move(object)) {
    char* message = nullptr;
    internal::Check(
        ar_upload_begin(object_.store->handle(), object_.path.c_str(), &upload_, &message),
        &message);
  }
  ~Output() override { ar_upload_free(upload_); }

  arrow::Status Write(const void* data, int64_t size) override {
    if (upload_ == nullptr) return arrow::Status::Invalid(UrlOf(object_), " is closed");
    char* message = nullptr;
    ARROW_RETURN_NOT_OK(Status(ar_upload_write(upload_, static_cast<const uint8_t*>(data),
                                               static_cast<size_t>(size), &message),
                               &message));
    position_ += size;
    return arrow::Status::OK();
  }
  arrow::Status Close() override {
    if (upload_ == nullptr) return arrow::Status::OK();
    char* message = nullptr;
    auto status = Status(ar_upload_finish(upload_, &message), &message);
    ar_upload_free(upload_);
    upload_ = nullptr;
    return status;
  }
  arrow::Status Abort() override {
    ar_upload_free(upload_);
    upload_ = nullptr;
    return arrow::Status::OK();
  }
  [[nodiscard]] bool closed() const override { return upload_ == nullptr; }
  [[nodiscard]] arrow::Result<int64_t> Tell() const override { return position_; }

 private:
  static arrow::Status Status(int status, char** message) {
    if (status == AR_OK) return arrow::Status::OK();
    const std::string text = *message == nullptr ? "write failed" : *message;
    ar_message_free(*message);
    return arrow::Status::IOError(text);
  }

  ObjectRef object_;
  ArUpload* upload_ = nullptr;
  int64_t position_ = 0;
};

}  // namespace

std::optional<ObjectMeta> SettledMeta(const arrow::io::RandomAccessFile& input) {
  const auto* local = dynamic_cast<const LocalInput*>(&input);
  return local ? local->Settled() : std::nullopt;
}

std::shared_ptr<arrow::io::RandomAccessFile> OpenInput(const ObjectRef& object,
                                                       std::optional<int64_t> size) {
  if (object.store->is_local()) return std::make_shared<LocalInput>(object, size);
  return std::make_shared<RemoteInput>(object, size);
}

std::shared_ptr<arrow::io::OutputStream> OpenOutput(const ObjectRef& object) {
  return std::make_shared<Output>(object);
}

}  // namespace ariadne::storage
