#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "build/logged_files.h"
#include "query/index_state.h"
#include "query/main_index.h"
#include "query/row_probe.h"
#include "query/tracked_files.h"
#include "scan/file_scan.h"
#include "storage/file_list.h"
#include "storage/metadata.h"

namespace ariadne::query {

/// The state of one index that an answer is computed from: what is declared, which files are
/// tracked, what the main index knows of them, and what a Delta table's log says of them. File list
/// and main index are two tables: whichever is read first, a file that is in one of them alone
/// comes out as "maybe" or as not tracked. Immutable and safe to share; the index must outlive it.
class LakeSnapshot {
 public:
  /// Reads the newest state. Throws IndexNotFound, StorageError (also where the main index cannot
  /// be read whole and un-indexed files are left out), UnindexedFiles.
  static std::shared_ptr<const LakeSnapshot> Take(const internal::IndexImpl& index);

  [[nodiscard]] const internal::IndexImpl& index() const { return *index_; }
  [[nodiscard]] const storage::IndexMetadata& metadata() const { return metadata_; }
  /// nullptr before the first update.
  [[nodiscard]] const MainIndex* main_index() const { return main_index_.get(); }
  [[nodiscard]] const TrackedFiles& tracked() const { return tracked_; }
  [[nodiscard]] const std::shared_ptr<const build::LoggedFiles>& logged() const { return logged_; }
  /// Tracked files, indexed or not.
  [[nodiscard]] int64_t total_files() const {
    return tracked_.indexed_files + static_cast<int64_t>(tracked_.unindexed.size());
  }
  /// True if tracked files that are not indexed are candidates.
  [[nodiscard]] bool includes_unindexed() const;
  /// Where asks are answered from.
  [[nodiscard]] ProbeSite site() const;

 private:
  /// The file list, and what goes with it.
  std::vector<storage::FileListEntry> ReadTracked();
  void CheckMainIndexIsWhole() const;
  void ApplyUnindexedPolicy() const;

  const internal::IndexImpl* index_ = nullptr;
  storage::IndexMetadata metadata_;
  std::shared_ptr<const MainIndex> main_index_;
  TrackedFiles tracked_;
  std::shared_ptr<const build::LoggedFiles> logged_;
};

/// Requests to the store of a lake that are in flight at once. Requests wait, they do not compute:
/// on a remote store there are more of them than cores.
int StoreThreads(const internal::LakeImpl& lake);

/// How the files that indexes of the lake track are matched; no sizes are asked for.
TrackingOptions TrackingIn(const internal::LakeImpl& lake, int threads);

/// What a scan reads of these files (names as stored, bytes or -1), each once, by canonical name:
/// the order that decides between rows of one key and timestamp. What the log says of a file goes
/// with it.
std::vector<scan::ScanFile> ScanFilesOf(const internal::IndexImpl& index,
                                        const build::LoggedFiles& logged,
                                        const std::vector<std::pair<std::string, int64_t>>& files);

}  // namespace ariadne::query
