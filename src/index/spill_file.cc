#include "index/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "ariadne/errors.h"

namespace ariadne::index {

SpillFile::~SpillFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SpillFile::Fail(const char* what) const {
  throw StorageError(std::string("cannot ") + what + " a spill file in '" + folder_ +
                     "': " + std::strerror(errno) +
                     "; free space there, point TMPDIR at a folder that has some, or raise the "
                     "memory budget");
}

void SpillFile::Open() {
  std::error_code error;
  if (folder_.empty()) {
    folder_ = std::filesystem::temp_directory_path(error).string();
    if (error) folder_ = "/tmp";
  } else {
    std::filesystem::create_directories(folder_, error);  // mkostemp says what is wrong.
  }
  std::string path = folder_ + "/ariadne-spill-XXXXXX";
  descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) Fail("create");
  ::unlink(path.c_str());
}

int64_t SpillFile::Append(const void* data, int64_t bytes) {
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

void SpillFile::Read(int64_t offset, void* data, int64_t bytes) const {
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
