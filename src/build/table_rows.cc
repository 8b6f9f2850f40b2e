#include "build/table_rows.h"

#include <algorithm>
#include <numeric>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/schema.h>

#include "ariadne/errors.h"
#include "source/convert.h"
#include "source/parquet_file.h"
#include "storage/arrow_io.h"
#include "storage/lost_table.h"

namespace ariadne::build {

namespace {

/// Uncompressed bytes that a batch should have.
constexpr int64_t kBatchBytes = 8 << 20;
constexpr int64_t kMaxBatchRows = 4096;

}  // namespace

std::shared_ptr<arrow::Array> ConformCells(const std::shared_ptr<arrow::Array>& array,
                                           const std::shared_ptr<arrow::DataType>& type,
                                           const std::string& where) {
  const arrow::DataType& from = *array->type();
  if (from.Equals(*type)) return array;
  const auto id = type->id();
  const auto relabel = [&](std::vector<std::shared_ptr<arrow::ArrayData>> children) {
    auto data = array->data()->Copy();
    data->type = type;
    data->child_data = std::move(children);
    return arrow::MakeArray(data);
  };
  if (from.id() == id && id == arrow::Type::TIMESTAMP &&
      static_cast<const arrow::TimestampType&>(from).unit() ==
          static_cast<const arrow::TimestampType&>(*type).unit()) {
    return relabel({});
  }
  const bool same_struct = id == arrow::Type::STRUCT && from.num_fields() == type->num_fields();
  if (from.id() == id && (id == arrow::Type::LIST || same_struct)) {
    std::vector<std::shared_ptr<arrow::ArrayData>> children;
    bool same_names = true;
    for (int i = 0; i < type->num_fields(); ++i) {
      same_names = same_names &&
                   (id == arrow::Type::LIST || from.field(i)->name() == type->field(i)->name());
      children.push_back(ConformCells(arrow::MakeArray(array->data()->child_data[i]),
                                      type->field(i)->type(), where)
                             ->data());
    }
    if (same_names) return relabel(std::move(children));
  }
  auto converted = source::ConvertExactly(array, type);
  if (!converted.ok()) {
    throw InvalidFile(where + ": cells of type " + from.ToString() + " where the index has " +
                      type->ToString() + ": " + converted.status().message());
  }
  return converted.MoveValueUnsafe();
}

struct TableRows::State {
  std::string where;
  std::shared_ptr<arrow::Schema> schema;
  std::unique_ptr<source::ParquetFile> file;
  std::unique_ptr<parquet::arrow::FileReader> reader;
  std::vector<int> leaves;           ///< Parquet columns to read.
  std::vector<int> column_of_field;  ///< Place in the batches read; -1: the file lacks it.
  std::unique_ptr<arrow::RecordBatchReader> batches;
  std::vector<int> row_groups;
};

TableRows::TableRows(const storage::DeltaTable& table, const storage::DataFile& file,
                     std::shared_ptr<arrow::Schema> schema)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  const storage::ObjectRef object = table.FileRef(file.path);
  state.where = object.store->base_url() + object.path;
  state.schema = std::move(schema);
  const std::string remedy = storage::HowToBuildAgain(table.folder());
  try {
    state.file = std::make_unique<source::ParquetFile>(storage::OpenInput(object, file.size),
                                                       state.where, remedy);
  } catch (const ObjectNotFound& error) {
    throw InvalidFile(std::string(error.what()) + ". " + remedy);
  }
  const parquet::SchemaDescriptor& columns = *state.file->metadata().schema();
  std::vector<std::pair<std::string, int>> top;  // (name, first leaf)
  for (int leaf = 0; leaf < columns.num_columns(); ++leaf) {
    const std::string& name = columns.GetColumnRoot(leaf)->name();
    if (top.empty() || top.back().first != name) top.emplace_back(name, leaf);
  }
  // Arrow gives the columns read in the file's order.
  std::vector<bool> wanted(top.size(), false);
  std::vector<size_t> top_of_field;
  for (const auto& field : state.schema->fields()) {
    const auto found = std::find_if(
        top.begin(), top.end(), [&](const auto& column) { return column.first == field->name(); });
    top_of_field.push_back(found - top.begin());
    if (found != top.end()) wanted[found - top.begin()] = true;
  }
  for (const size_t at : top_of_field) {
    state.column_of_field.push_back(
        at == top.size() ? -1
                         : static_cast<int>(std::count(wanted.begin(), wanted.begin() + at, true)));
  }
  for (size_t i = 0; i < top.size(); ++i) {
    if (!wanted[i]) continue;
    const int end = i + 1 < top.size() ? top[i + 1].second : columns.num_columns();
    for (int leaf = top[i].second; leaf < end; ++leaf) state.leaves.push_back(leaf);
  }

