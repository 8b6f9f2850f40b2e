#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/type_fwd.h>

#include "index/guava_bloom.h"
#include "index/token.h"

namespace ariadne::index {

/// The filter that a file has beside its values in a column with large files; the bytes are those
/// of a bloom index.
class AutoBloom {
 public:
  /// False for types without tokens: binary, lists and structs.
  static bool Supports(const arrow::DataType& value);

  /// `expected`: distinct values that will be added, NULL left out; may be 0.
  AutoBloom(const std::shared_ptr<arrow::DataType>& value, int64_t expected, double fpr,
            const std::string& token_time_zone);
  /// `entries`: distinct values, or struct<value, max_ts>. NULLs are left out.
  void Add(const arrow::Array& entries);
  /// A binary array of length 1, never null. Ends the filter.
  std::shared_ptr<arrow::Array> Finish();

 private:
  std::shared_ptr<arrow::DataType> type_;
  TokenWriter tokens_;
  GuavaBloom filter_;
};

}  // namespace ariadne::index
