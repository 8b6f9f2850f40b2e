#pragma once

#include <cstdint>
#include <string>

namespace ariadne::index {

/// A temporary local file for what a lookup file's writer cannot hold in memory. It has no name, so
/// nothing stays behind however the process ends.
class LookupSpill {
 public:
  /// `folder`: empty for the system's temporary one. Nothing is created before the first Append.
  explicit LookupSpill(std::string folder);
  ~LookupSpill();
  LookupSpill(const LookupSpill&) = delete;
  LookupSpill& operator=(const LookupSpill&) = delete;

  /// Returns where the bytes begin. Throws StorageError naming folder and cause.
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

}  // namespace ariadne::index
