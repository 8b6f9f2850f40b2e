#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "index/index_kinds.h"
#include "index/temporal_values.h"

namespace ariadne::index {
namespace {

class TemporalBuilder : public ColumnBuilder {
 public:
  TemporalBuilder(const IndexedColumn& column, const std::shared_ptr<arrow::DataType>& value,
                  const std::shared_ptr<arrow::DataType>& timestamp, const BuildContext& context)
      : column_(column.column),
        type_(StorageType(column, value, timestamp)),
        values_(column.column, value, timestamp, context) {}

  void Add(const arrow::Array& entries) override {
    if (entries.type_id() != arrow::Type::STRUCT || entries.type()->num_fields() != 2) {
      throw SchemaMismatch("temporal column '" + column_ + "' is built from values and timestamps");
    }
    const auto& rows = static_cast<const arrow::StructArray&>(entries);
    values_.Add(*rows.field(0), *rows.field(1));
  }
  [[nodiscard]] int64_t distinct_count() const override { return values_.count(); }
  [[nodiscard]] int64_t memory_bytes() const override { return values_.memory_bytes(); }
  [[nodiscard]] int64_t value_bytes() const override { return values_.value_bytes(); }
  [[nodiscard]] int64_t token_count() const override {
    return values_.count() - (values_.has_null() ? 1 : 0);
  }
  void ForEachSorted(int64_t rows, const EntryVisit& visit) const override {
    values_.ForEachSorted(rows, visit);
  }
  std::shared_ptr<arrow::Array> Finish() override {
    arrow::ArrayVector parts;
    ForEachSorted(std::numeric_limits<int64_t>::max(),
                  [&parts](const std::shared_ptr<arrow::Array>& part) { parts.push_back(part); });
    std::shared_ptr<arrow::Array> entries;
    if (parts.empty()) {
      entries = arrow::MakeEmptyArray(type_->field(0)->type()).ValueOrDie();
    } else {
      auto joined = arrow::Concatenate(parts);
      if (!joined.ok()) {
        throw Error("cannot hold the values of temporal column '" + column_ +
                    "' in one cell: " + joined.status().message());
      }
      entries = joined.MoveValueUnsafe();
    }
    const std::array<int32_t, 2> offsets = {0, static_cast<int32_t>(entries->length())};
    auto buffer = arrow::AllocateBuffer(sizeof(offsets)).ValueOrDie();
    std::copy(offsets.begin(), offsets.end(), reinterpret_cast<int32_t*>(buffer->mutable_data()));
    return std::make_shared<arrow::ListArray>(type_, 1, std::move(buffer), std::move(entries));
  }

 private:
  std::string column_;
  std::shared_ptr<arrow::DataType> type_;
  TemporalValues values_;
};

/// Asks the values alone: which file holds a value's newest version is for all files together to
/// say.
class TemporalProbe : public ColumnProbe {
 public:
  explicit TemporalProbe(const std::shared_ptr<arrow::Array>& values)
      : values_(MakeRegularProbe(values)) {}

  void Probe(const arrow::Array& cells, bool null_is_maybe, uint8_t* mask) const override {
    if (cells.type_id() != arrow::Type::LIST) return;  // What cannot be read proves nothing.
    const auto& lists = static_cast<const arrow::ListArray&>(cells);
    if (lists.value_type()->id() != arrow::Type::STRUCT || lists.value_type()->num_fields() == 0) {
      return;
    }
    auto values = static_cast<const arrow::StructArray&>(*lists.values()).GetFlattenedField(0);
    if (!values.ok()) return;
    auto data = lists.data()->Copy();
    data->type = arrow::list(arrow::field("element", (*values)->type()));
    data->child_data = {(*values)->data()};
    values_->Probe(*arrow::MakeArray(data), null_is_maybe, mask);
  }

 private:
  std::unique_ptr<ColumnProbe> values_;
};

}  // namespace

std::unique_ptr<ColumnBuilder> MakeTemporalBuilder(
    const IndexedColumn& column, const std::shared_ptr<arrow::DataType>& value,
    const std::shared_ptr<arrow::DataType>& timestamp, const BuildContext& context) {
  return std::make_unique<TemporalBuilder>(column, value, timestamp, context);
}

std::unique_ptr<ColumnProbe> MakeTemporalProbe(const std::shared_ptr<arrow::Array>& values) {
  return std::make_unique<TemporalProbe>(values);
}

}  // namespace ariadne::index
