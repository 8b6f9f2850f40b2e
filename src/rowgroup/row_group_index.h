#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rowgroup/bloom_filter.h"
#include "rowgroup/index_key.h"
#include "rowgroup/predicate.h"
#include "rowgroup/value_range.h"

namespace ariadne::rowgroup {

/// What is known of one target in one row group. Immutable once it is in a store.
struct RowGroupIndex {
  int64_t rows = 0;  ///< Of the row group, NULLs included.
  /// About how many distinct values there are; nullopt: a range built without a filter counts none.
  std::optional<int64_t> distinct;
  std::variant<BloomFilter, ValueRange> values;

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(values.index()); }
  /// False: no row of the row group makes the predicate true.
  [[nodiscard]] bool MayMatch(const Predicate& predicate) const;
  /// Memory that it takes, in bytes.
  [[nodiscard]] int64_t MemoryBytes() const;
  /// Share of a bloom filter's bits that are set; nullopt for a range.
  [[nodiscard]] std::optional<double> Fill() const;

  [[nodiscard]] std::string EncodeValues() const;
  /// nullopt: bytes that EncodeValues never gave for this kind.
  static std::optional<RowGroupIndex> Decode(Kind kind, int64_t rows,
                                             std::optional<int64_t> distinct,
                                             std::string_view values);
};

}  // namespace ariadne::rowgroup
