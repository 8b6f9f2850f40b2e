#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/delta_table.h"
#include "storage/object_store.h"

namespace ariadne::storage {

struct FileListEntry {
  std::string filename;     ///< As stored.
  int64_t added_at_us = 0;  ///< Microseconds since the epoch; INT96 is read too.
};

/// The tracked files of one index: a Delta table (filename string, addedAt timestamp). Callers hold
/// the file list lock for writes.
class FileList {
 public:
  explicit FileList(ObjectRef folder);
  /// In no particular order; empty where the table does not exist. Keeps the snapshot of the last
  /// call, so a second call on an unchanged table costs one listing.
  [[nodiscard]] std::vector<FileListEntry> Entries() const;
  /// Appends those of `filenames` whose exact spelling is not there; returns how many.
  int64_t Add(const std::vector<std::string>& filenames);
  /// Removes these exact spellings; returns how many there were.
  int64_t Remove(const std::vector<std::string>& filenames);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ariadne::storage
