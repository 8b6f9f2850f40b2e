#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "build/large_tables.h"
#include "build/main_rows.h"
#include "build/update.h"

namespace ariadne::build {

/// One file to visit.
struct FileJob {
  std::string uri;                  ///< Canonical.
  storage::ObjectRef object;        ///< Where it is read.
  int64_t size = -1;                ///< Bytes; -1: not there, or not known.
  int64_t modified_ms = 0;          ///< As the store said with the size; 0: not known.
  std::string etag;                 ///< Likewise; empty where the store has none.
  std::string error;                ///< Why it cannot be visited; empty: it can.
  std::vector<int> columns;         ///< Declared columns to build, by their place.
  std::optional<RowPlace> old_row;  ///< Its row in the main index, where it has one (backfill).
};

/// What an update has to do.
struct Plan {
  std::vector<FileJob> jobs;  ///< New files by URI, then backfills by place in the main index.
  int64_t bytes = 0;          ///< Sum of the sizes that are known.
};

/// Tracked files that the main index lacks, and those whose row lacks a declared column
/// (build/built_cells.h). `main`: nullptr where there is no table yet. Sizes are filled in, by
/// listing a folder once where many of its files are wanted.
Plan MakePlan(const UpdateTarget& target, const std::vector<IndexedColumn>& columns,
              const storage::DeltaTable* main, const LargeTables& large);

}  // namespace ariadne::build
