#include "index/sorted_runs.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <queue>
#include <vector>

namespace ariadne::index {
namespace {

constexpr int64_t kSmallestBlock = 8 << 10;
constexpr int64_t kLargestBlock = 256 << 10;

void AppendLength(size_t length, std::string* bytes) {
  const auto word = static_cast<uint32_t>(length);
  bytes->append(reinterpret_cast<const char*>(&word), sizeof(word));
}

/// The next entry of a run.
class Cursor {
 public:
  Cursor(const SpillFile& file, const std::vector<SpillRun>& blocks)
      : file_(file), blocks_(blocks) {
    Advance();
  }

  [[nodiscard]] bool at_end() const { return at_end_; }
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] std::string_view payload() const { return payload_; }
  void Advance() {
    if (at_ == block_.size()) {
      at_ = 0;
      at_end_ = next_ == blocks_.size();
      if (at_end_) return;
      const SpillRun& next = blocks_[next_++];
      block_.resize(static_cast<size_t>(next.bytes));
      file_.Read(next.offset, block_.data(), next.bytes);
    }
    key_ = Take();
    payload_ = Take();
  }

 private:
  std::string_view Take() {
    uint32_t length = 0;
    std::memcpy(&length, block_.data() + at_, sizeof(length));
    const std::string_view bytes(block_.data() + at_ + sizeof(length), length);
    at_ += sizeof(length) + length;
    return bytes;
  }

  const SpillFile& file_;
  const std::vector<SpillRun>& blocks_;
  size_t next_ = 0;
  std::string block_;
  size_t at_ = 0;
  bool at_end_ = false;
  std::string_view key_;
  std::string_view payload_;
};

}  // namespace

SortedRuns::SortedRuns(const std::string& folder, int64_t memory_bytes, int expected_runs)
    : file_(folder),
      block_bytes_(static_cast<size_t>(
          std::clamp(memory_bytes / expected_runs, kSmallestBlock, kLargestBlock))) {}

void SortedRuns::BeginRun() {
  EndBlock();
  runs_.emplace_back();
}

void SortedRuns::Add(std::string_view key, std::string_view payload) {
  const size_t bytes = 2 * sizeof(uint32_t) + key.size() + payload.size();
  if (block_.size() + bytes > block_bytes_) EndBlock();
  AppendLength(key.size(), &block_);
  block_.append(key);
  AppendLength(payload.size(), &block_);
  block_.append(payload);
}

void SortedRuns::EndBlock() {
  if (block_.empty()) return;
  const auto size = static_cast<int64_t>(block_.size());
  runs_.back().push_back({file_.Append(block_.data(), size), size});
  block_.clear();
}

void SortedRuns::Merge(const Visit& visit) {
  EndBlock();
  std::vector<std::unique_ptr<Cursor>> cursors;
  const auto later = [](const Cursor* a, const Cursor* b) { return a->key() > b->key(); };
  std::priority_queue<Cursor*, std::vector<Cursor*>, decltype(later)> next(later);
  for (const std::vector<SpillRun>& run : runs_) {
    cursors.push_back(std::make_unique<Cursor>(file_, run));
    if (!cursors.back()->at_end()) next.push(cursors.back().get());
  }
  while (!next.empty()) {
    Cursor* cursor = next.top();
    next.pop();
    visit(cursor->key(), cursor->payload());
    cursor->Advance();
    if (!cursor->at_end()) next.push(cursor);
  }
}

}  // namespace ariadne::index
