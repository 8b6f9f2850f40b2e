#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "index/value_key.h"

namespace ariadne::index {

// Values as byte strings that sort (by unsigned bytes) as SQL sorts the values, for all shapes but
// kNested: words and decimals as big-endian keys, strings and binary as they are.

void AppendOrderedBytes(uint64_t word, std::string* bytes);
void AppendOrderedBytes(const Key128& key, std::string* bytes);
/// Reads the values of an array as ordered bytes.
class OrderedBytesReader {
 public:
  /// `values` outlives the reader. Throws UnsupportedColumn for values without order.
  explicit OrderedBytesReader(const arrow::Array& values);
  /// Bytes of the i-th value, some bytes for a NULL; valid until the next call. Cheapest from the
  /// first to the last.
  [[nodiscard]] std::string_view At(int64_t i);

 private:
  static constexpr int64_t kBlock = 256;
  const arrow::Array& values_;
  KeyShape shape_;
  int64_t block_ = -1;  ///< Whose words are held.
  std::array<uint64_t, kBlock> words_;
  std::array<uint64_t, 2> big_endian_;
};

/// Bytes that the ordered bytes of the values from `begin` to `end` take, at most.
int64_t OrderedBytesBound(const arrow::Array& values, int64_t begin, int64_t end);

/// Makes arrays of a type from ordered bytes.
class ValueGatherer {
 public:
  explicit ValueGatherer(std::shared_ptr<arrow::DataType> type);
  void Add(std::string_view ordered_bytes);
  void AddNull();
  [[nodiscard]] int64_t size() const { return size_; }
  /// Bytes that the values take, about.
  [[nodiscard]] int64_t bytes() const;
  /// What was added since the last call. At most 2 GB of strings.
  std::shared_ptr<arrow::Array> Finish();

 private:
  std::shared_ptr<arrow::DataType> type_;
  KeyShape shape_;
  int64_t size_ = 0;
  std::vector<uint64_t> words_;
  std::vector<Key128> double_words_;
  std::string arena_;
  std::vector<int32_t> offsets_;
  std::vector<int64_t> nulls_;  ///< Places of NULLs.
};

}  // namespace ariadne::index
