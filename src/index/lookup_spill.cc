#include "index/lookup_spill.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "ariadne/errors.h"

namespace ariadne::index {

LookupSpill::LookupSpill(std::string folder) : folder_(std::move(folder)) {}

LookupSpill::~LookupSpill() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void LookupSpill::Fail(const char* what) const {
  throw StorageError(std::string("cannot ") + what + " a temporary file in " + folder_ + ": " +
                     std::strerror(errno) +
                     "; free space there or point TMPDIR at a folder that has some");
}

void LookupSpill::Open() {
  if (folder_.empty()) {
    std::error_code error;
    folder_ = std::filesystem::temp_directory_path(error).string();
    if (error) folder_ = "/tmp";
  }
  const std::string pattern = folder_ + "/ariadne-lookup-XXXXXX";
  std::vector<char> path(pattern.begin(), pattern.end());
  path.push_back('\0');
  descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) Fail("create");
  ::unlink(path.data());
}

int64_t LookupSpill::Append(const void* data, int64_t bytes) {
  if (descriptor_ < 0) Open();
  const int64_t begin = size_;
  const char* at = static_cast<const char*>(data);
  for (int64_t left = bytes; left > 0;) {
    const ssize_t n = ::pwrite(descriptor_, at, static_cast<size_t>(left), size_);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) Fail("write");
    at += n;
    left -= n;
    size_ += n;
  }
  return begin;
}

void LookupSpill::Read(int64_t offset, void* data, int64_t bytes) const {
  char* at = static_cast<char*>(data);
  for (int64_t left = bytes; left > 0;) {
    const ssize_t n = ::pread(descriptor_, at, static_cast<size_t>(left), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) Fail("read");
    at += n;
    left -= n;
    offset += n;
  }
}

}  // namespace ariadne::index
