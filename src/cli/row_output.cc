#include "cli/row_output.h"

#include <array>
#include <iostream>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <nlohmann/json.hpp>

#include "cli/cells.h"
#include "engine/session.h"
#include "source/file_uri.h"
#include "storage/object_store.h"

namespace ariadne::cli {
namespace {

// Passes a stream on and counts its rows.
class CountingReader : public arrow::RecordBatchReader {
 public:
  explicit CountingReader(std::shared_ptr<arrow::RecordBatchReader> rows)
      : rows_(std::move(rows)) {}
  [[nodiscard]] std::shared_ptr<arrow::Schema> schema() const override { return rows_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(rows_->ReadNext(batch));
    if (*batch != nullptr) count_ += (*batch)->num_rows();
    return arrow::Status::OK();
  }
  [[nodiscard]] int64_t count() const { return count_; }

 private:
  std::shared_ptr<arrow::RecordBatchReader> rows_;
  int64_t count_ = 0;
};

}  // namespace

JsonRows::JsonRows() : file_(std::tmpfile()) {
  if (file_ == nullptr) {
    throw StorageError("no temporary file can be made: is the temporary folder full?");
  }
}

JsonRows::~JsonRows() { (void)std::fclose(file_); }

void JsonRows::Add(const arrow::RecordBatch& batch) {
  std::string text;
  for (int64_t row = 0; row < batch.num_rows(); ++row) {
    text.assign(rows_++ == 0 ? "[" : ",[");
    for (int i = 0; i < batch.num_columns(); ++i) {
      if (i > 0) text += ',';
      AppendCellJson(*batch.column(i), row, text);
    }
    text += ']';
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
      throw StorageError("the temporary folder is full; write the rows with -o instead");
    }
  }
}

void JsonRows::Print(std::ostream& out) {
  std::rewind(file_);
  std::array<char, 1 << 16> part;
  while (const size_t size = std::fread(part.data(), 1, part.size(), file_)) {
    out.write(part.data(), static_cast<std::streamsize>(size));
  }
}

void PrintWithRows(std::ostream& out, const Json& answer, JsonRows& rows) {
  std::string text = answer.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();  // The closing brace: the rows go before it.
  out << text << ",\"data\":[";
  rows.Print(out);
  out << "]}\n";
}

void CheckOutputSuffix(const std::string& output) {
  for (const char* suffix : {".parquet", ".csv", ".json"}) {
    if (output.ends_with(suffix)) return;
  }
  throw InvalidArgument("-o needs a name that ends in .parquet, .csv or .json, got: " + output);
}

int64_t WriteRows(const std::string& output, const std::shared_ptr<arrow::RecordBatchReader>& rows,
                  const Context& context) {
  CountingReader counted(rows);
  const storage::Stores stores(context.global.options.storage);
  engine::Session::WriteTable(source::DecodedUrl(source::CanonicalUri(output)), counted, stores);
  return counted.count();
}

}  // namespace ariadne::cli
