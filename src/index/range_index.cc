#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "index/index_kinds.h"
#include "index/key_at.h"
#include "index/value_key.h"
#include "source/spark_schema.h"

namespace ariadne::index {
namespace {

constexpr IndexedColumn::Kind kRange = IndexedColumn::Kind::kRange;

std::shared_ptr<arrow::Array> CellOf(const std::shared_ptr<arrow::DataType>& value,
                                     const std::shared_ptr<arrow::Array>& min,
                                     const std::shared_ptr<arrow::Array>& max) {
  return std::make_shared<arrow::StructArray>(StorageType({.kind = kRange}, value), 1,
                                              arrow::ArrayVector{min, max});
}

std::shared_ptr<arrow::Array> NullCell(const std::shared_ptr<arrow::DataType>& value) {
  return arrow::MakeArrayOfNull(StorageType({.kind = kRange}, value), 1).ValueOrDie();
}

template <typename Key>
std::shared_ptr<arrow::Array> OneValue(const std::shared_ptr<arrow::DataType>& type,
                                       const Key& key) {
  if constexpr (std::is_same_v<Key, uint64_t>) {
    return FromWordKeys(type, {&key, 1});
  } else if constexpr (std::is_same_v<Key, Key128>) {
    return FromDecimalKeys(type, {&key, 1});
  } else {
    std::shared_ptr<arrow::Scalar> scalar;
    auto buffer = arrow::Buffer::FromString(key);
    if (type->id() == arrow::Type::STRING) {
      scalar = std::make_shared<arrow::StringScalar>(std::move(buffer));
    } else {
      scalar = std::make_shared<arrow::BinaryScalar>(std::move(buffer));
    }
    return arrow::MakeArrayFromScalar(*scalar, 1).ValueOrDie();
  }
}

/// `Key` owns its bytes; `View` is what is compared.
template <typename Key, typename View>
class RangeBuilder : public ColumnBuilder {
 public:
  RangeBuilder(std::string column, std::shared_ptr<arrow::DataType> type)
      : column_(std::move(column)), type_(std::move(type)) {}

  void Add(const arrow::Array& values) override {
    if (!values.type()->Equals(*type_)) return Add(*AsDeclared(values, type_, column_));
    if (values.length() == values.null_count()) return;
    const bool has_nulls = values.null_count() > 0;
    std::optional<std::pair<View, View>> bounds;
    for (int64_t i = 0; i < values.length(); ++i) {
      if (has_nulls && values.IsNull(i)) continue;
      const View key = KeyAt<View>(values, i);
      if (!bounds) bounds.emplace(key, key);
      if (key < bounds->first) bounds->first = key;
      if (bounds->second < key) bounds->second = key;
    }
    if (!bounds_) {
      bounds_.emplace(bounds->first, bounds->second);
      return;
    }
    if (bounds->first < View(bounds_->first)) bounds_->first = Key(bounds->first);
    if (View(bounds_->second) < bounds->second) bounds_->second = Key(bounds->second);
  }
  /// A range counts as its two ends.
  [[nodiscard]] int64_t distinct_count() const override {
    if (!bounds_) return 0;
    return bounds_->first == bounds_->second ? 1 : 2;
  }
  [[nodiscard]] int64_t memory_bytes() const override {
    if constexpr (std::is_same_v<Key, std::string>) {
      if (bounds_) return static_cast<int64_t>(bounds_->first.size() + bounds_->second.size());
    }
    return 0;
  }
  std::shared_ptr<arrow::Array> Finish() override {
    if (!bounds_) return NullCell(type_);
    return CellOf(type_, OneValue<Key>(type_, bounds_->first),
                  OneValue<Key>(type_, bounds_->second));
  }

 private:
  std::string column_;
  std::shared_ptr<arrow::DataType> type_;
  std::optional<std::pair<Key, Key>> bounds_;
};

template <typename View>
class RangeProbe : public ColumnProbe {
 public:
  explicit RangeProbe(std::shared_ptr<arrow::Array> values) : values_(std::move(values)) {
    keys_.reserve(values_->length());
    for (int64_t i = 0; i < values_->length(); ++i) keys_.push_back(KeyAt<View>(*values_, i));
    std::sort(keys_.begin(), keys_.end());
  }

