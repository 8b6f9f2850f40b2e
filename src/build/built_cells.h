#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "storage/delta_table.h"

namespace ariadne::build {

// When is a cell of the main index built?
//
// A column declared after a file was indexed has null cells until the file is visited again, and a
// visit can be cut off between any two files. So a cell says by itself that it was built, and no
// other record can be lost or fall behind:
//
//   regular   a list, empty where the file holds no value
//   range     a struct, its members null where the file holds no value
//   bloom     a filter, one without any bit where the file holds no value
//
// What we write is never null once it was built; null is "not built", a candidate for every query
// and a task for the next update. The JVM library differs in two places. It keeps null where a
// regular column's values went to `large_indexes/{column}`: built if and only if that table has
// rows of the file. And it writes a null filter for a file without values, which looks like a
// filter not built: `NullFilterProvesNoValue` tells where that cannot be.

/// The cell to store for what a builder gave: never null (above). `cell`: length 1.
std::shared_ptr<arrow::Array> BuiltCell(const IndexedColumn& column,
                                        const std::shared_ptr<arrow::Array>& cell);

/// True where a null cell of a bloom or range column can only mean that the file holds no value:
/// Spark wrote the table's first version and it had the column already, so no row was ever written
/// without it. False for every table of ours, and where the first version is gone. One small read.
bool NullFilterProvesNoValue(const storage::DeltaTable& main, const std::string& storage_column);

/// True where the statistics in the log say that no row of the data file has a null in the column,
/// nor in any member of it.
bool StatisticsProveNoNull(const storage::DataFile& file, const std::string& storage_column);

}  // namespace ariadne::build
