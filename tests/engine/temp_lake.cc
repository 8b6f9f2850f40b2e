#include "temp_lake.h"

#include <arrow/array/array_base.h>
#include <arrow/io/file.h>
#include <arrow/json/from_string.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>

#include "engine/value_text.h"

namespace ariadne::engine {

TempLake::TempLake() {
  std::string pattern = (std::filesystem::temp_directory_path() / "engine_test_XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
}

TempLake::~TempLake() { std::filesystem::remove_all(folder_); }

std::string TempLake::Path(const std::string& name) const { return (folder_ / name).string(); }

void TempLake::WriteText(const std::string& name, const std::string& text) const {
  std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
  std::ofstream(Path(name), std::ios::binary) << text;
}

void TempLake::WriteParquet(const std::string& name, const arrow::Table& table,
                            int64_t row_group_rows, bool int96) const {
  WriteParquet(name, table, row_group_rows, int96, parquet::default_writer_properties());
}

void TempLake::WriteParquet(const std::string& name, const arrow::Table& table,
                            int64_t row_group_rows, bool int96,
                            const std::shared_ptr<parquet::WriterProperties>& properties) const {
  std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
  auto out = arrow::io::FileOutputStream::Open(Path(name)).ValueOrDie();
  parquet::ArrowWriterProperties::Builder arrow_properties;
  if (int96) arrow_properties.enable_deprecated_int96_timestamps();
  PARQUET_THROW_NOT_OK(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), out,
                                                  row_group_rows, properties,
                                                  arrow_properties.build()));
  PARQUET_THROW_NOT_OK(out->Close());
}

std::shared_ptr<scan::FileSet> TempLake::Files(const std::vector<std::string>& names,
                                               std::shared_ptr<arrow::Schema> schema) const {
  auto set = std::make_shared<scan::FileSet>();
  for (const auto& name : names) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(Path(name), missing);
    // The stored form escapes blanks and percent signs; that is all that these tests use.
    std::string uri;
    for (char c : Path(name)) {
      if (c == ' ') {
        uri += "%20";
      } else if (c == '%') {
        uri += "%25";
      } else {
        uri += c;
      }
    }
    set->files.push_back({"file://" + uri, Url(name), missing ? -1 : static_cast<int64_t>(size)});
  }
  set->schema = std::move(schema);
  return set;
}

std::unique_ptr<Session> OpenSession(int64_t memory_bytes) {
  SessionOptions options;
  options.memory_bytes = memory_bytes;
  options.threads = 2;
  return std::make_unique<Session>(options, std::make_shared<storage::Stores>());
}

std::vector<std::string> Rows(const arrow::Table& table) {
  std::vector<std::string> rows;
  arrow::TableBatchReader batches(table);
  std::shared_ptr<arrow::RecordBatch> batch;
  while (batches.ReadNext(&batch).ok() && batch) {
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      std::string row;
      for (int c = 0; c < batch->num_columns(); ++c) {
        if (c > 0) row += " | ";
        AppendJson(*batch->column(c), i, row);
      }
      rows.push_back(std::move(row));
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<std::string> Rows(Session& session, const std::string& sql) {
  auto table = session.Query(sql)->ToTable();
  ThrowIfFailed(table.status());
  return Rows(**table);
}

std::string Cell(Session& session, const std::string& sql) {
  auto rows = Rows(session, sql);
  return rows.size() == 1 ? rows[0] : std::to_string(rows.size()) + " rows";
}

std::shared_ptr<arrow::Table> TableOf(const std::shared_ptr<arrow::Schema>& schema,
                                      const std::vector<std::string>& columns_json) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (int i = 0; i < schema->num_fields(); ++i) {
    columns.push_back(
        arrow::json::ArrayFromJSONString(schema->field(i)->type(), columns_json[i]).ValueOrDie());
  }
  return arrow::Table::Make(schema, columns);
}

}  // namespace ariadne::engine
