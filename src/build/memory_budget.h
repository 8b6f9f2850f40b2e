#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace ariadne::build {

/// Bytes that threads share. Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t bytes) : total_(bytes), free_(bytes) {}

  /// Part of the budget, given back when destroyed.
  class Share {
   public:
    Share(MemoryBudget* budget, int64_t bytes) : budget_(budget), bytes_(bytes) {}
    ~Share() { budget_->Return(bytes_); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    [[nodiscard]] int64_t bytes() const { return bytes_; }

   private:
    MemoryBudget* budget_;
    int64_t bytes_;
  };

  /// Waits until `bytes` are free. Who wants more than there is gets all of it, alone.
  [[nodiscard]] Share Take(int64_t bytes) {
    const int64_t taken = std::min(bytes, total_);
    std::unique_lock guard(mutex_);
    returned_.wait(guard, [&] { return free_ >= taken; });
    free_ -= taken;
    return {this, taken};
  }

 private:
  void Return(int64_t bytes) {
    {
      const std::lock_guard guard(mutex_);
      free_ += bytes;
    }
    returned_.notify_all();
  }

  const int64_t total_;
  int64_t free_;
  std::mutex mutex_;
  std::condition_variable returned_;
};

}  // namespace ariadne::build
