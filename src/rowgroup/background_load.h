#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "rowgroup/index_store.h"
#include "rowgroup/index_table.h"

namespace ariadne::rowgroup {

/// Fills a store from a table in a thread of its own. Until an index is there, it is "maybe". A
/// load that fails, or takes longer than its limit, keeps what it has got, and says so; a read that
/// hangs holds nothing up, not even the end of the process.
class BackgroundLoad {
 public:
  /// Begins. `limit`: from now on.
  BackgroundLoad(IndexTable table, std::shared_ptr<IndexStore> store,
                 std::chrono::milliseconds limit);
  /// Stops; does not wait for a read that hangs.
  ~BackgroundLoad();
  BackgroundLoad(const BackgroundLoad&) = delete;
  BackgroundLoad& operator=(const BackgroundLoad&) = delete;

  /// Waits for the end of the load, `longest` at most. True: it has ended, well or not.
  bool Wait(std::chrono::milliseconds longest) const;
  /// What was wrong, fit to be shown; empty: nothing so far. The table's name is in it.
  [[nodiscard]] std::string warning() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ariadne::rowgroup
