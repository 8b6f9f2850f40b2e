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
namespace {

[[noreturn]] void Fail(const std::string& what, const std::string& folder) {
  throw StorageError("cannot " + what + " a spill file in '" + folder +
                     "': " + std::strerror(errno) +
                     "; free space there, name another spill folder, or raise the memory budget");
}

}  // namespace

SpillFile::SpillFile(const std::string& folder) : folder_(folder) {
  if (folder_.empty()) folder_ = std::filesystem::temp_directory_path().string();
  std::error_code ignored;  // mkstemp says what is wrong
  std::filesystem::create_directories(folder_, ignored);
  std::string path = folder_ + "/ariadne-spill-XXXXXX";
  file_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (file_ < 0) Fail("create", folder_);
  ::unlink(path.c_str());
}

SpillFile::~SpillFile() {
  if (file_ >= 0) ::close(file_);
}

void SpillFile::Append(int partition, std::string_view run) {
  const int64_t begin = end_;
  while (!run.empty()) {
    const ssize_t written = ::pwrite(file_, run.data(), run.size(), end_);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) Fail("write", folder_);
    run.remove_prefix(static_cast<size_t>(written));
    end_ += written;
  }
  if (end_ > begin) runs_.push_back({partition, begin, end_ - begin});
}

void SpillFile::ReadRun(const Run& run, std::string* bytes) const {
  bytes->resize(static_cast<size_t>(run.size));
  for (int64_t done = 0; done < run.size;) {
    const ssize_t got = ::pread(file_, bytes->data() + done, run.size - done, run.offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) Fail("read", folder_);
    done += got;
  }
}

void SpillFile::Read(int partition, const std::function<void(std::string_view)>& visit) const {
  std::string bytes;
  for (const Run& run : runs_) {
    if (run.partition != partition) continue;
    ReadRun(run, &bytes);
    visit(bytes);
  }
}

SpillFile::Reader::Reader(const SpillFile& file, int partition) : file_(file) {
  for (const Run& run : file.runs_) {
    if (run.partition == partition) runs_.push_back(run);
  }
}

bool SpillFile::Reader::Next(std::string* run) {
  if (next_ == runs_.size()) return false;
  file_.ReadRun(runs_[next_++], run);
  return true;
}

}  // namespace ariadne::index
