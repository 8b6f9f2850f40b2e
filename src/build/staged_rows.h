#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/delta_table.h"

namespace ariadne::build {

/// A row of the staging table.
struct StagedRow {
  std::string uri;   ///< Canonical.
  int32_t file = 0;  ///< Place in the staging table's files.
  int64_t row = 0;
  int64_t staged_at =
      INT64_MIN;  ///< Microseconds; the smallest where the table has no such column.
  std::string batch_id;
  // Known for rows of files that were staged more than once:
  int64_t completeness = 0;  ///< Cells that are not null.
  uint64_t payload_hash = 0;
};

/// One row for each file, the best where it was staged more than once: the newest, then the most
/// complete, then the greater batch id, then the greater hash of its cells. The same set of staged
/// rows gives the same choice whatever the order of files and rows. Sorted by place.
std::vector<StagedRow> ChooseStagedRows(const storage::DeltaTable& staging);

}  // namespace ariadne::build
