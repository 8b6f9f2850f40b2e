#include "index/sorted_runs.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <queue>
#include <vector>

namespace ariadne::index {
namespace {

/// Bytes of a block: of 64 runs they take 16 MB together.
constexpr size_t kBlockBytes = 256 << 10;

void AppendLength(size_t length, std::string* bytes) {
  const auto word = static_cast<uint32_t>(length);
  bytes->append(reinterpret_cast<const char*>(&word), sizeof(word));
}

/// The next entry of a run.
class Cursor {
 public:
  Cursor(const SpillFile& file, int run) : reader_(file, run) { Advance(); }

  [[nodiscard]] bool at_end() const { return at_end_; }
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] std::string_view payload() const { return payload_; }
  void Advance() {
    if (at_ == block_.size()) {
      at_ = 0;
      if (!reader_.Next(&block_)) {
        at_end_ = true;
        return;
      }
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

  SpillFile::Reader reader_;
  std::string block_;
  size_t at_ = 0;
  bool at_end_ = false;
  std::string_view key_;
  std::string_view payload_;
};

}  // namespace

void SortedRuns::BeginRun() {
  Flush();
  ++run_;
}

void SortedRuns::Add(std::string_view key, std::string_view payload) {
  AppendLength(key.size(), &block_);
  block_.append(key);
  AppendLength(payload.size(), &block_);
  block_.append(payload);
  if (block_.size() >= kBlockBytes) Flush();
}

void SortedRuns::Flush() {
  if (run_ >= 0) file_.Append(run_, block_);
  block_.clear();
}

void SortedRuns::Merge(const Visit& visit) {
  Flush();
  std::vector<std::unique_ptr<Cursor>> cursors;
  const auto later = [](const Cursor* a, const Cursor* b) { return a->key() > b->key(); };
  std::priority_queue<Cursor*, std::vector<Cursor*>, decltype(later)> next(later);
  for (int run = 0; run <= run_; ++run) {
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
