#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ariadne::index {

/// A nameless local file of byte runs, each belonging to one of a fixed number of partitions. It is
/// gone when the process is, however that ends.
class SpillFile {
 public:
  static constexpr int kPartitions = 64;
  /// Partition of a value by its hash.
  static int PartitionOf(uint64_t hash) { return static_cast<int>(hash >> 58); }

  /// `folder`: empty for the system's temporary one. Throws StorageError.
  explicit SpillFile(const std::string& folder);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// Throws StorageError, e.g. when the disk is full.
  void Append(int partition, std::string_view run);
  /// Calls `visit` with each run of the partition, as appended.
  void Read(int partition, const std::function<void(std::string_view)>& visit) const;

 private:
  struct Run {
    int partition;
    int64_t offset;
    int64_t size;
  };
  void ReadRun(const Run& run, std::string* bytes) const;

 public:
  /// Reads the runs of one partition one after the other; the file stays as it is meanwhile.
  class Reader {
   public:
    Reader(const SpillFile& file, int partition);
    /// False at the end.
    bool Next(std::string* run);

   private:
    const SpillFile& file_;
    std::vector<Run> runs_;
    size_t next_ = 0;
  };

 private:
  std::string folder_;
  int file_ = -1;
  int64_t end_ = 0;
  std::vector<Run> runs_;
};

}  // namespace ariadne::index
