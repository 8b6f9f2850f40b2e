#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "build/batches.h"
#include "build/file_states.h"
#include "build/lake_format.h"
#include "build/locked_index.h"
#include "build/plan.h"
#include "build/staging.h"
#include "build/update.h"

namespace ariadne::build {

/// Tells the caller's progress function, not too often.
class ProgressTeller {
 public:
  explicit ProgressTeller(const UpdateOptions& options) : options_(options) {}
  UpdateProgress state;

  void Tell(bool always = false);
  void Enter(const char* phase);

 private:
  const UpdateOptions& options_;
  std::chrono::steady_clock::time_point told_;
};

/// One update from its lock to its totals, whoever visits the files: what is done under the lock
/// and by one process alone. One thread.
class UpdateRun {
 public:
  /// Locks, finishes what an earlier run left in staging, plans. The arguments outlive the object.
  /// Throws as Index::Update.
  UpdateRun(const UpdateTarget& target, const UpdateOptions& options);

  [[nodiscard]] Workspace& workspace() { return index_.workspace(); }
  [[nodiscard]] LockKeeper& lock() { return index_.lock(); }
  [[nodiscard]] ProgressTeller& progress() { return progress_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const LakeFormat& format() const { return format_; }
  /// The main index as it was planned from; nullptr where there was none.
  [[nodiscard]] const std::shared_ptr<storage::DeltaTable>& main() const { return main_; }
  /// Batches in staging.
  [[nodiscard]] int staged() const { return staged_; }

  /// Commits batches to staging and refreshes the lock where it is time to.
  void Commit(const std::vector<StagedBatch>& batches);
  /// True where as many batches are staged as may be before they move to the main index.
  [[nodiscard]] bool ConsolidationIsDue() const;
  /// Nobody may be writing a batch.
  void Consolidate();
  /// What comes after the last batch. `result`: of all files.
  UpdateReport Finish(BuildResult result);

 private:
  const UpdateTarget& target_;
  const UpdateOptions& options_;
  std::chrono::steady_clock::time_point begin_;
  storage::IoCounters before_;
  ProgressTeller progress_;
  LockedIndex index_;
  LakeFormat format_;
  std::shared_ptr<storage::DeltaTable> main_;
  Plan plan_;
  /// How the files looked, by URI, before any of them was read.
  std::map<std::string, FileState> looks_;
  std::map<std::string, FileState> indexed_;  ///< Those of `looks_` that are indexed by now.
  UpdateReport report_;
  int staged_ = 0;
};

/// How an operation with this workspace builds. `threads`: 0: one a core.
BuildSettings BuildSettingsOf(const Workspace& workspace, std::stop_token stop);

}  // namespace ariadne::build
