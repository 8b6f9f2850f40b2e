#include "index/temporal_values.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/array_nested.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "index/sorted_runs.h"
#include "source/spark_schema.h"

namespace ariadne::index {
namespace {

/// Bytes of strings at which an array is handed over even with few entries.
constexpr int64_t kArrayBytes = 32 << 20;
/// Rows that are added between two looks at the memory.
constexpr int64_t kBlockValues = 1024;

void AppendCounted(std::string_view bytes, std::string* run) {
  const auto length = static_cast<uint32_t>(bytes.size());
  run->append(reinterpret_cast<const char*>(&length), sizeof(length));
  run->append(bytes);
}

std::string_view TakeCounted(std::string_view* run) {
  uint32_t length = 0;
  std::memcpy(&length, run->data(), sizeof(length));
  const std::string_view bytes = run->substr(sizeof(length), length);
  run->remove_prefix(sizeof(length) + length);
  return bytes;
}

/// Makes arrays of entries.
class EntryGatherer {
 public:
  EntryGatherer(const std::shared_ptr<arrow::DataType>& value,
                const std::shared_ptr<arrow::DataType>& timestamp)
      : type_(EntryType({.kind = IndexedColumn::Kind::kTemporal}, value, timestamp)),
        values_(value),
        newest_(timestamp) {}

  void Add(std::string_view value, std::string_view newest) {
    values_.Add(value);
    AddNewest(newest);
  }
  void AddNull(std::string_view newest) {
    values_.AddNull();
    AddNewest(newest);
  }
  [[nodiscard]] int64_t size() const { return values_.size(); }
  [[nodiscard]] int64_t bytes() const { return values_.bytes() + newest_.bytes(); }
  std::shared_ptr<arrow::Array> Finish() {
    const int64_t size = values_.size();
    arrow::ArrayVector members = {values_.Finish(), newest_.Finish()};
    return std::make_shared<arrow::StructArray>(type_, size, std::move(members));
  }

 private:
  void AddNewest(std::string_view newest) {
    if (newest.empty()) {
      newest_.AddNull();
    } else {
      newest_.Add(newest.substr(1));
    }
  }

