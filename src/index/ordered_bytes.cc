#include "index/ordered_bytes.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include "ariadne/errors.h"

namespace ariadne::index {
namespace {

uint64_t WordOf(std::string_view bytes) {
  uint64_t word = 0;
  for (const char c : bytes.substr(0, sizeof(word))) {
    word = word << 8 | static_cast<unsigned char>(c);
  }
  return word;
}

template <typename T>
std::shared_ptr<arrow::Buffer> CopyOf(const T* data, size_t count) {
  const auto bytes = static_cast<int64_t>(count * sizeof(T));
  std::shared_ptr<arrow::Buffer> buffer = arrow::AllocateBuffer(bytes).ValueOrDie();
  if (bytes > 0) std::memcpy(buffer->mutable_data(), data, static_cast<size_t>(bytes));
  return buffer;
}

}  // namespace

void AppendOrderedBytes(uint64_t word, std::string* bytes) {
  const uint64_t big_endian = __builtin_bswap64(word);
  bytes->append(reinterpret_cast<const char*>(&big_endian), sizeof(big_endian));
}

void AppendOrderedBytes(const Key128& key, std::string* bytes) {
  AppendOrderedBytes(key.high, bytes);
  AppendOrderedBytes(key.low, bytes);
}

OrderedBytesReader::OrderedBytesReader(const arrow::Array& values)
    : values_(values), shape_(ShapeOf(*values.type())) {
  if (shape_ == KeyShape::kNested) {
    throw UnsupportedColumn("values of type " + values.type()->ToString() + " have no order");
  }
}

std::string_view OrderedBytesReader::At(int64_t i) {
  if (shape_ == KeyShape::kBytes) return BytesAt(values_, i);
  size_t count = 1;
  if (shape_ == KeyShape::kDoubleWord) {
    const Key128 key = DecimalKey(values_, i);
    big_endian_ = {__builtin_bswap64(key.high), __builtin_bswap64(key.low)};
    count = 2;
  } else {
    if (i / kBlock != block_) {
      block_ = i / kBlock;
      const int64_t begin = block_ * kBlock;
      WordKeys(values_, begin, std::min(kBlock, values_.length() - begin), words_.data());
    }
    big_endian_[0] = __builtin_bswap64(words_[i % kBlock]);
  }
  return {reinterpret_cast<const char*>(big_endian_.data()), count * sizeof(uint64_t)};
}

int64_t OrderedBytesBound(const arrow::Array& values, int64_t begin, int64_t end) {
  if (ShapeOf(*values.type()) != KeyShape::kBytes) {
    return (end - begin) * static_cast<int64_t>(sizeof(Key128));
  }
  int64_t bytes = 0;
  for (int64_t i = begin; i < end; ++i) bytes += static_cast<int64_t>(BytesAt(values, i).size());
  return bytes;
}

ValueGatherer::ValueGatherer(std::shared_ptr<arrow::DataType> type)
    : type_(std::move(type)), shape_(ShapeOf(*type_)), offsets_{0} {}

void ValueGatherer::Add(std::string_view ordered_bytes) {
  ++size_;
  switch (shape_) {
    case KeyShape::kWord:
      words_.push_back(WordOf(ordered_bytes));
      break;
    case KeyShape::kDoubleWord:
      double_words_.push_back({WordOf(ordered_bytes), WordOf(ordered_bytes.substr(8))});
      break;
    case KeyShape::kBytes:
    case KeyShape::kNested:
      arena_.append(ordered_bytes);
      offsets_.push_back(static_cast<int32_t>(arena_.size()));
      break;
  }
}

void ValueGatherer::AddNull() {
  nulls_.push_back(size_);
  static constexpr char kZeros[sizeof(Key128)] = {};
  Add(shape_ == KeyShape::kBytes ? std::string_view() : std::string_view(kZeros, sizeof(kZeros)));
}

int64_t ValueGatherer::bytes() const {
  return static_cast<int64_t>(arena_.size()) + size_ * static_cast<int64_t>(sizeof(Key128));
}

std::shared_ptr<arrow::Array> ValueGatherer::Finish() {
  std::shared_ptr<arrow::ArrayData> data;
  switch (shape_) {
    case KeyShape::kWord:
      data = FromWordKeys(type_, words_)->data();
      break;
    case KeyShape::kDoubleWord:
      data = FromDecimalKeys(type_, double_words_)->data();
      break;
    case KeyShape::kBytes:
    case KeyShape::kNested:
      data = arrow::ArrayData::Make(
          type_, size_,
          {nullptr, CopyOf(offsets_.data(), offsets_.size()), CopyOf(arena_.data(), arena_.size())},
          0);
      break;
  }
  if (!nulls_.empty()) {
    std::shared_ptr<arrow::Buffer> valid = arrow::AllocateBitmap(size_).ValueOrDie();
    std::memset(valid->mutable_data(), 0xff, static_cast<size_t>(valid->size()));
    for (const int64_t i : nulls_) arrow::bit_util::ClearBit(valid->mutable_data(), i);
    data = data->Copy();
    data->buffers[0] = std::move(valid);
    data->null_count = static_cast<int64_t>(nulls_.size());
  }
  size_ = 0;
  words_.clear();
  double_words_.clear();
  arena_.clear();
  offsets_.assign(1, 0);
  nulls_.clear();
  return arrow::MakeArray(data);
}

}  // namespace ariadne::index
