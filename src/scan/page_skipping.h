#pragma once

// Includes the engine's headers: for the sources of this part only.

#include "parquet_reader.hpp"

namespace ariadne::scan {

/// Makes the columns of a scan that has just been initialized for one row group pass over pages
/// without reading them where no row of theirs is wanted; the engine reads and unpacks every page
/// up to the last row that is. Of lists of structs and maps, of which a page's header does not tell
/// the rows, this goes up to the first row wanted. Not where the engine fetches column chunks as a
/// whole, of files elsewhere. What the engine cannot do where rows are left out is mended besides:
/// columns of no type (all NULL) are read, and lists that end before their row group are an error.
void SkipPages(const duckdb::ParquetReader& reader, duckdb::ParquetReaderScanState& scan);

}  // namespace ariadne::scan
