#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "build/update_run.h"
#include "build/update_share.h"

namespace ariadne::build {

/// How many files go to a process at a time.
struct ShareSize {
  int64_t least_bytes = 64 << 20;         ///< Unless none are left.
  int64_t most_bytes = int64_t{2} << 30;  ///< More only for one file.
  /// A share and its result name each of their files, and Spark's driver holds those of two jobs.
  int64_t most_files = 2048;
};

/// An update whose files are visited by other processes. This one holds the lock, plans, commits
/// and consolidates; the others write data files that nothing refers to until then, so that one
/// that is lost, or does its share twice, costs room until the next vacuum and nothing else.
///
/// Staging is a folder that consolidation takes away, so there are no shares out meanwhile. One
/// thread.
class DistributedUpdate {
 public:
  /// `parallelism`: how many processes visit files at a time. The other arguments outlive the
  /// object. Throws as Index::Update.
  DistributedUpdate(const UpdateTarget& target, const UpdateOptions& options, int parallelism,
                    const ShareSize& size = {});

  [[nodiscard]] const Plan& plan() const { return run_.plan(); }
  /// Some files for one process; nullopt where none are left, or where none are to be had before
  /// all shares that are out have come back.
  std::optional<UpdateShare> NextShare();
  /// No share is out and none is left.
  [[nodiscard]] bool done() const { return out_ == 0 && next_ == run_.plan().jobs.size(); }
  /// Commits what became of shares, all in one commit.
  void Commit(std::vector<ShareResult> results);
  /// To be called every now and then while shares are out. Throws LockLost.
  void KeepLock() { run_.lock().Tick(); }
  /// Ends the update. Throws InvalidArgument where it is not done.
  UpdateReport Finish();

 private:
  UpdateRun run_;
  const UpdateTarget& target_;
  int parallelism_;
  ShareSize size_;
  size_t next_ = 0;
  int64_t out_ = 0;     ///< Shares that have not come back.
  int64_t number_ = 0;  ///< Of the next share.
  BuildResult result_;
  int64_t bytes_read_ = 0;
  int64_t bytes_written_ = 0;
};

/// Visits the files of a share and leaves what was built uncommitted. Throws Cancelled on a stop
/// request, StorageError; a file that cannot be read is reported.
ShareResult BuildShare(const UpdateTarget& target, const UpdateShare& share,
                       const std::stop_token& stop);

}  // namespace ariadne::build
