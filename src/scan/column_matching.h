#pragma once

#include <arrow/type_fwd.h>

namespace duckdb {
class ParquetReader;
struct MultiFileColumnDefinition;
}  // namespace duckdb

namespace ariadne::scan {

/// The declared column as the engine's column mapper takes it: NULL where a file lacks it, children
/// by name below structs. Throws UnsupportedColumn.
duckdb::MultiFileColumnDefinition DeclareColumn(const arrow::Field& field);

/// Makes the columns of an opened file ready for the engine's mapper, which matches names without
/// case and takes the first: here an exact name comes first, then the only one that matches without
/// case (two are an error), at every level. Leaves that store the same values under another logical
/// type (text as bytes, timestamps with another unit or without the UTC flag) take the declared
/// one, so that nothing is converted and statistics stay usable. Throws the engine's
/// InvalidInputException, naming file and column, where the rest is no widening.
/// `read`: the declared columns that are read from this file. What else it has may be of any type,
/// as in Spark: the mapper cannot find it.
void MatchColumns(duckdb::ParquetReader& reader, const arrow::FieldVector& read);

}  // namespace ariadne::scan
