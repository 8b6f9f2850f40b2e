#include "storage/delta_writer.h"

#include <limits>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include "ariadne/errors.h"
#include "storage/arrow_io.h"
#include "storage/debug_log.h"
#include "storage/delta_state.h"
#include "storage/file_statistics.h"
#include "storage/layout.h"
#include "storage/uuid.h"

namespace ariadne::storage {
namespace {

/// The type with every part nullable: the tables declare nothing else.
std::shared_ptr<arrow::DataType> Nullable(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::LIST:
      return arrow::list(arrow::field("element", Nullable(type->field(0)->type())));
    case arrow::Type::STRUCT: {
      arrow::FieldVector fields;
      for (const auto& field : type->fields()) {
        fields.push_back(arrow::field(field->name(), Nullable(field->type())));
      }
      return arrow::struct_(std::move(fields));
    }
    default:
      return type;
  }
}

std::shared_ptr<arrow::ArrayData> Retype(const std::shared_ptr<arrow::ArrayData>& data,
                                         const std::shared_ptr<arrow::DataType>& type) {
  auto copy = data->Copy();
  copy->type = type;
  for (size_t i = 0; i < copy->child_data.size(); ++i) {
    copy->child_data[i] = Retype(copy->child_data[i], type->field(static_cast<int>(i))->type());
  }
  return copy;
}

std::shared_ptr<parquet::WriterProperties> FileProperties(const arrow::Schema& schema) {
  parquet::WriterProperties::Builder builder;
  for (const auto& field : schema.fields()) {
    // Filters: each is another, no reader compares them, their bits are as good as random, and a
    // large file's takes many megabytes, of which a dictionary, statistics and compression would
    // each hold a copy.
    if (field->type()->id() != arrow::Type::BINARY) continue;
    builder.disable_dictionary(field->name());
    builder.disable_statistics(field->name());
    builder.compression(field->name(), parquet::Compression::UNCOMPRESSED);
  }
  builder.compression(parquet::Compression::SNAPPY);
  builder.enable_write_page_index();
  builder.max_row_group_length(std::numeric_limits<int64_t>::max());
  return builder.build();
}

std::shared_ptr<parquet::ArrowWriterProperties> ArrowProperties() {
  parquet::ArrowWriterProperties::Builder builder;
  builder.coerce_timestamps(arrow::TimeUnit::MICRO);
  return builder.build();
}

}  // namespace

struct DeltaFileWriter::State {
  State(const ObjectRef& folder, std::shared_ptr<arrow::Schema> given)
      : schema(std::move(given)), statistics(schema) {
    path = "part-00000-" + internal::NewUuid() + "-c000.snappy.parquet";
    object = IndexLayout::Join(folder, path);
    arrow::FieldVector fields;
    for (const auto& field : schema->fields()) {
      fields.push_back(arrow::field(field->name(), Nullable(field->type())));
    }
    stored = arrow::schema(std::move(fields));
    sink = OpenOutput(object);
    auto opened = parquet::arrow::FileWriter::Open(*stored, arrow::default_memory_pool(), sink,
                                                   FileProperties(*stored), ArrowProperties());
    Check(opened.status());
    writer = *std::move(opened);
    Check(writer->AddKeyValueMetadata(
        arrow::key_value_metadata({"org.apache.spark.version"}, {"3.5.5"})));
  }

  void Check(const arrow::Status& status) const {
    if (status.ok()) return;
    throw StorageError("cannot write " + object.store->base_url() + object.path + ": " +
                       status.message());
  }

  std::shared_ptr<arrow::Schema> schema;
  std::shared_ptr<arrow::Schema> stored;
  internal::FileStatistics statistics;
  std::string path;
  ObjectRef object;
  std::shared_ptr<arrow::io::OutputStream> sink;
  std::unique_ptr<parquet::arrow::FileWriter> writer;
};

DeltaFileWriter::DeltaFileWriter(const ObjectRef& folder, std::shared_ptr<arrow::Schema> schema)
    : state_(std::make_unique<State>(folder, std::move(schema))) {}

DeltaFileWriter::~DeltaFileWriter() {
  // Parquet's writer closes itself when destroyed; a stream without its footer must not appear.
  if (state_->sink != nullptr) (void)state_->sink->Abort();
}

void DeltaFileWriter::Write(const arrow::RecordBatch& batch) {
  if (batch.num_rows() == 0) return;
  if (batch.num_columns() != state_->schema->num_fields()) {
    throw InvalidArgument("a batch of a Delta file has " + std::to_string(batch.num_columns()) +
                          " columns, not " + std::to_string(state_->schema->num_fields()));
  }
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (int i = 0; i < batch.num_columns(); ++i) {
    const auto& from = state_->schema->field(i);
    if (!batch.column(i)->type()->Equals(from->type())) {
      throw InvalidArgument("column '" + from->name() + "' of a Delta file is " +
                            from->type()->ToString() + ", not " +
                            batch.column(i)->type()->ToString());
    }
    columns.push_back(
        arrow::MakeArray(Retype(batch.column(i)->data(), state_->stored->field(i)->type())));
  }
  const auto table = arrow::Table::Make(state_->stored, columns, batch.num_rows());
  state_->Check(state_->writer->WriteTable(*table, batch.num_rows()));
  state_->statistics.Add(batch);
}

int64_t DeltaFileWriter::rows() const { return state_->statistics.rows(); }

int64_t DeltaFileWriter::bytes() const {
  if (state_->sink == nullptr) return 0;
  auto position = state_->sink->Tell();
  state_->Check(position.status());
  return *position;
}

DataFile DeltaFileWriter::Finish() {
  state_->Check(state_->writer->Close());
  DataFile file;
  file.path = state_->path;
  file.size = bytes();
  state_->Check(state_->sink->Close());
  file.modified_ms = internal::NowMs();
  file.num_records = rows();
  file.stats_json = state_->statistics.ToJson();
  if (DebugIsOn()) {
    Debug("wrote " + state_->object.store->base_url() + state_->object.path + ": " +
          std::to_string(file.num_records) + " rows, " + std::to_string(file.size) + " bytes");
  }
  return file;
}

}  // namespace ariadne::storage
