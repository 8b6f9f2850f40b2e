#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "ariadne/options.h"
#include "storage/object_store.h"

namespace ariadne::storage {

/// A lock file held: {"correlationId","acquiredAt","lastRefreshedAt","owner"}. See
/// docs/storage-format.md for how stale ones are taken over. Released when destroyed.
class Lock {
 public:
  /// Waits with exponential backoff. Throws LockTimeout, whose message says who holds the lock and
  /// since when; Cancelled on a stop request. `waiting` is told once what is waited for;
  /// without it, standard error is.
  static std::unique_ptr<Lock> Acquire(const ObjectRef& object, const Options& options,
                                       std::stop_token stop = {},
                                       const std::function<void(const std::string&)>& waiting = {});
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  /// Puts a new lastRefreshedAt. Throws LockLost when another holder's id stands there.
  void Refresh();
  /// Throws LockLost when the lock is no longer ours: called before each commit.
  void Check() const;
  [[nodiscard]] const std::string& correlation_id() const;

 private:
  struct State;
  explicit Lock(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// While it lives, waits for locks on this thread end with Cancelled at a stop request, also those
/// of operations that take no stop token of their own.
class StopLockWaits {
 public:
  explicit StopLockWaits(std::stop_token stop);
  ~StopLockWaits();
  StopLockWaits(const StopLockWaits&) = delete;
  StopLockWaits& operator=(const StopLockWaits&) = delete;

 private:
  std::stop_token outer_;
};

}  // namespace ariadne::storage
