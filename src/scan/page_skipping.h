#pragma once

// Includes the engine's headers: for the sources of this part only.

#include "parquet_reader.hpp"

namespace ariadne::scan {

/// Makes the columns of a scan that has just been initialized pass over pages without reading them
/// where no row of theirs is wanted; the engine reads and unpacks every page up to the last row
/// that is. Not where it fetches column chunks as a whole (of files elsewhere), and not of columns
/// below lists, of which a page's header does not tell the rows.
void SkipPages(const duckdb::ParquetReader& reader, duckdb::ParquetReaderScanState& scan);

}  // namespace ariadne::scan
