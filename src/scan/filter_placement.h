#pragma once

namespace duckdb {
class ClientContext;
class ParquetReader;
class TableFilterSet;
struct MultiFileReaderData;
}  // namespace duckdb

namespace ariadne::scan {

/// Gives each filter of a scan (keyed by place in the projection) to the reader of one file, after
/// the columns were mapped: as it is where the file stores the declared type, narrowed where an
/// integer is stored narrower, else evaluated on the converted values. Statistics and bloom filters
/// of the file that cannot be trusted for filtering are forgotten for the filtered columns.
/// Returns false where a filter on a value that is constant for the file rules the file out.
bool PlaceFilters(duckdb::ClientContext& context, duckdb::MultiFileReaderData& data,
                  duckdb::ParquetReader& reader, const duckdb::TableFilterSet& filters);

}  // namespace ariadne::scan
