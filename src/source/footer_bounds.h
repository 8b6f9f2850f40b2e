#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <arrow/type_fwd.h>

#include "source/file_column.h"
#include "source/parquet_file.h"
#include "source/parquet_source.h"

namespace ariadne::source {

/// What the footer alone says of a column that the file has.

/// Upper bound of its distinct count: values a chunk, entries that fit into an all-dictionary
/// chunk, values of the type.
int64_t DistinctBound(const ParquetFile& file, const FileColumn& column);
/// Upper bound of the bytes of its distinct values as Arrow arrays.
int64_t MemoryBound(const ParquetFile& file, const FileColumn& column);
/// Smallest and largest value where statistics prove them exact; see ParquetSource::ExactRange.
std::optional<MinMax> StatisticsRange(const ParquetFile& file, const FileColumn& column);

}  // namespace ariadne::source
