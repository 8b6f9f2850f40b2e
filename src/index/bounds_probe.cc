#include "index/bounds_probe.h"

#include <optional>
#include <string_view>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/array_nested.h>
#include <arrow/type.h>

#include "index/key_at.h"

namespace ariadne::index {
namespace {

template <typename View>
class Interval {
 public:
  explicit Interval(ValueBounds bounds) : bounds_(std::move(bounds)) {
    if (bounds_.lower) lower_ = KeyAt<View>(*bounds_.lower, 0);
    if (bounds_.upper) upper_ = KeyAt<View>(*bounds_.upper, 0);
  }
  [[nodiscard]] bool is_open() const { return !lower_ && !upper_; }
  [[nodiscard]] bool Holds(const View& key) const { return Reaches(key) && StartsBefore(key); }
  /// False if `key` and all that is less lie below the interval.
  [[nodiscard]] bool Reaches(const View& key) const {
    return !lower_ || *lower_ < key || (bounds_.lower_inclusive && *lower_ == key);
  }
  /// False if `key` and all that is greater lie above the interval.
  [[nodiscard]] bool StartsBefore(const View& key) const {
    return !upper_ || key < *upper_ || (bounds_.upper_inclusive && *upper_ == key);
  }

 private:
  ValueBounds bounds_;  // keeps the bytes that string keys point to
  std::optional<View> lower_;
  std::optional<View> upper_;
};

/// Cells that are lists of a file's values, or of structs that begin with one.
template <typename View>
class ListBoundsProbe : public ColumnProbe {
 public:
  ListBoundsProbe(std::shared_ptr<arrow::DataType> value, ValueBounds bounds)
      : value_(std::move(value)), interval_(std::move(bounds)) {}

  void Probe(const arrow::Array& cells, bool /*null_is_maybe*/, uint8_t* mask) const override {
    if (cells.type_id() != arrow::Type::LIST) return;
    const auto& lists = static_cast<const arrow::ListArray&>(cells);
    const auto values = ValuesOf(lists);
    if (values == nullptr) return;
    for (int64_t i = 0; i < lists.length(); ++i) {
      if (mask[i] == 0 || lists.IsNull(i)) continue;
      if (!AnyWithin(*values, lists.value_offset(i), lists.value_length(i))) mask[i] = 0;
    }
  }

 private:
  std::shared_ptr<arrow::Array> ValuesOf(const arrow::ListArray& lists) const {
    auto values = lists.values();
    if (values->type_id() == arrow::Type::STRUCT && value_->id() != arrow::Type::STRUCT) {
      values = static_cast<const arrow::StructArray&>(*values).field(0);
    }
    return values->type()->Equals(*value_) ? values : AsType(*values, value_);
  }
  bool AnyWithin(const arrow::Array& values, int64_t begin, int64_t length) const {
    if (interval_.is_open()) return length > 0;
    for (int64_t i = begin; i < begin + length; ++i) {
      if (values.IsValid(i) && interval_.Holds(KeyAt<View>(values, i))) return true;
    }
    return false;
  }

  std::shared_ptr<arrow::DataType> value_;
  Interval<View> interval_;
};

template <typename View>
class RangeBoundsProbe : public ColumnProbe {
 public:
  RangeBoundsProbe(std::shared_ptr<arrow::DataType> value, ValueBounds bounds)
      : value_(std::move(value)), interval_(std::move(bounds)) {}

  void Probe(const arrow::Array& cells, bool null_is_maybe, uint8_t* mask) const override {
    if (cells.type_id() != arrow::Type::STRUCT) return;
    const auto& ranges = static_cast<const arrow::StructArray&>(cells);
    const auto min = End(ranges, "min");
    const auto max = End(ranges, "max");
    if (min == nullptr || max == nullptr) return;  // bounds that cannot be read prove nothing
    for (int64_t i = 0; i < ranges.length(); ++i) {
      if (mask[i] == 0) continue;
      if (ranges.IsNull(i)) {
        if (!null_is_maybe) mask[i] = 0;
      } else if (min->IsNull(i) && max->IsNull(i)) {  // built, and the file holds no value
        mask[i] = 0;
      } else if (min->IsValid(i) && !interval_.StartsBefore(KeyAt<View>(*min, i))) {
        mask[i] = 0;
      } else if (max->IsValid(i) && !interval_.Reaches(KeyAt<View>(*max, i))) {
        mask[i] = 0;
      }
    }
  }

 private:
  std::shared_ptr<arrow::Array> End(const arrow::StructArray& ranges, const char* name) const {
    auto end = ranges.GetFieldByName(name);
    if (end == nullptr || end->type()->Equals(*value_)) return end;
    return AsType(*end, value_);
  }

  std::shared_ptr<arrow::DataType> value_;
  Interval<View> interval_;
};

class AnyValueProbe : public ColumnProbe {
 public:
  void Probe(const arrow::Array& cells, bool null_is_maybe, uint8_t* mask) const override {
    if (null_is_maybe) return;
    for (int64_t i = 0; i < cells.length(); ++i) {
      if (cells.IsNull(i)) mask[i] = 0;
    }
  }
};

template <typename View>
std::unique_ptr<ColumnProbe> Make(IndexedColumn::Kind kind,
                                  const std::shared_ptr<arrow::DataType>& value,
                                  const ValueBounds& bounds) {
  if (kind == IndexedColumn::Kind::kRange) {
    return std::make_unique<RangeBoundsProbe<View>>(value, bounds);
  }
  return std::make_unique<ListBoundsProbe<View>>(value, bounds);
}

}  // namespace

std::unique_ptr<ColumnProbe> MakeBoundsProbe(const IndexedColumn& column,
                                             const std::shared_ptr<arrow::DataType>& value,
                                             const ValueBounds& bounds) {
  if (column.kind == IndexedColumn::Kind::kBloom) return std::make_unique<AnyValueProbe>();
  switch (ShapeOf(*value)) {
    case KeyShape::kWord:
      return Make<uint64_t>(column.kind, value, bounds);
    case KeyShape::kDoubleWord:
      return Make<Key128>(column.kind, value, bounds);
    case KeyShape::kBytes:
      return Make<std::string_view>(column.kind, value, bounds);
    case KeyShape::kNested:
      break;
  }
  // Nested values have no order here: all that is known is whether there are any.
  return std::make_unique<ListBoundsProbe<std::string_view>>(value, ValueBounds{});
}

}  // namespace ariadne::index
