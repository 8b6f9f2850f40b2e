#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ariadne/options.h"
#include "query/main_index.h"
#include "storage/file_list.h"
#include "storage/object_store.h"

namespace ariadne::query {

/// A tracked file that the main index does not know.
struct UnindexedFile {
  std::string uri;    ///< As stored in the file list, or as expanded from a folder or glob there.
  int64_t size = -1;  ///< Bytes; -1: not asked for.
};

/// The file list beside the main index: who is tracked, who is indexed.
struct TrackedFiles {
  /// A byte a row, for each part of the main index: 1 where the row's file is tracked.
  std::vector<std::vector<uint8_t>> rows;
  /// Sorted by name.
  std::vector<UnindexedFile> unindexed;
  /// For each entry of the file list: 1 where the main index has that very file.
  std::vector<uint8_t> entry_indexed;
  /// Distinct tracked files that the main index knows.
  int64_t indexed_files = 0;
  /// True where the main index may have several rows of one file, under one spelling or two:
  /// answers then name it once.
  bool repeated_files = false;
};

struct TrackingOptions {
  const storage::Stores* stores = nullptr;
  storage::ObjectRef root;  ///< Of the storage, whose own files are no data.
  std::vector<PathMapping> path_map;
  int threads = 1;
  /// Ask the store for the sizes of un-indexed files; a missing file has size 0.
  bool sizes = false;
};

/// Compares by canonical form. The JVM library keeps in its list whatever its caller typed, so an
/// entry may be a folder or a glob: one that names no object is expanded, and the rows below it are
/// tracked. Without any entry the rows of the main index are what is tracked.
TrackedFiles MatchTrackedFiles(const std::vector<storage::FileListEntry>& entries,
                               const MainIndex* main_index, const TrackingOptions& options);

/// Canonical form of a stored name; the name itself where it has none.
std::string CanonicalOrSelf(std::string_view stored);

}  // namespace ariadne::query
