#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "rowgroup/background_load.h"
#include "rowgroup/index_store.h"
#include "rowgroup/index_table.h"
#include "rowgroup/row_group_options.h"
#include "storage/object_store.h"

namespace ariadne::rowgroup {

/// The row-group indexes of a process: its store and, where they are to outlive it, the table that
/// they come from and go to. What goes wrong with the table is a warning: queries are answered
/// without it. Thread-safe.
class IndexService {
 public:
  /// `root`: below which the table lies. `warn`: is told once of each fault, from any thread.
  IndexService(const RowGroupOptions& options, const storage::ObjectRef& root,
               std::function<void(const std::string&)> warn);
  /// Saves.
  ~IndexService();
  IndexService(const IndexService&) = delete;
  IndexService& operator=(const IndexService&) = delete;

  [[nodiscard]] const std::shared_ptr<IndexStore>& store() const { return store_; }
  /// Called before a query: waits a moment for a load that has just begun, and saves now and then.
  void BeforeQuery();
  /// Writes what was built since the last call to the table, if there is one.
  void Save();

 private:
  void Warn(const std::string& text);

  const RowGroupOptions options_;
  const std::function<void(const std::string&)> warn_;
  const std::shared_ptr<IndexStore> store_;
  std::mutex mutex_;
  std::optional<IndexTable> table_;
  std::optional<BackgroundLoad> load_;  ///< Until it has ended and was waited for.
  bool waited_ = false;
  std::string warned_;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace ariadne::rowgroup
