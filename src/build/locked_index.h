#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "build/large_tables.h"
#include "build/logged_files.h"
#include "build/workspace.h"
#include "storage/lock.h"
#include "storage/metadata.h"

namespace ariadne::build {

/// An index under its update lock, from the constructor to the destructor, brought to the storage
/// version that we write (build/migrate.h), its metadata saying rightly whether there are
/// LoggedFiles. What every operation that writes begins with. One thread.
class LockedIndex {
 public:
  /// `target` outlives the object. Throws IndexNotFound, LockTimeout, Cancelled, StorageError.
  LockedIndex(const UpdateTarget& target, std::stop_token stop);
  LockedIndex(const LockedIndex&) = delete;
  LockedIndex& operator=(const LockedIndex&) = delete;

  /// Fills in what building needs of the workspace: schema, plans, large tables. The other
  /// operations do without, so that an index with a column that we cannot build can be kept up.
  /// Throws ColumnNotFound, UnsupportedColumn.
  void PlanBuilding();

  [[nodiscard]] const storage::IndexLayout& layout() const { return target_.layout; }
  [[nodiscard]] const storage::IndexMetadata& metadata() const { return metadata_; }
  [[nodiscard]] Workspace& workspace() { return workspace_; }
  [[nodiscard]] LockKeeper& lock() { return keeper_; }
  /// Throws Cancelled where a stop was requested: called where nothing is half done.
  void ThrowIfStopped(const char* operation) const;

  /// Puts the total size, summed from the main index, into the metadata, and `batches` as the
  /// counter of batches since the last compaction where it is given.
  void WriteTotals(std::optional<int64_t> batches = {});
  /// Puts down what a Delta table's log says of the lake's files; the metadata tells readers to
  /// look for it before any is there.
  void RecordLogged(const LoggedFiles& files);

 private:
  const UpdateTarget& target_;
  std::stop_token stop_;
  std::unique_ptr<storage::Lock> lock_;
  LockKeeper keeper_;
  storage::IndexMetadata metadata_;
  Workspace workspace_;
  std::unique_ptr<LargeTables> large_;
};

/// The metadata of an index that must be there. Throws IndexNotFound.
storage::IndexMetadata ReadMetadataOf(const storage::IndexLayout& layout);

}  // namespace ariadne::build
