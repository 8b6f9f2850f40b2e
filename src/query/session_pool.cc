#include "query/session_pool.h"

#include <mutex>
#include <utility>
#include <vector>

#include <arrow/table.h>
#include <arrow/type.h>

namespace ariadne::query {

namespace {

// So many operations at once find an open session; idle ones hold threads, and little memory.
constexpr size_t kIdle = 4;

/// Frees what an operation registered. Throws where the database is broken.
void Clear(engine::Session& session) {
  const auto schema = arrow::schema({arrow::field("none", arrow::int32())});
  session.RegisterTable(kKeys, arrow::Table::MakeEmpty(schema).ValueOrDie());
  auto no_files = std::make_shared<scan::FileSet>();
  no_files->schema = schema;
  session.RegisterFiles(kLakeFiles, std::move(no_files));
}

}  // namespace

struct SessionPool::State {
  engine::SessionOptions options;
  std::shared_ptr<storage::Stores> stores;
  std::mutex mutex;
  std::vector<std::unique_ptr<engine::Session>> idle;

  void GiveBack(std::unique_ptr<engine::Session> session) {
    {
      const std::lock_guard lock(mutex);
      if (idle.size() >= kIdle) return;
    }
    Clear(*session);
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(session));
  }
};

SessionPool::SessionPool(engine::SessionOptions options, std::shared_ptr<storage::Stores> stores)
    : state_(std::make_shared<State>()) {
  state_->options = std::move(options);
  state_->stores = std::move(stores);
}

SessionPool::~SessionPool() = default;

std::shared_ptr<engine::Session> SessionPool::Take() {
  std::unique_ptr<engine::Session> session;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->idle.empty()) {
      session = std::move(state_->idle.back());
      state_->idle.pop_back();
    }
  }
  if (!session) session = std::make_unique<engine::Session>(state_->options, state_->stores);
  return {session.release(), [pool = std::weak_ptr(state_)](engine::Session* used) {
            std::unique_ptr<engine::Session> owned(used);
            const auto open = pool.lock();
            if (!open) return;
            try {
              open->GiveBack(std::move(owned));
            } catch (const std::exception&) {
              // A session that cannot be cleared is closed: the next operation opens another.
            }
          }};
}

std::shared_ptr<engine::Session> SessionPool::Open() const {
  return std::make_shared<engine::Session>(state_->options, state_->stores);
}

}  // namespace ariadne::query
