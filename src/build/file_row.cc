#include "build/file_row.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include "ariadne/errors.h"
#include "build/built_cells.h"
#include "index/auto_bloom.h"
#include "storage/arrow_io.h"

namespace ariadne::build {

namespace {

/// Bytes that a builder needs for a distinct value beside the value itself: slots, an offset, and
/// for a moment the smaller table that it has outgrown.
constexpr int64_t kBytesAValue = 48;
/// Bytes that a footer, buffers of a decoder and the like take at least.
constexpr int64_t kBytesAFile = 256 << 10;

/// Bytes that it keeps for a newest timestamp.
constexpr int64_t kBytesATimestamp = 40;
/// Bytes of distinct values that go to the large table however few they are: a cell's strings have
/// 32-bit offsets, and a reader holds a cell as a whole.
constexpr int64_t kMaxCellBytes = 256 << 20;

template <typename T>
T Unwrap(arrow::Result<T> result) {
  if (!result.ok()) throw Error("cannot make an index cell: " + result.status().message());
  return result.MoveValueUnsafe();
}

int64_t BytesOf(const arrow::Array& cell) {
  const auto bytes = arrow::util::ReferencedBufferSize(cell);
  return bytes.ok() ? *bytes : 0;
}

/// Bytes that building a column may take at most, from what the footer or the file's size says.
int64_t BuildingBound(const ColumnPlan& plan, const source::DataFile& source) {
  const std::string& name = plan.declared.column;
  int64_t bound = 0;
  switch (plan.declared.kind) {
    case IndexedColumn::Kind::kBloom:
      return source.DistinctUpperBound(name) * kBytesAValue;
    case IndexedColumn::Kind::kRange:
      return 0;
    case IndexedColumn::Kind::kRegular:
      return source.MemoryUpperBound(name) + source.DistinctUpperBound(name) * kBytesAValue;
    case IndexedColumn::Kind::kTemporal:
      return source.MemoryUpperBound(name) +
             source.DistinctUpperBound(name) * (kBytesAValue + kBytesATimestamp);
    case IndexedColumn::Kind::kComputed:
    case IndexedColumn::Kind::kExploded:
      for (const std::string& column : plan.reads) bound += source.MemoryUpperBound(column);
      return bound + source.RowUpperBound() * kBytesAValue;
  }
  return bound;
}

}  // namespace

struct OpenedFile::State {
  FileJob job;
  const std::vector<ColumnPlan>& columns;
  std::unique_ptr<source::DataFile> source;
  /// Ranges that the footer proves, by declared column.
  std::map<int, source::MinMax> known_ranges;
  int64_t memory_bound = kBytesAFile;
};

OpenedFile::OpenedFile(const FileJob& job, const std::vector<ColumnPlan>& columns,
                       const LakeFormat& format)
    : state_(new State{.job = job, .columns = columns}) {
  State& state = *state_;
  const auto size = job.size < 0 ? std::nullopt : std::optional<int64_t>(job.size);
  auto input = storage::OpenInput(job.object, size);
  if (state.job.size < 0) {
    const auto found = input->GetSize();
    if (!found.ok()) throw StorageError(job.uri + ": " + found.status().message());
    state.job.size = *found;
  }
  state.source = format.Open(std::move(input), job.uri);
  for (const int column : job.columns) {
    const ColumnPlan& plan = columns[column];
    if (plan.declared.kind == IndexedColumn::Kind::kRange) {
      if (auto range = state.source->ExactRange(plan.declared.column)) {
        state.known_ranges.emplace(column, std::move(*range));
      }
    }
    state.memory_bound += BuildingBound(plan, *state.source);
  }
}

OpenedFile::~OpenedFile() = default;

int64_t OpenedFile::memory_bound() const { return state_->memory_bound; }

FileRow OpenedFile::Build(const index::BuildContext& context, const Placement& placement) const {
  const State& state = *state_;
  FileRow row;
  row.uri = state.job.uri;
  row.file_size = state.job.size;
  row.old_row = state.job.old_row;
  row.cells.resize(state.columns.size());
  row.filters.resize(state.columns.size());
  std::vector<std::vector<int>> passes;
  for (const int column : state.job.columns) {
    if (const auto known = state.known_ranges.find(column); known != state.known_ranges.end()) {
      AddCell(column,
              index::RangeCell(state.columns[column].value, *known->second.min, *known->second.max),
              &row);
    } else if (passes.empty() || !state.source->reads_whole_rows()) {
      passes.push_back({column});
    } else {
      passes.back().push_back(column);
    }
  }
  try {
    for (const std::vector<int>& pass : passes) BuildColumns(pass, context, placement, &row);
  } catch (...) {
    for (const FileRow::Large& large : row.large)
      placement.large->Discard(large.column, large.file);
    throw;
  }
  return row;
}

void OpenedFile::BuildColumns(const std::vector<int>& columns, const index::BuildContext& context,
                              const Placement& placement, FileRow* row) const {
  index::BuildContext of_each = context;
  of_each.memory_bytes =
      std::max(kSmallestBuilder, context.memory_bytes / static_cast<int64_t>(columns.size()));
  std::vector<std::unique_ptr<index::ColumnBuilder>> builders;
  std::vector<ColumnReading> readings;
  for (const int column : columns) {
    const ColumnPlan& plan = state_->columns[column];
    builders.push_back(index::MakeBuilder(plan.declared, plan.value, of_each, plan.timestamp));
    readings.push_back({&plan, builders.back().get()});
  }
  ReadColumns(readings, *state_->source);
  for (size_t i = 0; i < columns.size(); ++i) {
    AddBuilt(columns[i], *builders[i], context, placement, row);
    builders[i].reset();
  }
}

void OpenedFile::AddBuilt(int column, index::ColumnBuilder& builder,
                          const index::BuildContext& context, const Placement& placement,
                          FileRow* row) const {
  const ColumnPlan& plan = state_->columns[column];
  if (!plan.keeps_values()) return AddCell(column, builder.Finish(), row);

  const int64_t distinct = builder.distinct_count();
  row->distinct = std::max(row->distinct, distinct);
  const bool large = distinct >= placement.large_limit || builder.value_bytes() > kMaxCellBytes;
  std::optional<index::AutoBloom> filter;
  if (plan.can_filter() && (large || placement.large->HasFilters(column))) {
    filter.emplace(plan.value, builder.token_count(), placement.filter_fpr,
                   context.token_time_zone);
  }
  if (large) {
    row->large.push_back(
        {column, placement.large->Write(column, row->uri, builder, filter ? &*filter : nullptr)});
    row->cells[column] = Unwrap(arrow::MakeArrayOfNull(plan.storage_type(), 1));
  } else {
    const auto cell = builder.Finish();
    if (filter) filter->Add(*static_cast<const arrow::ListArray&>(*cell).value_slice(0));
    AddCell(column, cell, row);
  }
  if (filter) {
    row->filters[column] = filter->Finish();
    row->bytes += BytesOf(*row->filters[column]);
  }
}

void OpenedFile::AddCell(int column, const std::shared_ptr<arrow::Array>& cell,
                         FileRow* row) const {
  row->cells[column] = BuiltCell(state_->columns[column].declared, cell);
  row->bytes += BytesOf(*row->cells[column]);
}

}  // namespace ariadne::build
