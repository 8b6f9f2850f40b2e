#include <arrow/array/array_base.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ariadne/errors.h"
#include "engine/session.h"
#include "engine/table_format.h"
#include "engine/value_text.h"
#include "storage/arrow_io.h"

namespace ariadne::engine {

namespace {

constexpr int64_t kRowGroupRows = 1 << 20;
constexpr size_t kFlushBytes = 1 << 20;

void CheckWrite(const arrow::Status& status, const std::string& url) {
  if (status.ok()) return;
  const std::string& message = status.message();
  // The store names what it could not write, a local file by its path alone.
  const size_t scheme = url.find("://");
  const bool named =
      message.find(scheme == std::string::npos ? url : url.substr(scheme + 3)) != std::string::npos;
  throw StorageError((named ? "writing " : "Writing '" + url + "': ") + message);
}

std::shared_ptr<arrow::RecordBatch> Next(arrow::RecordBatchReader& rows) {
  std::shared_ptr<arrow::RecordBatch> batch;
  ThrowIfFailed(rows.ReadNext(&batch));
  return batch;
}

void WriteParquet(arrow::RecordBatchReader& rows, const std::string& url,
                  const std::shared_ptr<arrow::io::OutputStream>& out) {
  auto properties = parquet::WriterProperties::Builder()
                        .compression(arrow::Compression::ZSTD)
                        ->max_row_group_length(kRowGroupRows)
                        ->build();
  auto writer = parquet::arrow::FileWriter::Open(*rows.schema(), arrow::default_memory_pool(), out,
                                                 properties);
  CheckWrite(writer.status(), url);
  while (auto batch = Next(rows)) CheckWrite((*writer)->WriteRecordBatch(*batch), url);
  CheckWrite((*writer)->Close(), url);
}

// RFC 4180, but for its line ends, which shells keep: a field is quoted where it holds a quote, a
// comma, a line break or a blank at an end; an empty text is quoted, which tells it from NULL.
void AppendCsvField(std::string_view text, std::string& out) {
  const bool quote = text.empty() || text.find_first_of("\",\r\n") != std::string_view::npos ||
                     text.front() == ' ' || text.back() == ' ';
  if (!quote) {
    out += text;
    return;
  }
  out += '"';
  for (char c : text) {
    if (c == '"') out += c;
    out += c;
  }
  out += '"';
}

void AppendCsvHeader(const arrow::Schema& schema, std::string& out) {
  for (int i = 0; i < schema.num_fields(); ++i) {
    if (i > 0) out += ',';
    AppendCsvField(schema.field(i)->name(), out);
  }
  out += '\n';
}

void AppendCsvRow(const arrow::RecordBatch& batch, int64_t row, std::string& out) {
  std::string text;
  for (int i = 0; i < batch.num_columns(); ++i) {
    if (i > 0) out += ',';
    const arrow::Array& column = *batch.column(i);
    // A line with nothing on it is no row to most readers.
    if (column.IsNull(row)) continue;
    text.clear();
    AppendText(column, row, text);
    AppendCsvField(text, out);
  }
  out += '\n';
}

void AppendJsonRow(const arrow::RecordBatch& batch, int64_t row, std::string& out) {
  out += '{';
  for (int i = 0; i < batch.num_columns(); ++i) {
    if (i > 0) out += ',';
    AppendJsonString(batch.column_name(i), out);
    out += ':';
    AppendJson(*batch.column(i), row, out);
  }
  out += "}\n";
}

void WriteText(arrow::RecordBatchReader& rows, bool csv, const std::string& url,
               arrow::io::OutputStream& out) {
  std::string text;
  if (csv) AppendCsvHeader(*rows.schema(), text);
  while (auto batch = Next(rows)) {
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      if (csv) {
        AppendCsvRow(*batch, row, text);
      } else {
        AppendJsonRow(*batch, row, text);
      }
      if (text.size() < kFlushBytes) continue;
      CheckWrite(out.Write(text.data(), static_cast<int64_t>(text.size())), url);
      text.clear();
    }
  }
  CheckWrite(out.Write(text.data(), static_cast<int64_t>(text.size())), url);
}

}  // namespace

void Session::WriteTable(const std::string& url, arrow::RecordBatchReader& rows,
                         const storage::Stores& stores) {
  const TableFormat format = FormatOf(url);
  if (url.ends_with(".gz") || format == TableFormat::kTsv) {
    throw InvalidArgument("'" + url + "' cannot be written: name it .parquet, .csv or .json");
  }
  const auto out = storage::OpenOutput(stores.Resolve(ToUrl(url)));
  try {
    if (format == TableFormat::kParquet) {
      WriteParquet(rows, url, out);
    } else {
      WriteText(rows, format == TableFormat::kCsv, url, *out);
    }
  } catch (const parquet::ParquetException& error) {
    throw StorageError("Writing '" + url + "': " + error.what());
  }
  CheckWrite(out->Close(), url);
}

}  // namespace ariadne::engine
