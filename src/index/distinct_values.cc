#include "index/distinct_values.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/data.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/compute/api_vector.h>
#include <arrow/compute/initialize.h>
#include <arrow/datum.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include "ariadne/errors.h"
#include "index/byte_order_sort.h"
#include "index/ordered_bytes.h"
#include "index/sorted_runs.h"

namespace ariadne::index {
namespace {

/// Bytes of values at which an array is handed over even with few of them.
constexpr int64_t kArrayBytes = 32 << 20;
/// Values that are added between two looks at the memory.
constexpr int64_t kBlockValues = 1024;

template <typename T>
T Checked(arrow::Result<T> result, const std::string& column) {
  if (result.ok()) return *std::move(result);
  throw Error("cannot hold the distinct values of column '" + column +
              "': " + result.status().ToString());
}

std::shared_ptr<arrow::Array> TakeRows(const arrow::Array& values, const std::vector<int64_t>& rows,
                                       const std::string& column) {
  arrow::Int64Builder builder;
  if (!builder.AppendValues(rows).ok()) throw Error("out of memory on column '" + column + "'");
  return Checked(arrow::compute::Take(values, *Checked(builder.Finish(), column)), column);
}

}  // namespace

DistinctValues::DistinctValues(std::string column, std::shared_ptr<arrow::DataType> type,
                               const BuildContext& context)
    : column_(std::move(column)),
      type_(std::move(type)),
      shape_(ShapeOf(*type_)),
      context_(context) {}

void DistinctValues::Add(const arrow::Array& values) {
  if (!values.type()->Equals(*type_)) return Add(*AsDeclared(values, type_, column_));
  if (shape_ == KeyShape::kNested) return AddNested(values);
  const int64_t length = values.length();
  const bool has_nulls = values.null_count() > 0;
  std::array<uint64_t, kBlockValues> keys;
  for (int64_t begin = 0; begin < length; begin += kBlockValues) {
    const int64_t end = std::min(begin + kBlockValues, length);
    MakeRoom(end - begin, OrderedBytesBound(values, begin, end));
    if (shape_ == KeyShape::kWord) WordKeys(values, begin, end - begin, keys.data());
    std::optional<std::string_view> previous;  // None yet: the empty text is a value too.
    for (int64_t i = begin; i < end; ++i) {
      if (has_nulls && values.IsNull(i)) continue;
      if (shape_ == KeyShape::kWord) {
        held_.words.Insert(keys[i - begin]);
      } else if (shape_ == KeyShape::kDoubleWord) {
        held_.double_words.Insert(DecimalKey(values, i));
      } else {
        const std::string_view value = BytesAt(values, i);
        if (value == previous) continue;
        held_.bytes.Insert(value);
        previous = value;
      }
    }
  }
  totals_after_spill_.reset();
}

void DistinctValues::MakeRoom(int64_t values, int64_t bytes) {
  if (held_.size() == 0) return;
  const int64_t needed = shape_ == KeyShape::kWord ? held_.words.BytesToInsert(values)
                         : shape_ == KeyShape::kDoubleWord
                             ? held_.double_words.BytesToInsert(values)
                             : held_.bytes.BytesToInsert(values, bytes);
  if (needed > context_.memory_bytes) Spill(&held_);
}

void DistinctValues::AddNested(const arrow::Array& values) {
  std::vector<int64_t> fresh;
  std::string bytes;
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsNull(i)) continue;
    bytes.clear();
    AppendCanonicalBytes(values, i, &bytes);
    if (held_.bytes.Insert(bytes)) fresh.push_back(i);
  }
  if (fresh.empty()) return;
  nested_.push_back(TakeRows(values, fresh, column_));
  nested_bytes_ += arrow::util::TotalBufferSize(*nested_.back());
}

void DistinctValues::Spill(Held* held) const {
  if (spill_ == nullptr) spill_ = std::make_unique<SpillPartitions>(context_.spill_folder);
  if (shape_ == KeyShape::kWord) held->words.SpillTo(spill_.get());
  if (shape_ == KeyShape::kDoubleWord) held->double_words.SpillTo(spill_.get());
  if (shape_ == KeyShape::kBytes) held->bytes.SpillTo(spill_.get());
}

void DistinctValues::ForEachHeld(const std::function<void(const Held&)>& visit) const {
  if (spill_ == nullptr) return visit(held_);
  if (held_.size() > 0) Spill(&held_);
  for (int p = 0; p < SpillPartitions::kPartitions; ++p) {
    Held part;
    spill_->Read(p, [this, &part](std::string_view run) {
      if (shape_ == KeyShape::kWord) part.words.InsertRun(run);
      if (shape_ == KeyShape::kDoubleWord) part.double_words.InsertRun(run);
      if (shape_ == KeyShape::kBytes) part.bytes.InsertRun(run);
    });
    if (part.size() > 0) visit(part);
  }
}

DistinctValues::Totals DistinctValues::totals() const {
  const auto of = [](const Held& held) {
    return Totals{held.size(), held.bytes.arena_bytes() +
                                   (held.words.size() * int64_t{sizeof(uint64_t)}) +
                                   (held.double_words.size() * int64_t{sizeof(Key128)})};
  };
  if (spill_ == nullptr) return of(held_);
  if (!totals_after_spill_) {
    Totals totals;
    ForEachHeld([&](const Held& part) {
      const Totals some = of(part);
      totals.count += some.count;
      totals.bytes += some.bytes;
    });
    totals_after_spill_ = totals;
  }
  return *totals_after_spill_;
}

int64_t DistinctValues::count() const { return totals().count; }

