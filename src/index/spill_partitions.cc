#include "index/spill_partitions.h"

namespace ariadne::index {
namespace {

/// Bytes of a run: of all partitions those that wait to be written take 2 MB.
constexpr size_t kRunBytes = 8 << 10;

}  // namespace

void SpillPartitions::Add(uint64_t hash, std::initializer_list<std::string_view> pieces) {
  static_assert(kPartitions == 256);
  Partition& partition = partitions_[hash >> 56];
  size_t bytes = 0;
  for (const std::string_view piece : pieces) bytes += piece.size();
  if (!partition.last.empty() && partition.last.size() + bytes > kRunBytes) {
    const auto size = static_cast<int64_t>(partition.last.size());
    partition.runs.push_back({file_.Append(partition.last.data(), size), size});
    partition.last.clear();
  }
  for (const std::string_view piece : pieces) partition.last.append(piece);
}

void SpillPartitions::Read(int partition,
                           const std::function<void(std::string_view)>& visit) const {
  const Partition& entries = partitions_[partition];
  std::string bytes;
  for (const SpillRun& run : entries.runs) {
    bytes.resize(static_cast<size_t>(run.bytes));
    file_.Read(run.offset, bytes.data(), run.bytes);
    visit(bytes);
  }
  if (!entries.last.empty()) visit(entries.last);
}

}  // namespace ariadne::index
