#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "ariadne/index.h"
#include "build/file_row.h"

namespace ariadne::build {

/// Rows that are staged together.
struct Batch {
  std::vector<FileRow> rows;  ///< In no particular order.
  int64_t bytes = 0;          ///< Memory that the cells take.
  int64_t distinct = 0;       ///< Sum of the rows' distinct values.
  bool last = false;          ///< No other batch follows.
};

struct BuildSettings {
  int threads = 1;
  int64_t memory_bytes = 0;  ///< For all threads together, cells that wait to be staged included.
  int64_t batch_bytes = 0;   ///< Cells from which on a batch is full.
  /// Distinct values that a batch of several files has at most; a file with more is one by itself.
  int64_t batch_distinct = 0;
  index::BuildContext context;
  Placement placement;
  std::stop_token stop;
};

struct BuildResult {
  std::vector<FailedFile> failed;  ///< By URI.
  int64_t bytes_indexed = 0;       ///< Sizes of the files that were built.
  bool stopped = false;            ///< A stop was requested before all files were visited.
};

/// Told from the calling thread, some ten times a second and after every batch.
using BuildTick = std::function<void(int64_t files_done, int64_t bytes_done)>;

/// Visits the files in parallel, in the order of the jobs, and hands full batches to `stage` on the
/// calling thread while the next one is being built. A file that fails is noted and the others go
/// on. On a stop request the files in progress are finished and handed over. What `stage` or `tick`
/// throws ends the threads and is thrown.
BuildResult BuildBatches(const std::vector<FileJob>& jobs, const std::vector<ColumnPlan>& columns,
                         const LakeFormat& format, const BuildSettings& settings,
                         const std::function<void(Batch)>& stage, const BuildTick& tick);

}  // namespace ariadne::build