  std::shared_ptr<arrow::DataType> type_;
  ValueGatherer values_;
  ValueGatherer newest_;
};

}  // namespace

void TemporalValues::Held::Add(std::string_view value, std::string_view timestamp) {
  const auto [place, fresh] = values.Place(value);
  if (fresh) {
    newest.emplace_back(timestamp);
  } else if (newest[place] < timestamp) {
    newest_bytes -= static_cast<int64_t>(newest[place].size());
    newest[place] = timestamp;
  } else {
    return;
  }
  newest_bytes += static_cast<int64_t>(timestamp.size());
}

int64_t TemporalValues::Held::memory_bytes() const {
  return values.memory_bytes() + static_cast<int64_t>(newest.capacity() * sizeof(std::string)) +
         newest_bytes;
}

int64_t TemporalValues::Held::BytesToAdd(int64_t more, int64_t bytes) const {
  const size_t size = newest.size() + static_cast<size_t>(more);
  const size_t grown = size <= newest.capacity()
                           ? newest.capacity()
                           : newest.capacity() + 2 * std::max(newest.capacity(), size);
  return values.BytesToInsert(more, bytes) + static_cast<int64_t>(grown * sizeof(std::string)) +
         newest_bytes;
}

TemporalValues::TemporalValues(std::string column, std::shared_ptr<arrow::DataType> value,
                               std::shared_ptr<arrow::DataType> timestamp,
                               const BuildContext& context)
    : column_(std::move(column)),
      value_(std::move(value)),
      timestamp_(std::move(timestamp)),
      context_(context) {
  for (const auto& type : {value_, timestamp_}) {
    if (ShapeOf(*type) == KeyShape::kNested) {
      throw UnsupportedColumn("temporal column '" + column_ + "': values of type " +
                              source::SparkTypeName(*type) + " have no order");
    }
  }
}

void TemporalValues::Add(const arrow::Array& values, const arrow::Array& timestamps) {
  const auto checked_values = AsDeclared(values, value_, column_);
  const auto checked_times = AsDeclared(timestamps, timestamp_, column_);
  OrderedBytesReader value_bytes(*checked_values);
  OrderedBytesReader time_bytes(*checked_times);
  std::string newest;
  for (int64_t i = 0; i < checked_values->length(); ++i) {
    if (i % kBlockValues == 0 && held_.values.size() > 0) {
      const int64_t end = std::min(i + kBlockValues, checked_values->length());
      const int64_t bytes = OrderedBytesBound(*checked_values, i, end);
      if (held_.BytesToAdd(end - i, bytes) > context_.memory_bytes) Spill();
    }
    newest.clear();
    if (checked_times->IsValid(i)) {
      newest.push_back('\1');
      newest.append(time_bytes.At(i));
    }
    if (checked_values->IsNull(i)) {
      if (!null_ || *null_ < newest) null_ = newest;
      continue;
    }
    held_.Add(value_bytes.At(i), newest);
  }
  totals_after_spill_.reset();
}

void TemporalValues::Spill() const {
  if (spill_ == nullptr) spill_ = std::make_unique<SpillPartitions>(context_.spill_folder);
  std::string entry;
  for (size_t i = 0; i < held_.newest.size(); ++i) {
    const std::string_view value = held_.values.at(i);
    entry.clear();
    AppendCounted(value, &entry);
    AppendCounted(held_.newest[i], &entry);
    spill_->Add(XXH3_64bits(value.data(), value.size()), {entry});
  }
  held_ = Held();
}

void TemporalValues::ForEachHeld(const std::function<void(const Held&)>& visit) const {
  if (spill_ == nullptr) return visit(held_);
  if (held_.values.size() > 0) Spill();
  for (int p = 0; p < SpillPartitions::kPartitions; ++p) {
    Held part;
    spill_->Read(p, [&part](std::string_view run) {
      while (!run.empty()) {
        const std::string_view value = TakeCounted(&run);
        part.Add(value, TakeCounted(&run));
      }
    });
    visit(part);
  }
}

TemporalValues::Totals TemporalValues::totals() const {
  if (spill_ == nullptr) return {held_.values.size(), held_.values.arena_bytes()};
  if (!totals_after_spill_) {
    Totals totals;
    ForEachHeld([&totals](const Held& part) {
      totals.count += part.values.size();
      totals.bytes += part.values.arena_bytes();
    });
    totals_after_spill_ = totals;
  }
  return *totals_after_spill_;
}

int64_t TemporalValues::count() const { return totals().count + (null_ ? 1 : 0); }

int64_t TemporalValues::value_bytes() const { return totals().bytes; }

int64_t TemporalValues::memory_bytes() const { return held_.memory_bytes(); }

void TemporalValues::ForEachSorted(
    int64_t rows, const std::function<void(const std::shared_ptr<arrow::Array>&)>& visit) const {
  EntryGatherer entries(value_, timestamp_);
  if (null_) entries.AddNull(*null_);
  const auto add = [&](std::string_view value, std::string_view newest) {
    entries.Add(value, newest);
    if (entries.size() >= rows || entries.bytes() >= kArrayBytes) visit(entries.Finish());
  };
  if (spill_ == nullptr) {
    for (const uint32_t i : held_.values.SortedOrder()) add(held_.values.at(i), held_.newest[i]);
  } else {
    SortedRuns sorted(context_.spill_folder, context_.memory_bytes / 4,
                      SpillPartitions::kPartitions);
    ForEachHeld([&sorted](const Held& part) {
      sorted.BeginRun();
      for (const uint32_t i : part.values.SortedOrder()) {
        sorted.Add(part.values.at(i), part.newest[i]);
      }
    });
    sorted.Merge(add);
  }
  if (entries.size() > 0) visit(entries.Finish());
}

}  // namespace ariadne::index