int64_t DistinctValues::value_bytes() const { return totals().bytes + nested_bytes_; }

int64_t DistinctValues::memory_bytes() const {
  return held_.words.memory_bytes() + held_.double_words.memory_bytes() +
         held_.bytes.memory_bytes() + nested_bytes_;
}

void DistinctValues::ForEachPart(const std::function<void(const arrow::Array&)>& visit) const {
  ForEachHeld([&](const Held& part) { visit(*ToArray(part)); });
}

std::shared_ptr<arrow::Array> DistinctValues::Sorted() const {
  if (spill_ == nullptr) return ToArray(held_);
  Held all;
  ForEachHeld([&all](const Held& part) {
    part.words.ForEach([&all](uint64_t key) { all.words.Insert(key); });
    part.double_words.ForEach([&all](const Key128& key) { all.double_words.Insert(key); });
    for (int64_t i = 0; i < part.bytes.size(); ++i) all.bytes.Insert(part.bytes.at(i));
  });
  return ToArray(all);
}

void DistinctValues::ForEachKey(const Held& held,
                                const std::function<void(std::string_view)>& visit) const {
  std::string key;
  if (shape_ == KeyShape::kWord) {
    std::vector<uint64_t> words;
    words.reserve(held.words.size());
    held.words.ForEach([&words](uint64_t word) { words.push_back(word); });
    SortWords(&words);
    for (const uint64_t word : words) {
      key.clear();
      AppendOrderedBytes(word, &key);
      visit(key);
    }
  } else if (shape_ == KeyShape::kDoubleWord) {
    std::vector<Key128> words;
    words.reserve(held.double_words.size());
    held.double_words.ForEach([&words](const Key128& word) { words.push_back(word); });
    std::sort(words.begin(), words.end());
    for (const Key128& word : words) {
      key.clear();
      AppendOrderedBytes(word, &key);
      visit(key);
    }
  } else {
    for (const uint32_t i : held.bytes.SortedOrder()) visit(held.bytes.at(i));
  }
}

void DistinctValues::ForEachSorted(
    int64_t rows, const std::function<void(const std::shared_ptr<arrow::Array>&)>& visit) const {
  if (shape_ == KeyShape::kNested) {
    const auto all = ToArray(held_);
    for (int64_t at = 0; at < all->length(); at += rows) visit(all->Slice(at, rows));
    return;
  }
  ValueGatherer values(type_);
  const auto add = [&](std::string_view key) {
    values.Add(key);
    if (values.size() >= rows || values.bytes() >= kArrayBytes) visit(values.Finish());
  };
  if (spill_ == nullptr) {
    ForEachKey(held_, add);
  } else {
    SortedRuns sorted(context_.spill_folder, context_.memory_bytes / 4,
                      SpillPartitions::kPartitions);
    ForEachHeld([&](const Held& part) {
      sorted.BeginRun();
      ForEachKey(part, [&sorted](std::string_view key) { sorted.Add(key); });
    });
    sorted.Merge([&add](std::string_view key, std::string_view /*payload*/) { add(key); });
  }
  if (values.size() > 0) visit(values.Finish());
}

std::shared_ptr<arrow::Array> DistinctValues::ToArray(const Held& held) const {
  switch (shape_) {
    case KeyShape::kWord: {
      std::vector<uint64_t> keys;
      keys.reserve(held.words.size());
      held.words.ForEach([&keys](uint64_t key) { keys.push_back(key); });
      SortWords(&keys);
      return FromWordKeys(type_, keys);
    }
    case KeyShape::kDoubleWord: {
      std::vector<Key128> keys;
      keys.reserve(held.double_words.size());
      held.double_words.ForEach([&keys](const Key128& key) { keys.push_back(key); });
      std::sort(keys.begin(), keys.end());
      return FromDecimalKeys(type_, keys);
    }
    case KeyShape::kBytes:
      break;
    case KeyShape::kNested: {
      if (nested_.empty()) return Checked(arrow::MakeEmptyArray(type_), column_);
      const std::vector<uint32_t> order = held.bytes.SortedOrder();
      return TakeRows(*Checked(arrow::Concatenate(nested_), column_), {order.begin(), order.end()},
                      column_);
    }
  }
  if (held.bytes.arena_bytes() > std::numeric_limits<int32_t>::max()) {
    throw Error("one file holds " + std::to_string(held.bytes.size()) +
                " distinct values of column '" + column_ + "', " +
                std::to_string(held.bytes.arena_bytes()) +
                " bytes, more than the 2 GB that one cell of the index can hold; use a bloom or "
                "range index on this column, or smaller files");
  }
  const std::vector<uint32_t> order = held.bytes.SortedOrder();
  const auto count = static_cast<int64_t>(order.size());
  std::shared_ptr<arrow::Buffer> offsets =
      Checked(arrow::AllocateBuffer((count + 1) * static_cast<int64_t>(sizeof(int32_t))), column_);
  std::shared_ptr<arrow::Buffer> data =
      Checked(arrow::AllocateBuffer(held.bytes.arena_bytes()), column_);
  auto* offset = reinterpret_cast<int32_t*>(offsets->mutable_data());
  int32_t end = 0;
  for (int64_t i = 0; i < count; ++i) {
    const std::string_view value = held.bytes.at(order[i]);
    offset[i] = end;
    std::copy(value.begin(), value.end(), data->mutable_data() + end);
    end += static_cast<int32_t>(value.size());
  }
  offset[count] = end;
  return arrow::MakeArray(
      arrow::ArrayData::Make(type_, count, {nullptr, std::move(offsets), std::move(data)}, 0));
}

}  // namespace ariadne::index
