#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "index/byte_set.h"
#include "index/column_index.h"
#include "index/key_set.h"
#include "index/spill_partitions.h"
#include "index/value_key.h"

namespace ariadne::index {

/// The distinct values of one file in one column, NULLs left out. Past the context's memory they
/// move to a spill file, cut into partitions by hash; nested values alone stay in memory.
class DistinctValues {
 public:
  /// Throws UnsupportedColumn.
  DistinctValues(std::string column, std::shared_ptr<arrow::DataType> type,
                 const BuildContext& context);

  /// Throws SchemaMismatch where `values` are not of the declared type.
  void Add(const arrow::Array& values);
  /// Exact. After a spill it reads the spill file, once after each Add.
  [[nodiscard]] int64_t count() const;
  [[nodiscard]] int64_t memory_bytes() const;
  /// Bytes of the values, about; for strings those that one array of them takes.
  [[nodiscard]] int64_t value_bytes() const;

  /// Visits the values in arrays of the declared type, each value once, in no order: one array a
  /// partition after a spill.
  void ForEachPart(const std::function<void(const arrow::Array&)>& visit) const;
  /// All of them, sorted. Throws Error where Arrow's 2 GB of string bytes a cell do not hold them.
  [[nodiscard]] std::shared_ptr<arrow::Array> Sorted() const;
  /// Visits the values sorted, in arrays of about `rows`; after a spill they are sorted on disk.
  void ForEachSorted(int64_t rows,
                     const std::function<void(const std::shared_ptr<arrow::Array>&)>& visit) const;

 private:
  /// What is in memory; of the three sets, the type's shape uses one.
  struct Held {
    KeySet<uint64_t> words;
    KeySet<Key128> double_words;
    ByteSet bytes;
    [[nodiscard]] int64_t size() const { return words.size() + double_words.size() + bytes.size(); }
  };
  void AddNested(const arrow::Array& values);
  /// Spills before so many more values, of so many bytes, would take more than the context's
  /// memory.
  void MakeRoom(int64_t values, int64_t bytes);
  void Spill(Held* held) const;
  void ForEachHeld(const std::function<void(const Held&)>& visit) const;
  [[nodiscard]] std::shared_ptr<arrow::Array> ToArray(const Held& held) const;
  /// Keys of what is held, as ordered bytes, ascending.
  void ForEachKey(const Held& held, const std::function<void(std::string_view)>& visit) const;

  std::string column_;
  std::shared_ptr<arrow::DataType> type_;
  KeyShape shape_;
  BuildContext context_;
  // Reading after a spill moves what is in memory to the file too, which changes no value.
  mutable Held held_;
  mutable std::unique_ptr<SpillPartitions> spill_;
  struct Totals {
    int64_t count = 0;
    int64_t bytes = 0;
  };
  [[nodiscard]] Totals totals() const;
  mutable std::optional<Totals> totals_after_spill_;
  /// Nested: the rows whose canonical bytes are in `held_.bytes`, in the same order.
  arrow::ArrayVector nested_;
  int64_t nested_bytes_ = 0;
};

}  // namespace ariadne::index
