#include <set>
#include <utility>

#include <arrow/array/util.h>
#include <arrow/c/abi.h>
#include <arrow/c/bridge.h>
#include <arrow/compute/cast.h>
#include <arrow/compute/initialize.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include "ariadne/errors.h"
#include "storage/arrow_io.h"
#include "storage/delta_state.h"
#include "storage/delta_table.h"

namespace ariadne::storage {
namespace {

/// Rows of plain Parquet files, one after another. The kernel would read INT96 timestamps as
/// nanoseconds, which 9999-12-31 does not fit.
class PlainReader : public arrow::RecordBatchReader {
 public:
  PlainReader(std::vector<ObjectRef> files, std::shared_ptr<arrow::Schema> schema)
      : files_(std::move(files)), schema_(std::move(schema)) {}

  [[nodiscard]] std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    for (;;) {
      if (rows_ == nullptr) {
        if (next_ == files_.size()) {
          out->reset();
          return arrow::Status::OK();
        }
        ARROW_RETURN_NOT_OK(OpenNext());
      }
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(OfFile(rows_->ReadNext(&batch)));
      if (batch == nullptr) {
        rows_.reset();
        continue;
      }
      auto aligned = Align(*batch);
      ARROW_RETURN_NOT_OK(OfFile(aligned.status()));
      *out = *std::move(aligned);
      return arrow::Status::OK();
    }
  }

 private:
  /// The status, with the name of the file that was opened last.
  [[nodiscard]] arrow::Status OfFile(const arrow::Status& status) const {
    if (status.ok()) return status;
    const ObjectRef& file = files_[next_ - 1];
    const std::string url = file.store->base_url() + file.path;
    if (status.message().find(url) != std::string::npos) return status;
    return status.WithMessage(url, ": ", status.message());
  }

  arrow::Status OpenNext() { return OfFile(Open(files_[next_++])); }

  arrow::Status Open(const ObjectRef& file) {
    try {
      parquet::ArrowReaderProperties properties;
      properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
      parquet::arrow::FileReaderBuilder builder;
      ARROW_RETURN_NOT_OK(builder.Open(OpenInput(file)));
      ARROW_ASSIGN_OR_RAISE(reader_, builder.properties(properties)->Build());
      const auto* columns = reader_->parquet_reader()->metadata()->schema();
      std::vector<int> leaves;
      for (int i = 0; i < columns->num_columns(); ++i) {
        if (schema_->GetFieldIndex(columns->GetColumnRoot(i)->name()) >= 0) leaves.push_back(i);
      }
      std::vector<int> row_groups(static_cast<size_t>(reader_->num_row_groups()));
      for (size_t i = 0; i < row_groups.size(); ++i) row_groups[i] = static_cast<int>(i);
      ARROW_ASSIGN_OR_RAISE(rows_, reader_->GetRecordBatchReader(row_groups, leaves));
      return arrow::Status::OK();
    } catch (const std::exception& error) {
      return arrow::Status::IOError(error.what());
    }
  }

  /// Columns in the asked order and type; one that the file lacks is null.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Align(const arrow::RecordBatch& batch) const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const auto& field : schema_->fields()) {
      auto column = batch.GetColumnByName(field->name());
      if (column == nullptr) {
        ARROW_ASSIGN_OR_RAISE(column, arrow::MakeArrayOfNull(field->type(), batch.num_rows()));
      } else if (!column->type()->Equals(field->type())) {
        ARROW_ASSIGN_OR_RAISE(column, arrow::compute::Cast(*column, field->type()));
      }
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(schema_, batch.num_rows(), std::move(columns));
  }

  std::vector<ObjectRef> files_;
  std::shared_ptr<arrow::Schema> schema_;
  size_t next_ = 0;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::shared_ptr<arrow::RecordBatchReader> rows_;
};

template <typename T>
T ValueOf(arrow::Result<T> result, const std::string& what) {
  if (!result.ok()) throw StorageError(what + ": " + result.status().message());
  return *std::move(result);
}

}  // namespace

std::shared_ptr<arrow::RecordBatchReader> DeltaTable::Read(
    const std::vector<std::string>& columns) const {
  static std::once_flag once;
  std::call_once(once, [] { (void)arrow::compute::Initialize(); });

  ArrowSchema exported{};
  char* message = nullptr;
  internal::Check(ar_table_schema(state_->table, &exported, &message), &message);
  const auto full = ValueOf(arrow::ImportSchema(&exported), "the schema of " + state_->url());
  arrow::FieldVector fields;
  for (const std::string& name : columns) {
    auto field = full->GetFieldByName(name);
    if (field == nullptr) {
      throw ColumnNotFound("the Delta table " + state_->url() + " has no column '" + name + "'");
    }
    fields.push_back(std::move(field));
  }
  if (is_plain()) {
    std::vector<ObjectRef> refs;
    for (const DataFile& file : files()) refs.push_back(FileRef(file.path));
    return std::make_shared<PlainReader>(std::move(refs), arrow::schema(std::move(fields)));
  }
  ArrowArrayStream stream{};
  const std::string names = nlohmann::json(columns).dump();
  internal::Check(ar_table_read(state_->table, names.c_str(), &stream, &message), &message);
  return ValueOf(arrow::ImportRecordBatchReader(&stream), "the rows of " + state_->url());
}

}  // namespace ariadne::storage
