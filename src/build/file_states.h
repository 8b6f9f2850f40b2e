#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "build/workspace.h"
#include "storage/layout.h"

namespace ariadne::build {

/// How a data file looked when it was indexed.
struct FileState {
  int64_t size = -1;        ///< Bytes.
  int64_t modified_ms = 0;  ///< Milliseconds since the epoch.
  std::string etag;         ///< Empty where the store has none.
  int64_t recorded_us = 0;  ///< When this was put down, microseconds since the epoch.
};

/// The table `native/file_states`: by it `sync` notices that a file was replaced. The look is taken
/// before the file is read, and put down after its row is in the main index: a file without a
/// record, or with an old one, is looked at again, never taken for unchanged. Deleting the table
/// costs that knowledge and nothing else.
class FileStates {
 public:
  /// By FileKey; empty where there is no table, or where it cannot be read.
  static std::map<std::string, FileState> Load(const storage::IndexLayout& layout);
  /// Puts states down; the newest of a file counts. Throws StorageError, LockLost.
  static void Record(Workspace* workspace, const std::map<std::string, FileState>& states);
  /// Forgets files. Throws StorageError, LockLost.
  static void Forget(Workspace* workspace, const std::set<std::string>& keys);
  static storage::ObjectRef Folder(const storage::IndexLayout& layout);
};

}  // namespace ariadne::build
