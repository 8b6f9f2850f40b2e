#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "duckdb/common/types/string_type.hpp"
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

/// rowgroup::HashOf of a text.
inline uint64_t HashOfText(const duckdb::string_t& text) {
  static_assert(duckdb::string_t::INLINE_LENGTH == rowgroup::kShortText);
  if (!text.IsInlined()) {
    return rowgroup::HashOf(std::string_view(text.GetData(), text.GetSize()));
  }
  // The engine compares short texts as these two words, so what lies past their end is zero.
  uint64_t words[2];
  static_assert(sizeof(duckdb::string_t) == sizeof(words));
  std::memcpy(words, &text, sizeof(words));
  return rowgroup::HashOfShortText(words[0], words[1]);
}

/// Gives the first `count` values to the collector, whose domain is that of the vector's type.
/// `no_nulls`: the file says that the row group holds no NULL, so one here only stands for rows
/// that were not decoded. False: they were hashed and none has the hash `sought`, so none is the
/// value whose hash that is.
bool Collect(duckdb::Vector& vector, duckdb::idx_t count, bool no_nulls,
             rowgroup::ValueCollector& collector, std::optional<uint64_t> sought = std::nullopt);

}  // namespace ariadne::scan
