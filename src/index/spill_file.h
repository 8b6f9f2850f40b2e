#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace ariadne::index {

/// A nameless local file for what does not fit in memory. It is gone when the process is, however
/// that ends.
class SpillFile {
 public:
  /// `folder`: empty for the system's temporary one. Nothing is created before the first Append.
  explicit SpillFile(std::string folder) : folder_(std::move(folder)) {}
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// Returns where the bytes begin. Throws StorageError naming folder and cause, such as a full
  /// disk.
  int64_t Append(const void* data, int64_t bytes);
  void Read(int64_t offset, void* data, int64_t bytes) const;
  [[nodiscard]] int64_t size() const { return size_; }

 private:
  void Open();
  [[noreturn]] void Fail(const char* what) const;

  std::string folder_;
  int descriptor_ = -1;
  int64_t size_ = 0;
};

/// Bytes that were appended as one.
struct SpillRun {
  int64_t offset = 0;
  int64_t bytes = 0;
};

}  // namespace ariadne::index
