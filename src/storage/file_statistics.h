#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

namespace ariadne::storage::internal {

/// Gathers what Delta logs of a data file: rows, null counts of top-level columns, and bounds of
/// string, integer and timestamp columns. Bounds may be wider than the values, never narrower.
class FileStatistics {
 public:
  explicit FileStatistics(std::shared_ptr<arrow::Schema> schema);
  void Add(const arrow::RecordBatch& batch);
  [[nodiscard]] int64_t rows() const { return rows_; }
  /// {"numRecords":…,"minValues":{…},"maxValues":{…},"nullCount":{…}}
  [[nodiscard]] std::string ToJson() const;

 private:
  struct Column {
    int64_t nulls = 0;
    std::optional<int64_t> low, high;        ///< Integers, and timestamps in microseconds.
    std::optional<std::string> first, last;  ///< Strings, in the order of their bytes.
  };
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<Column> columns_;
  int64_t rows_ = 0;
};

}  // namespace ariadne::storage::internal
