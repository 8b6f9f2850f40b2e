#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <memory>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <nlohmann/json.hpp>

#include "cli/cells.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/output_target.h"
#include "cli/row_table.h"
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

// Rows as JSON text in a nameless file: the answer is printed only when all of it is there, however
// large, so that an error in its middle leaves no half object on standard output.
class JsonRows {
 public:
  JsonRows() : file_(std::tmpfile()) {
    if (file_ == nullptr) {
      throw StorageError("no temporary file can be made: is the temporary folder full?");
    }
  }
  ~JsonRows() { (void)std::fclose(file_); }
  JsonRows(const JsonRows&) = delete;
  JsonRows& operator=(const JsonRows&) = delete;

  void Add(const arrow::RecordBatch& batch) {
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
  [[nodiscard]] int64_t rows() const { return rows_; }
  void Print(std::ostream& out) {
    std::rewind(file_);
    std::array<char, 1 << 16> part;
    while (const size_t size = std::fread(part.data(), 1, part.size(), file_)) {
      out.write(part.data(), static_cast<std::streamsize>(size));
    }
  }

 private:
  std::FILE* file_;
  int64_t rows_ = 0;
};

void CheckSuffix(const std::string& output) {
  for (const char* suffix : {".parquet", ".csv", ".json"}) {
    if (output.ends_with(suffix)) return;
  }
  throw InvalidArgument("-o needs a name that ends in .parquet, .csv or .json, got: " + output);
}

Json AnswerJson(int64_t rows, const std::string& output, const arrow::Schema& schema,
                const Located& located) {
  Json answer = {{"rows", rows},
                 {"output", output.empty() ? Json(nullptr) : Json(output)},
                 {"columns", SchemaJson(schema)}};
  answer.update(LocatedJson(located));
  return answer;
}

ExitCode Write(const JoinArguments& arguments, const Context& context, const Joined& joined) {
  CountingReader rows(joined.rows);
  const storage::Stores stores(context.global.options.storage);
  engine::Session::WriteTable(source::DecodedUrl(source::CanonicalUri(arguments.output)), rows,
                              stores);
  if (context.global.json) {
    PrintJson(context.streams.out,
              AnswerJson(rows.count(), arguments.output, *joined.rows->schema(), joined.located));
    return ExitCode::kDone;
  }
  context.streams.err << "wrote " << rows.count() << " rows to " << arguments.output << "\n"
                      << PruningLine("loaded", joined.located) << "\n";
  return ExitCode::kDone;
}

ExitCode PrintAsJson(const Context& context, const Joined& joined) {
  JsonRows rows;
  ForEachBatch(*joined.rows, [&](const arrow::RecordBatch& batch) { rows.Add(batch); });
  const Json answer = AnswerJson(rows.rows(), "", *joined.rows->schema(), joined.located);
  std::string text = answer.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();  // The closing brace: the rows go before it.
  context.streams.out << text << ",\"data\":[";
  rows.Print(context.streams.out);
  context.streams.out << "]}\n";
  return ExitCode::kDone;
}

}  // namespace

ExitCode Run(const JoinArguments& arguments, const Context& context) {
  if (!arguments.output.empty()) CheckSuffix(arguments.output);
  const Lake lake = context.OpenLake();
  const Index index = lake.Open(arguments.name);
  if (!arguments.output.empty()) {
    CheckOutput(arguments.output, arguments.keys_file, lake, index, context.global);
  }
  JoinOptions options = arguments.options;
  options.stop = context.stop;
  const Joined joined = index.Join(lake.ReadTable(arguments.keys_file), options);
  if (!arguments.output.empty()) return Write(arguments, context, joined);
  if (context.global.json) return PrintAsJson(context, joined);
  PrintRows(*joined.rows, arguments.max_rows, context.streams);
  context.streams.out << std::flush;
  context.streams.err << PruningLine("loaded", joined.located) << "\n";
  return ExitCode::kDone;
}

}  // namespace ariadne::cli
