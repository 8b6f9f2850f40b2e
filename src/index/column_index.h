#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"

namespace ariadne::index {

/// Column of the main index that holds this index: the column itself (for a computed or exploded
/// one the name that it was given), `bloom_{column}`, `range_{column}`.
std::string StorageColumn(const IndexedColumn& column);
/// True for the kinds that keep the values themselves, in arrays of the main index or, from
/// Options::large_index_limit distinct ones a file on, in `large_indexes/{column}`.
bool KeepsValues(IndexedColumn::Kind kind);
/// Column of the main index that holds the filters of a column with large files.
std::string AutoBloomColumn(const std::string& column);
/// Type of one entry of a kind that keeps values, and so of the column of its large table: `value`;
/// for kTemporal struct<value, max_ts: timestamp>.
std::shared_ptr<arrow::DataType> EntryType(const IndexedColumn& column,
                                           const std::shared_ptr<arrow::DataType>& value,
                                           const std::shared_ptr<arrow::DataType>& timestamp);
/// Type of the storage column for values of type `value`: list<entry>, binary, struct<min: value,
/// max: value>. `timestamp` is asked of kTemporal only; nullptr: microseconds, UTC.
std::shared_ptr<arrow::DataType> StorageType(
    const IndexedColumn& column, const std::shared_ptr<arrow::DataType>& value,
    const std::shared_ptr<arrow::DataType>& timestamp = nullptr);
/// Throws UnsupportedColumn if values of `value` cannot carry this kind of index (bloom: anything
/// holding binary, nested types; range: types without order; maps anywhere).
void CheckSupported(const IndexedColumn& column, const arrow::DataType& value);

/// What a builder may use.
struct BuildContext {
  int64_t memory_bytes = 256 << 20;     ///< Past this, distinct values spill to `spill_folder`.
  std::string spill_folder;             ///< Local folder; empty: the system's temporary one.
  std::string token_time_zone = "UTC";  ///< Zone of timestamp tokens.
};

/// Takes entries (EntryType) of a kind that keeps values, some at a time.
using EntryVisit = std::function<void(const std::shared_ptr<arrow::Array>& entries)>;

/// Collects what one file holds in one column, and gives the cell of the main index. One thread.
class ColumnBuilder {
 public:
  virtual ~ColumnBuilder() = default;
  /// `values`: of the column's declared type, in any order and number; NULLs are ignored. For
  /// kTemporal: a struct of value and timestamp, row by row, NULLs kept.
  virtual void Add(const arrow::Array& values) = 0;
  /// Distinct values so far (exact), as the index counts them.
  [[nodiscard]] virtual int64_t distinct_count() const = 0;
  /// Bytes held in memory.
  [[nodiscard]] virtual int64_t memory_bytes() const = 0;
  // For the kinds that keep values:
  /// Bytes of the distinct values, about; a cell of the main index holds 2 GB of strings at most.
  [[nodiscard]] virtual int64_t value_bytes() const { return 0; }
  /// Distinct values that are not NULL: what a filter of them is made for.
  [[nodiscard]] virtual int64_t token_count() const { return distinct_count(); }
  /// All entries, sorted, in arrays of about `rows`: never all of them as one array.
  virtual void ForEachSorted(int64_t rows, const EntryVisit& visit) const;
  /// One cell: an array of length 1 of StorageType. Regular: sorted, distinct, no nulls, an empty
  /// list where there was no value. Bloom: null where there was none. Range: a null struct
  /// likewise.
  virtual std::shared_ptr<arrow::Array> Finish() = 0;
};
/// `timestamp` is asked of kTemporal only.
std::unique_ptr<ColumnBuilder> MakeBuilder(
    const IndexedColumn& column, const std::shared_ptr<arrow::DataType>& value,
    const BuildContext& context, const std::shared_ptr<arrow::DataType>& timestamp = nullptr);
/// The cell of a range index from bounds that are already known (length-1 scalars, may be null).
std::shared_ptr<arrow::Array> RangeCell(const std::shared_ptr<arrow::DataType>& value,
                                        const arrow::Scalar& min, const arrow::Scalar& max);

/// Exact conversion of probe values to a column's type; the result is distinct, without NULLs,
/// sorted. Strings are parsed; a value that the type cannot hold exactly drops out; a value of the
/// wrong kind (text that is no number for a number) is InvalidArgument naming column and value.
std::shared_ptr<arrow::Array> ConvertProbe(const std::string& column,
                                           const std::shared_ptr<arrow::DataType>& type,
                                           const arrow::Array& values);

/// The conversion behind ConvertProbe value by value: an array of `type`, as long as `values`, NULL
/// where the value is NULL or the type cannot hold it exactly. Throws as ConvertProbe. A join uses
/// it for its keys, so that a key equals a row exactly where the probe finds the row's file.
std::shared_ptr<arrow::Array> ConvertEach(const std::string& column,
                                          const std::shared_ptr<arrow::DataType>& type,
                                          const arrow::Array& values);

/// 64-bit hash of each value of `values` (xxh3 of the canonical value bytes: -0.0 as 0.0, one NaN,
/// decimals by unscaled value), equal for values that SQL calls equal. For the lookup files.
std::vector<uint64_t> HashValues(const arrow::Array& values);

/// What a probe must know beside its values.
struct ProbeContext {
  /// Zone in which timestamp tokens of the filters were written; empty: unknown, every filter is
  /// "maybe" for a timestamp column.
  std::string token_time_zone = "UTC";
};

/// Asks the cells of one index which files can hold any of the probed values. Immutable.
class ColumnProbe {
 public:
  virtual ~ColumnProbe() = default;
  /// Clears `mask[i]` where cell i proves that none of the values is in the file. `cells`: the
  /// storage column, of any chunk length; `mask` as long. A null regular cell stays a candidate
  /// (its values may live in the large index or be not built yet); a null range or bloom cell of a
  /// file that was indexed is "no value", unless `null_is_maybe`.
  virtual void Probe(const arrow::Array& cells, bool null_is_maybe, uint8_t* mask) const = 0;
};
/// `values`: as ConvertProbe gives them. A kTemporal probe asks whether a file holds the value at
/// all, in any version.
std::unique_ptr<ColumnProbe> MakeProbe(const IndexedColumn& column,
                                       const std::shared_ptr<arrow::Array>& values,
                                       const ProbeContext& context);

}  // namespace ariadne::index
