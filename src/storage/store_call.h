#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <ariadne_delta.h>

namespace ariadne::storage::internal {

/// Throws the error that a status and its message stand for, unless it is AR_OK or AR_NOT_DONE;
/// releases the message. Returns whether the status is AR_OK. Takes the message's address, since
/// arguments may be evaluated before the call that sets it.
bool Check(int status, char** message);

/// Bytes that the C ABI returned.
class OwnedBytes {
 public:
  OwnedBytes() = default;
  ~OwnedBytes() { ar_bytes_free(&bytes_); }
  OwnedBytes(const OwnedBytes&) = delete;
  OwnedBytes& operator=(const OwnedBytes&) = delete;

  [[nodiscard]] ArBytes* out() { return &bytes_; }
  [[nodiscard]] std::string_view view() const {
    return {reinterpret_cast<const char*>(bytes_.data), bytes_.size};
  }

 private:
  ArBytes bytes_{nullptr, 0, 0};
};

/// Reads "packed" records, see ariadne_delta.h.
class PackedReader {
 public:
  explicit PackedReader(std::string_view data) : rest_(data) {}
  [[nodiscard]] bool done() const { return rest_.empty(); }
  int64_t Integer() {
    int64_t value;
    std::memcpy(&value, rest_.data(), sizeof(value));
    rest_.remove_prefix(sizeof(value));
    return value;
  }
  std::string Text() {
    const auto size = static_cast<size_t>(Integer());
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }

 private:
  std::string_view rest_;
};

}  // namespace ariadne::storage::internal
