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
//   regular, computed, exploded, temporal   a list, empty where the file holds no value; or null,
//                                           and `large_indexes/{column}` has rows of the file
//   range                                   a struct, its members null where there is no value
//   bloom, automatic bloom                  a filter, one without any bit where there is no value
//
// Any other null is "not built", a candidate for every query and a task for the next update. A
// pair's large rows are all of one commit, before the row with the null cell, so they tell the two
// nulls apart after any crash. The JVM library differs in one place: it writes a null filter for a
// file without values, which looks like a filter not built: `NullFilterProvesNoValue` tells where
// that cannot be.

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
