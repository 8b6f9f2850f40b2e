#pragma once

#include <cstdint>
#include <functional>

#include <arrow/type_fwd.h>

#include "cli/command.h"

namespace ariadne::cli {

/// Calls `visit` for each batch. Throws what the stream failed with: the library's own error where
/// it threw one through Arrow, else QueryError.
void ForEachBatch(arrow::RecordBatchReader& rows,
                  const std::function<void(const arrow::RecordBatch&)>& visit);

/// Prints the first `max_rows` rows (0: all) as a table that fits the terminal, and says how many
/// more there are. Reads the stream to its end. Returns the number of rows.
int64_t PrintRows(arrow::RecordBatchReader& rows, int64_t max_rows, Streams& streams);

}  // namespace ariadne::cli
