#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <cstdint>
#include <optional>

#include "duckdb/common/types/value.hpp"
#include "duckdb/common/types/vector.hpp"
#include "rowgroup/value.h"
#include "rowgroup/value_collector.h"

namespace ariadne::scan {

/// How values of the type are compared in row-group indexes; nullopt: they cannot be indexed.
std::optional<rowgroup::Domain> IndexDomain(const duckdb::LogicalType& type);

/// A constant as row-group indexes of a type hold it; nullopt: NULL, of another type, or of one
/// that cannot be indexed.
std::optional<rowgroup::Value> ToIndexValue(const duckdb::Value& value,
                                            const duckdb::LogicalType& type);

/// Gives the first `count` values to the collector, whose domain is that of the vector's type.
/// `no_nulls`: the file says that the row group holds no NULL, so one here only stands for rows
/// that were not decoded. False: they were hashed and none has the hash `sought`, so none is the
/// value whose hash that is.
bool Collect(duckdb::Vector& vector, duckdb::idx_t count, bool no_nulls,
             rowgroup::ValueCollector& collector, std::optional<uint64_t> sought = std::nullopt);

}  // namespace ariadne::scan