  parquet::ArrowReaderProperties properties;
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  properties.set_pre_buffer(false);
  properties.set_batch_size(std::clamp<int64_t>(kBatchBytes / bytes_per_row(), 1, kMaxBatchRows));
  state.file->Guard("", [&] {
    auto reader = parquet::ParquetFileReader::Open(
        state.file->input(), source::ParquetFile::properties(), state.file->shared_metadata());
    state.reader =
        state.file->Unwrap("", parquet::arrow::FileReader::Make(arrow::default_memory_pool(),
                                                                std::move(reader), properties));
  });
  state.row_groups.resize(state.file->metadata().num_row_groups());
  std::iota(state.row_groups.begin(), state.row_groups.end(), 0);
}

TableRows::~TableRows() = default;

int64_t TableRows::num_rows() const { return state_->file->metadata().num_rows(); }

int64_t TableRows::bytes_per_row() const {
  const parquet::FileMetaData& metadata = state_->file->metadata();
  int64_t bytes = 0;
  for (int i = 0; i < metadata.num_row_groups(); ++i) {
    bytes += metadata.RowGroup(i)->total_byte_size();
  }
  return std::max<int64_t>(1, bytes / std::max<int64_t>(1, metadata.num_rows()));
}

bool TableRows::has_column(const std::string& column) const {
  const parquet::SchemaDescriptor& columns = *state_->file->metadata().schema();
  return columns.group_node()->FieldIndex(column) >= 0;
}

std::vector<std::pair<int64_t, int64_t>> TableRows::row_groups() const {
  const parquet::FileMetaData& metadata = state_->file->metadata();
  std::vector<std::pair<int64_t, int64_t>> groups;
  int64_t first = 0;
  for (int i = 0; i < metadata.num_row_groups(); ++i) {
    groups.emplace_back(first, metadata.RowGroup(i)->num_rows());
    first += groups.back().second;
  }
  return groups;
}

void TableRows::SelectRowGroups(const std::vector<int>& row_groups) {
  state_->row_groups = row_groups;
  state_->batches = nullptr;
}

std::shared_ptr<arrow::RecordBatch> TableRows::Next() {
  State& state = *state_;
  const source::ParquetFile& file = *state.file;
  return file.Guard("", [&]() -> std::shared_ptr<arrow::RecordBatch> {
    if (state.batches == nullptr) {
      state.batches =
          file.Unwrap("", state.reader->GetRecordBatchReader(state.row_groups, state.leaves));
    }
    const auto batch = file.Unwrap("", state.batches->Next());
    if (batch == nullptr) return nullptr;
    arrow::ArrayVector columns;
    for (size_t i = 0; i < state.column_of_field.size(); ++i) {
      const auto& type = state.schema->field(static_cast<int>(i))->type();
      if (state.column_of_field[i] < 0) {
        columns.push_back(file.Unwrap("", arrow::MakeArrayOfNull(type, batch->num_rows())));
      } else {
        columns.push_back(ConformCells(batch->column(state.column_of_field[i]), type, state.where));
      }
    }
    return arrow::RecordBatch::Make(state.schema, batch->num_rows(), std::move(columns));
  });
}

}  // namespace ariadne::build
