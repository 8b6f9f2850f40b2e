#include "rowgroup/background_load.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace ariadne::rowgroup {

struct BackgroundLoad::State {
  State(IndexTable read, std::shared_ptr<IndexStore> filled,
        std::chrono::steady_clock::time_point until)
      : table(std::move(read)), store(std::move(filled)), deadline(until) {}

  void Run() {
    std::string said;
    try {
      const auto report = table.Read([this](const IndexKey& key, RowGroupIndex index) {
        if (stopped || std::chrono::steady_clock::now() >= deadline) return false;
        store->Load(key, std::move(index));
        return true;
      });
      if (report.stopped && !stopped) {
        said = "not all row-group indexes were loaded in time";
      } else if (report.damaged > 0) {
        said = std::to_string(report.damaged) + " row-group indexes are damaged and were left out";
      }
    } catch (const std::exception& error) {
      said = std::string("the row-group indexes cannot be loaded: ") + error.what();
    }
    const std::lock_guard lock(mutex);
    if (!said.empty()) warning = said + " (" + table.url() + ")";
    ended = true;
    changed.notify_all();
  }

  const IndexTable table;
  const std::shared_ptr<IndexStore> store;
  const std::chrono::steady_clock::time_point deadline;
  std::atomic<bool> stopped{false};
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  std::string warning;
};

BackgroundLoad::BackgroundLoad(IndexTable table, std::shared_ptr<IndexStore> store,
                               std::chrono::milliseconds limit)
    : state_(std::make_shared<State>(std::move(table), std::move(store),
                                     std::chrono::steady_clock::now() + limit)) {
  std::thread([state = state_] { state->Run(); }).detach();
}

BackgroundLoad::~BackgroundLoad() {
  state_->stopped = true;
  // A thread that still runs while the process is torn down may meet what is gone; one that only
  // has to notice `stopped` is waited for, one that hangs is not.
  Wait(std::chrono::milliseconds(200));
}

bool BackgroundLoad::Wait(std::chrono::milliseconds longest) const {
  const auto now = std::chrono::steady_clock::now();
  auto until = now + longest;
  // Past its limit a load that hangs is not worth more waiting.
  if (!state_->stopped) until = std::min(until, std::max(state_->deadline, now));
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_until(lock, until, [this] { return state_->ended; });
}

std::string BackgroundLoad::warning() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->warning.empty() && !state_->ended &&
      std::chrono::steady_clock::now() >= state_->deadline) {
    return "the row-group indexes are not loaded yet, past their time (" + state_->table.url() +
           ")";
  }
  return state_->warning;
}

}  // namespace ariadne::rowgroup
