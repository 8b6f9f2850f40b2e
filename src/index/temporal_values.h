#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "index/byte_set.h"
#include "index/column_index.h"
#include "index/ordered_bytes.h"
#include "index/spill_partitions.h"

namespace ariadne::index {

/// The distinct values of one file in one column, the NULL among them, each with its newest
/// timestamp (NULL where it has none). Past the context's memory they move to a spill file.
class TemporalValues {
 public:
  /// Throws UnsupportedColumn for types without order.
  TemporalValues(std::string column, std::shared_ptr<arrow::DataType> value,
                 std::shared_ptr<arrow::DataType> timestamp, const BuildContext& context);

  /// Row by row. Throws SchemaMismatch where they are not of the declared types.
  void Add(const arrow::Array& values, const arrow::Array& timestamps);
  /// Exact, the NULL counted as one more value. After a spill it reads the spill file.
  [[nodiscard]] int64_t count() const;
  [[nodiscard]] bool has_null() const { return null_.has_value(); }
  [[nodiscard]] int64_t memory_bytes() const;
  /// Bytes of the values, about; for strings at least what one array of them takes.
  [[nodiscard]] int64_t value_bytes() const;

  /// Visits struct<value, max_ts> arrays of about `rows` entries: the NULL first, then ascending.
  void ForEachSorted(int64_t rows,
                     const std::function<void(const std::shared_ptr<arrow::Array>&)>& visit) const;

 private:
  /// Values as ordered bytes, and by place the newest timestamp: empty for NULL, else a byte 1 and
  /// ordered bytes, so that byte strings compare as timestamps do.
  struct Held {
    ByteSet values;
    std::vector<std::string> newest;
    int64_t newest_bytes = 0;
    void Add(std::string_view value, std::string_view timestamp);
    [[nodiscard]] int64_t memory_bytes() const;
    /// Most memory that adding so many more values of so many bytes may take for a moment.
    [[nodiscard]] int64_t BytesToAdd(int64_t values, int64_t bytes) const;
  };
  void Spill() const;
  void ForEachHeld(const std::function<void(const Held&)>& visit) const;

  std::string column_;
  std::shared_ptr<arrow::DataType> value_;
  std::shared_ptr<arrow::DataType> timestamp_;
  BuildContext context_;
  std::optional<std::string> null_;  ///< Newest timestamp of the NULL value, where there is one.
  // Reading after a spill moves what is in memory to the file too, which changes no value.
  mutable Held held_;
  mutable std::unique_ptr<SpillPartitions> spill_;
  struct Totals {
    int64_t count = 0;
    int64_t bytes = 0;
  };
  [[nodiscard]] Totals totals() const;
  mutable std::optional<Totals> totals_after_spill_;
};

}  // namespace ariadne::index
