#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "build/plan.h"
#include "build/staging.h"
#include "build/update.h"
#include "storage/metadata.h"

namespace ariadne::build {

/// Files of an update that another process visits, and all that it must know to build just what the
/// process that holds the lock would. Sent as JSON between two processes of one release.
struct UpdateShare {
  std::string index;  ///< Its name.
  std::string run;    ///< With what the ids of its batches begin.
  storage::IndexMetadata metadata;
  /// Columns whose files have filters because one of them is large.
  std::vector<std::string> filter_columns;
  int64_t large_index_limit = 0;
  double auto_bloom_fpr = 0.01;
  std::string token_time_zone;
  /// Data files of the main index in which the old rows of the jobs have their places.
  std::vector<storage::DataFile> old_files;
  std::vector<FileJob> jobs;  ///< All of which can be visited.

  [[nodiscard]] std::string ToJson() const;
  /// `stores`: where the files are read. Throws InvalidArgument.
  static UpdateShare Parse(const std::string& json, const storage::Stores& stores);
};

/// What became of a share.
struct ShareResult {
  std::vector<StagedBatch> batches;
  std::vector<FailedFile> failed;
  int64_t bytes_indexed = 0;
  int64_t bytes_read = 0;  ///< From the stores, in bytes; likewise:
  int64_t bytes_written = 0;

  [[nodiscard]] std::string ToJson() const;
  /// Throws InvalidArgument.
  static ShareResult Parse(const std::string& json);
};

}  // namespace ariadne::build
