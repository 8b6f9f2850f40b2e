#pragma once

#include <memory>

#include "engine/session.h"
#include "storage/object_store.h"

namespace ariadne::query {

/// Sessions of the SQL engine that a lake keeps open between its queries, since opening one takes
/// tens of milliseconds. Each is one operation's alone while it has it: its memory, its threads and
/// its names. Thread-safe.
class SessionPool {
 public:
  SessionPool(engine::SessionOptions options, std::shared_ptr<storage::Stores> stores);
  ~SessionPool();
  SessionPool(const SessionPool&) = delete;
  SessionPool& operator=(const SessionPool&) = delete;

  /// A session that nobody else has, for an operation that registers the files `kLakeFiles` and the
  /// table `kKeys` and nothing else. It goes back, without these, when the last reference goes;
  /// that may be after the pool itself has gone.
  [[nodiscard]] std::shared_ptr<engine::Session> Take();
  /// A fresh session that does not come back, for an operation that registers functions: they
  /// cannot be taken out again.
  [[nodiscard]] std::shared_ptr<engine::Session> Open() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// The relation of a join's keys.
inline constexpr char kKeys[] = "keys";
/// The relation of the files that a join reads.
inline constexpr char kLakeFiles[] = "lake_files";

}  // namespace ariadne::query
