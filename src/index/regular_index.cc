#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>

#include "index/byte_set.h"
#include "index/distinct_values.h"
#include "index/index_kinds.h"
#include "index/key_set.h"
#include "index/value_key.h"

namespace ariadne::index {
namespace {

class RegularBuilder : public ColumnBuilder {
 public:
  RegularBuilder(const IndexedColumn& column, const std::shared_ptr<arrow::DataType>& value,
                 const BuildContext& context)
      : type_(StorageType(column, value)), values_(column.column, value, context) {}

  void Add(const arrow::Array& values) override { values_.Add(values); }
  [[nodiscard]] int64_t distinct_count() const override { return values_.count(); }
  [[nodiscard]] int64_t memory_bytes() const override { return values_.memory_bytes(); }
  [[nodiscard]] int64_t value_bytes() const override { return values_.value_bytes(); }
  void ForEachSorted(int64_t rows, const EntryVisit& visit) const override {
    values_.ForEachSorted(rows, visit);
  }
  std::shared_ptr<arrow::Array> Finish() override {
    auto sorted = values_.Sorted();
    const std::array<int32_t, 2> offsets = {0, static_cast<int32_t>(sorted->length())};
    auto buffer = arrow::AllocateBuffer(sizeof(offsets)).ValueOrDie();
    std::copy(offsets.begin(), offsets.end(), reinterpret_cast<int32_t*>(buffer->mutable_data()));
    return std::make_shared<arrow::ListArray>(type_, 1, std::move(buffer), std::move(sorted));
  }

 private:
  std::shared_ptr<arrow::DataType> type_;
  DistinctValues values_;
};

/// Looks for any of the probed values in each list. The lists of the JVM library are not sorted,
/// so each is walked, once, up to the first hit.
class RegularProbe : public ColumnProbe {
 public:
  explicit RegularProbe(const std::shared_ptr<arrow::Array>& values)
      : type_(values->type()), shape_(ShapeOf(*type_)), count_(values->length()) {
    switch (shape_) {
      case KeyShape::kWord: {
        std::vector<uint64_t> keys(count_);
        WordKeys(*values, 0, count_, keys.data());
        for (const uint64_t key : keys) {
          words_.Insert(key);
          first_word_ = std::min(first_word_, key);
          last_word_ = std::max(last_word_, key);
        }
        break;
      }
      case KeyShape::kDoubleWord:
        for (int64_t i = 0; i < count_; ++i) double_words_.Insert(DecimalKey(*values, i));
        break;
      case KeyShape::kBytes:
        for (int64_t i = 0; i < count_; ++i) {
          const std::string_view value = BytesAt(*values, i);
          bytes_.Insert(value);
          shortest_ = std::min(shortest_, value.size());
          longest_ = std::max(longest_, value.size());
        }
        break;
      case KeyShape::kNested: {
        std::string canonical;
        for (int64_t i = 0; i < count_; ++i) {
          canonical.clear();
          AppendCanonicalBytes(*values, i, &canonical);
          bytes_.Insert(canonical);
        }
        break;
      }
    }
  }

  void Probe(const arrow::Array& cells, bool /*null_is_maybe*/, uint8_t* mask) const override {
    if (cells.type_id() != arrow::Type::LIST) {
      const auto lists = AsType(cells, arrow::list(type_));
      if (lists != nullptr) Probe(*lists, false, mask);
      return;  // a cell that cannot be read proves nothing
    }
    const auto& lists = static_cast<const arrow::ListArray&>(cells);
    std::shared_ptr<arrow::Array> held = lists.values();
    if (!held->type()->Equals(*type_)) {
      held = AsType(*held, type_);
      if (held == nullptr) return;
    }
    for (int64_t i = 0; i < lists.length(); ++i) {
      if (mask[i] == 0 || (lists.IsNull(i) && count_ > 0)) continue;
      if (lists.IsNull(i) || !HoldsAny(*held, lists.value_offset(i), lists.value_offset(i + 1)))
        mask[i] = 0;
    }
  }

 private:
  [[nodiscard]] bool HoldsAny(const arrow::Array& held, int64_t begin, int64_t end) const {
    if (count_ == 0) return false;
    switch (shape_) {
      case KeyShape::kWord:
        return HoldsAnyWord(held, begin, end);
      case KeyShape::kDoubleWord:
        for (int64_t i = begin; i < end; ++i) {
          if (held.IsValid(i) && double_words_.Contains(DecimalKey(held, i))) return true;
        }
        return false;
      case KeyShape::kBytes:
        return HoldsAnyBytes(held, begin, end);
      case KeyShape::kNested:
        break;
    }
    std::string canonical;
    for (int64_t i = begin; i < end; ++i) {
      if (held.IsNull(i)) continue;
      canonical.clear();
      AppendCanonicalBytes(held, i, &canonical);
      if (bytes_.Contains(canonical)) return true;
    }
    return false;
  }

  [[nodiscard]] bool HoldsAnyWord(const arrow::Array& held, int64_t begin, int64_t end) const {
    std::array<uint64_t, 512> keys;
    for (; begin < end; begin += keys.size()) {
      const int64_t count = std::min<int64_t>(keys.size(), end - begin);
      WordKeys(held, begin, count, keys.data());
      for (int64_t i = 0; i < count; ++i) {
        if (keys[i] < first_word_ || keys[i] > last_word_) continue;
        if (words_.Contains(keys[i]) && held.IsValid(begin + i)) return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool HoldsAnyBytes(const arrow::Array& held, int64_t begin, int64_t end) const {
    for (int64_t i = begin; i < end; ++i) {
      const std::string_view value = BytesAt(held, i);
      if (value.size() < shortest_ || value.size() > longest_) continue;
      if (count_ == 1 ? value == bytes_.at(0) : bytes_.Contains(value)) {
        if (held.IsValid(i)) return true;
      }
    }
    return false;
  }

  std::shared_ptr<arrow::DataType> type_;
  KeyShape shape_;
  int64_t count_;
  KeySet<uint64_t> words_;
  uint64_t first_word_ = std::numeric_limits<uint64_t>::max();
  uint64_t last_word_ = 0;
  KeySet<Key128> double_words_;
  ByteSet bytes_;
  size_t shortest_ = std::numeric_limits<size_t>::max();
  size_t longest_ = 0;
};

}  // namespace

std::unique_ptr<ColumnBuilder> MakeRegularBuilder(const IndexedColumn& column,
                                                  const std::shared_ptr<arrow::DataType>& value,
                                                  const BuildContext& context) {
  return std::make_unique<RegularBuilder>(column, value, context);
}

std::unique_ptr<ColumnProbe> MakeRegularProbe(const std::shared_ptr<arrow::Array>& values) {
  return std::make_unique<RegularProbe>(values);
}

}  // namespace ariadne::index
