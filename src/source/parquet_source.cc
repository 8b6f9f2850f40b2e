#include "source/parquet_source.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include "ariadne/errors.h"
#include "source/column_chunk.h"
#include "source/convert.h"
#include "source/file_column.h"
#include "source/footer_bounds.h"
#include "source/name_match.h"
#include "source/parquet_file.h"
#include "source/partition.h"
#include "source/spark_schema.h"

namespace ariadne::source {

struct ParquetSource::State {
  State(std::shared_ptr<arrow::io::RandomAccessFile> input, std::string uri,
        std::shared_ptr<arrow::Schema> declared, std::optional<std::vector<PartitionValue>> given)
      : file(std::move(input), std::move(uri)),
        schema(std::move(declared)),
        partitions(given ? *std::move(given) : PartitionValues(file.uri())) {}

  std::shared_ptr<arrow::Field> Declared(const std::string& column) const {
    auto field = schema->GetFieldByName(column);
    if (field == nullptr) {
      throw ColumnNotFound("The schema has no column '" + column + "', or has it twice");
    }
    return field;
  }

  // The value that the file's partition gives to a column; nullptr: none.
  std::shared_ptr<arrow::Scalar> Constant(const arrow::Field& field) const {
    const int at = FindName(
        static_cast<int>(partitions.size()),
        [this](int i) -> std::string_view { return partitions[i].column; }, field.name());
    if (at == kNameAmbiguous) file.Fail(field.name(), "two folders of its path give it a value");
    if (at == kNameMissing) return nullptr;
    return PartitionScalar(partitions[at], field.type(), file.uri());
  }

  const FileColumn& Column(const arrow::Field& field) {
    auto found = columns.find(field.name());
    if (found == columns.end()) {
      found = columns.emplace(field.name(), FindColumn(file, field)).first;
    }
    return found->second;
  }

  // Reads nested columns; made when the first is asked for.
  parquet::arrow::FileReader& Rows(const std::string& column) {
    if (rows == nullptr) {
      parquet::ArrowReaderProperties properties(/*use_threads=*/false);
      properties.set_pre_buffer(false);
      properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
      auto reader = parquet::ParquetFileReader::Open(file.input(), ParquetFile::properties(),
                                                     file.shared_metadata());
      rows = file.Unwrap(column, parquet::arrow::FileReader::Make(arrow::default_memory_pool(),
                                                                  std::move(reader), properties));
    }
    return *rows;
  }

