#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <arrow/type_fwd.h>

#include "storage/delta_table.h"
#include "storage/layout.h"

namespace ariadne::query {

/// The table `large_indexes/{column}`: a row a (file, value) of the pairs that have too many values
/// for the main index. A snapshot; thread-safe.
class LargeIndex {
 public:
  /// nullptr where the column has none.
  static std::shared_ptr<LargeIndex> Open(const storage::IndexLayout& layout,
                                          const std::string& column);

  /// For each of `candidates` (stored names) that has rows: whether one of them is one of `values`
  /// (of type `type`). The table is streamed; row groups whose statistics rule the candidates out
  /// are skipped (by name only: a file is known to live here by its rows of any value). Throws
  /// InvalidFile, StorageError.
  [[nodiscard]] std::unordered_map<std::string, bool> Ask(
      const std::shared_ptr<arrow::DataType>& type, const arrow::Array& values,
      const std::unordered_set<std::string_view>& candidates, int threads) const;

  /// Names (string) and entries (of type `entry`) of some rows, as long as each other; rows of
  /// other files may be among them.
  using Visit =
      std::function<void(const arrow::StringArray&, const std::shared_ptr<arrow::Array>&)>;
  /// Streams the rows of `candidates`, calling `visit` from `threads` threads at once. Throws as
  /// Ask.
  void Read(const std::shared_ptr<arrow::DataType>& entry,
            const std::unordered_set<std::string_view>& candidates, int threads,
            const Visit& visit) const;

 private:
  explicit LargeIndex(std::shared_ptr<storage::DeltaTable> table) : table_(std::move(table)) {}
  std::shared_ptr<storage::DeltaTable> table_;
};

}  // namespace ariadne::query