  void Probe(const arrow::Array& cells, bool null_is_maybe, uint8_t* mask) const override {
    if (cells.type_id() != arrow::Type::STRUCT) return;
    const auto& ranges = static_cast<const arrow::StructArray&>(cells);
    auto min = ranges.GetFieldByName("min");
    auto max = ranges.GetFieldByName("max");
    if (min == nullptr || max == nullptr) return;
    if (!min->type()->Equals(*values_->type())) min = AsType(*min, values_->type());
    if (!max->type()->Equals(*values_->type())) max = AsType(*max, values_->type());
    if (min == nullptr || max == nullptr) return;  // bounds that cannot be read prove nothing
    for (int64_t i = 0; i < ranges.length(); ++i) {
      if (mask[i] == 0) continue;
      if (ranges.IsNull(i)) {
        if (!null_is_maybe || keys_.empty()) mask[i] = 0;
        continue;
      }
      if (min->IsNull(i) && max->IsNull(i)) {  // built, and the file holds no value
        mask[i] = 0;
        continue;
      }
      // Only one bound: the other side is open.
      auto first = min->IsNull(i)
                       ? keys_.begin()
                       : std::lower_bound(keys_.begin(), keys_.end(), KeyAt<View>(*min, i));
      if (first == keys_.end() || (max->IsValid(i) && KeyAt<View>(*max, i) < *first)) mask[i] = 0;
    }
  }

 private:
  std::shared_ptr<arrow::Array> values_;  // keeps the bytes that string keys point to
  std::vector<View> keys_;
};

template <typename View>
std::shared_ptr<arrow::Array> CanonicalValue(const std::shared_ptr<arrow::Array>& one) {
  if constexpr (std::is_same_v<View, uint64_t>) return OneValue(one->type(), KeyAt<View>(*one, 0));
  return one;
}

}  // namespace

std::unique_ptr<ColumnBuilder> MakeRangeBuilder(const IndexedColumn& column,
                                                const std::shared_ptr<arrow::DataType>& value) {
  switch (ShapeOf(*value)) {
    case KeyShape::kWord:
      return std::make_unique<RangeBuilder<uint64_t, uint64_t>>(column.column, value);
    case KeyShape::kDoubleWord:
      return std::make_unique<RangeBuilder<Key128, Key128>>(column.column, value);
    default:
      return std::make_unique<RangeBuilder<std::string, std::string_view>>(column.column, value);
  }
}

std::unique_ptr<ColumnProbe> MakeRangeProbe(const std::shared_ptr<arrow::Array>& values) {
  switch (ShapeOf(*values->type())) {
    case KeyShape::kWord:
      return std::make_unique<RangeProbe<uint64_t>>(values);
    case KeyShape::kDoubleWord:
      return std::make_unique<RangeProbe<Key128>>(values);
    default:
      return std::make_unique<RangeProbe<std::string_view>>(values);
  }
}

std::shared_ptr<arrow::Array> RangeCell(const std::shared_ptr<arrow::DataType>& value,
                                        const arrow::Scalar& min, const arrow::Scalar& max) {
  if (!min.is_valid || !max.is_valid) return NullCell(value);
  const auto bound = [&value](const arrow::Scalar& scalar) {
    auto one = AsType(*arrow::MakeArrayFromScalar(scalar, 1).ValueOrDie(), value);
    if (one == nullptr) {
      throw SchemaMismatch("a bound of type " + scalar.type->ToString() +
                           " cannot be read as the column's type " + source::SparkTypeName(*value));
    }
    // 0.0 for -0.0 and one NaN, as the builder has it.
    return ShapeOf(*value) == KeyShape::kWord ? CanonicalValue<uint64_t>(one) : one;
  };
  return CellOf(value, bound(min), bound(max));
}

}  // namespace ariadne::index