  ParquetFile file;
  std::shared_ptr<arrow::Schema> schema;
  std::vector<PartitionValue> partitions;
  std::map<std::string, FileColumn> columns;
  std::unique_ptr<parquet::arrow::FileReader> rows;
};

namespace {

/// What a batch of VisitRows should have.
constexpr int64_t kRowsBytes = 8 << 20;
constexpr int64_t kMaxRows = 1 << 16;

std::shared_ptr<arrow::Array> Convert(const ParquetFile& file, const FileColumn& column,
                                      const std::shared_ptr<arrow::Array>& array) {
  return file.Guard(column.name,
                    [&] { return file.Unwrap(column.name, ConvertExactly(array, column.type)); });
}

// `visit` runs outside of the guards: what it throws is not the file's fault.
void VisitLeaf(const ParquetFile& file, const FileColumn& column,
               const DataFile::ValueVisitor& visit) {
  for (int group = 0; group < file.metadata().num_row_groups(); ++group) {
    const auto chunk = file.Guard(column.name, [&] {
      return ColumnChunk::Open(file, group, column.leaf, column.leaf_type, column.name);
    });
    while (const auto values = file.Guard(column.name, [&chunk] { return chunk->Next(); })) {
      visit(*Convert(file, column, values));
    }
  }
}

}  // namespace

ParquetSource::ParquetSource(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string uri,
                             std::shared_ptr<arrow::Schema> declared,
                             std::optional<std::vector<PartitionValue>> partitions)
    : state_(std::make_unique<State>(std::move(file), std::move(uri), std::move(declared),
                                     std::move(partitions))) {}

ParquetSource::~ParquetSource() = default;

int64_t ParquetSource::num_rows() const { return state_->file.metadata().num_rows(); }

int ParquetSource::num_row_groups() const { return state_->file.metadata().num_row_groups(); }

int64_t ParquetSource::DistinctUpperBound(const std::string& name) const {
  const auto field = state_->Declared(name);
  if (const auto constant = state_->Constant(*field)) return constant->is_valid ? 1 : 0;
  const FileColumn& column = state_->Column(*field);
  return column.missing() ? 0 : DistinctBound(state_->file, column);
}

int64_t ParquetSource::MemoryUpperBound(const std::string& name) const {
  const auto field = state_->Declared(name);
  if (state_->Constant(*field) != nullptr) {
    constexpr int64_t kConstantBytes = 64;
    return kConstantBytes + static_cast<int64_t>(state_->file.uri().size());
  }
  const FileColumn& column = state_->Column(*field);
  return column.missing() ? 0 : MemoryBound(state_->file, column);
}

std::optional<MinMax> ParquetSource::ExactRange(const std::string& name) const {
  const auto field = state_->Declared(name);
  const auto constant = state_->Constant(*field);
  const bool no_value =
      num_rows() == 0 || (constant == nullptr && state_->Column(*field).missing());
  if (no_value) {
    const std::shared_ptr<arrow::Scalar> none = arrow::MakeNullScalar(field->type());
    return MinMax{none, none};
  }
  if (constant != nullptr) return MinMax{constant, constant};
  return StatisticsRange(state_->file, state_->Column(*field));
}

void ParquetSource::VisitDistinct(const std::string& name, const ValueVisitor& visit) const {
  const auto field = state_->Declared(name);
  const ParquetFile& file = state_->file;
  if (num_rows() == 0) return;
  if (const auto constant = state_->Constant(*field)) {
    visit(*file.Unwrap(name, arrow::MakeArrayFromScalar(*constant, 1)));
    return;
  }
  const FileColumn& column = state_->Column(*field);
  if (column.missing()) return;
  if (column.leaf >= 0) return VisitLeaf(file, column, visit);

  for (int group = 0; group < num_row_groups(); ++group) {
    const auto rows = file.Guard(name, [&] {
      std::shared_ptr<arrow::ChunkedArray> read;
      file.Check(name, state_->Rows(name).RowGroup(group)->Column(column.field)->Read(&read));
      return read;
    });
    if (rows->length() != file.metadata().RowGroup(group)->num_rows()) {
      file.Fail(name, "a row group holds fewer rows than its footer claims");
    }
    for (const auto& chunk : rows->chunks()) visit(*Convert(file, column, chunk));
  }
}

bool ParquetSource::VisitDistinctElements(const ElementPath& path,
                                          const std::shared_ptr<arrow::DataType>& type,
                                          const ValueVisitor& visit) const {
  const auto field = state_->Declared(path.column);
  if (num_rows() == 0) return true;
  if (state_->Constant(*field) != nullptr) return false;
  const FileColumn& column = state_->Column(*field);
  if (column.missing()) return true;
  const auto values = FindElements(state_->file, column, path, type);
  if (!values) return false;
  VisitLeaf(state_->file, *values, visit);
  return true;
}

void ParquetSource::VisitRows(const std::vector<std::string>& names,
                              const RowVisitor& visit) const {
  const ParquetFile& file = state_->file;
  struct Wanted {
    std::shared_ptr<arrow::Scalar>
        constant;  // Of columns that the file does not give, may be NULL.
    const FileColumn* column = nullptr;
    int place = 0;  // Among the columns read.
  };
  std::vector<Wanted> wanted;
  arrow::FieldVector fields;
  std::map<int, int> places;  // Of the file's fields that are read, which come in its order.
  for (const std::string& name : names) {
    const auto field = state_->Declared(name);
    fields.push_back(field);
    Wanted one{.constant = state_->Constant(*field)};
    if (one.constant == nullptr) {
      one.column = &state_->Column(*field);
      if (one.column->missing()) {
        one.constant = arrow::MakeNullScalar(field->type());
      } else {
        places[one.column->field] = 0;
      }
    }
    wanted.push_back(std::move(one));
  }
  int place = 0;
  for (auto& [field, of_field] : places) of_field = place++;
  std::vector<int> leaves;
  const parquet::SchemaDescriptor& schema = *file.metadata().schema();
  for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
    if (places.contains(schema.group_node()->FieldIndex(*schema.GetColumnRoot(leaf)))) {
      leaves.push_back(leaf);
    }
  }
  for (Wanted& one : wanted) {
    if (one.constant == nullptr) one.place = places.at(one.column->field);
  }
  const auto whole = arrow::schema(fields);
  const auto give = [&](const arrow::RecordBatch* read, int64_t rows) {
    arrow::ArrayVector columns;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const Wanted& one = wanted[i];
      columns.push_back(one.constant != nullptr
                            ? file.Unwrap(names[i], arrow::MakeArrayFromScalar(*one.constant, rows))
                            : Convert(file, *one.column, read->column(one.place)));
    }
    visit(*arrow::RecordBatch::Make(whole, rows, std::move(columns)));
  };
  for (int group = 0; group < num_row_groups(); ++group) {
    const auto metadata = file.metadata().RowGroup(group);
    const int64_t rows = metadata->num_rows();
    if (rows == 0) continue;
    int64_t bytes = 0;
    for (const int leaf : leaves) bytes += metadata->ColumnChunk(leaf)->total_uncompressed_size();
    const int64_t step =
        std::clamp<int64_t>(kRowsBytes / std::max<int64_t>(1, bytes / rows), 64, kMaxRows);
    if (leaves.empty()) {
      for (int64_t at = 0; at < rows; at += step) give(nullptr, std::min(step, rows - at));
      continue;
    }
    const std::string first = names.empty() ? "" : names.front();
    auto reader = file.Guard(first, [&] {
      parquet::arrow::FileReader& all = state_->Rows(first);
      all.set_batch_size(step);
      return file.Unwrap(first, all.GetRecordBatchReader({group}, leaves));
    });
    int64_t seen = 0;
    while (true) {
      const auto batch = file.Guard(first, [&] {
        std::shared_ptr<arrow::RecordBatch> next;
        file.Check(first, reader->ReadNext(&next));
        return next;
      });
      if (batch == nullptr) break;
      seen += batch->num_rows();
      give(batch.get(), batch->num_rows());
    }
    if (seen != rows) file.Fail(first, "a row group holds fewer rows than its footer claims");
  }
}

std::shared_ptr<arrow::Schema> ReadParquetSchema(
    const std::shared_ptr<arrow::io::RandomAccessFile>& file, const std::string& uri) {
  return SparkSchema(ParquetFile(file, uri));
}

}  // namespace ariadne::source
