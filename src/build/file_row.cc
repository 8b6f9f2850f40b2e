#include "build/file_row.h"

#include <algorithm>
#include <map>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include "ariadne/errors.h"
#include "build/built_cells.h"
#include "source/parquet_source.h"
#include "storage/arrow_io.h"

namespace ariadne::build {

namespace {

/// Bytes that a builder keeps for a distinct value beside the value itself: hash, slot, offset.
constexpr int64_t kBytesAValue = 24;
/// Bytes that a footer, buffers of a decoder and the like take at least.
constexpr int64_t kBytesAFile = 256 << 10;

std::shared_ptr<arrow::DataType> TypeOf(const arrow::Schema& schema, const std::string& column) {
  const auto field = schema.GetFieldByName(column);
  if (field == nullptr) throw ColumnNotFound("the index's schema has no column '" + column + "'");
  return field->type();
}

}  // namespace

struct OpenedFile::State {
  FileJob job;
  const std::vector<IndexedColumn>& columns;
  std::shared_ptr<arrow::Schema> schema;
  std::unique_ptr<source::ParquetSource> source;
  /// Ranges that the footer proves, by declared column.
  std::map<int, source::MinMax> known_ranges;
  int64_t memory_bound = kBytesAFile;
};

OpenedFile::OpenedFile(const FileJob& job, const std::vector<IndexedColumn>& columns,
                       const std::shared_ptr<arrow::Schema>& schema)
    : state_(new State{.job = job, .columns = columns, .schema = schema}) {
  State& state = *state_;
  const auto size = job.size < 0 ? std::nullopt : std::optional<int64_t>(job.size);
  auto input = storage::OpenInput(job.object, size);
  if (state.job.size < 0) {
    const auto found = input->GetSize();
    if (!found.ok()) throw StorageError(job.uri + ": " + found.status().message());
    state.job.size = *found;
  }
  state.source = std::make_unique<source::ParquetSource>(std::move(input), job.uri, schema);
  for (const int column : job.columns) {
    const std::string& name = columns[column].column;
    if (columns[column].kind == IndexedColumn::Kind::kRange) {
      if (auto range = state.source->ExactRange(name)) {
        state.known_ranges.emplace(column, std::move(*range));
      }
      continue;
    }
    const int64_t distinct = state.source->DistinctUpperBound(name);
    state.memory_bound += columns[column].kind == IndexedColumn::Kind::kBloom
                              ? distinct * kBytesAValue
                              : state.source->MemoryUpperBound(name) + distinct * kBytesAValue;
  }
}

OpenedFile::~OpenedFile() = default;

int64_t OpenedFile::memory_bound() const { return state_->memory_bound; }

FileRow OpenedFile::Build(const index::BuildContext& context) const {
  const State& state = *state_;
  FileRow row;
  row.uri = state.job.uri;
  row.file_size = state.job.size;
  row.old_row = state.job.old_row;
  row.cells.resize(state.columns.size());
  for (const int column : state.job.columns) {
    const IndexedColumn& declared = state.columns[column];
    const auto type = TypeOf(*state.schema, declared.column);
    std::shared_ptr<arrow::Array> cell;
    if (const auto known = state.known_ranges.find(column); known != state.known_ranges.end()) {
      cell = index::RangeCell(type, *known->second.min, *known->second.max);
    } else {
      const auto builder = index::MakeBuilder(declared, type, context);
      state.source->VisitDistinct(declared.column,
                                  [&](const arrow::Array& values) { builder->Add(values); });
      cell = builder->Finish();
    }
    row.cells[column] = BuiltCell(declared, cell);
    const auto bytes = arrow::util::ReferencedBufferSize(*row.cells[column]);
    row.bytes += bytes.ok() ? *bytes : 0;
  }
  return row;
}

}  // namespace ariadne::build
