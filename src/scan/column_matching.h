#pragma once

#include <string>
#include <vector>

namespace arrow {
class Schema;
}
namespace duckdb {
class ParquetReader;
struct MultiFileColumnDefinition;
}  // namespace duckdb

namespace arrow {
class Field;
}

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
/// `from_folders`: columns that the folders of the file give; what the file has under such a name,
/// of whatever type, is not read, as in Spark.
void MatchColumns(duckdb::ParquetReader& reader, const arrow::Schema& declared,
                  const std::vector<std::string>& from_folders);

}  // namespace ariadne::scan
