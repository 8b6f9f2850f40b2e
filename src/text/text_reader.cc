#include "text/text_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "source/file_uri.h"
#include "source/name_match.h"
#include "source/partition.h"
#include "source/spark_schema.h"
#include "text/arrow_build.h"
#include "text/csv_tokenizer.h"
#include "text/csv_value.h"
#include "text/json_record.h"
#include "text/text_input.h"

namespace ariadne::text {

namespace {

bool HoldsText(const arrow::DataType& type, bool csv) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::STRING:
    case arrow::Type::DATE32:
    case arrow::Type::DECIMAL128:
      return true;
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(type).unit() == arrow::TimeUnit::MICRO;
    case arrow::Type::BINARY:
      return !csv;
    case arrow::Type::LIST:
      return !csv && HoldsText(*type.field(0)->type(), csv);
    case arrow::Type::STRUCT:
      return !csv && std::all_of(type.fields().begin(), type.fields().end(), [](const auto& field) {
        return HoldsText(*field->type(), false);
      });
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return !csv && map.key_type()->id() == arrow::Type::STRING &&
             HoldsText(*map.item_type(), csv);
    }
    default:
      return false;
  }
}

// Java's String.trim().isEmpty().
bool IsBlankLine(std::string_view line) {
  return std::all_of(line.begin(), line.end(),
                     [](char c) { return static_cast<unsigned char>(c) <= ' '; });
}

/// Text of the records of a batch.
constexpr size_t kBatchBytes = 32 << 20;

/// A column of the batches.
struct Output {
  std::shared_ptr<arrow::Field> field;
  int place = -1;                           ///< Among the columns of the file; -1: a constant.
  std::shared_ptr<arrow::Scalar> constant;  ///< What a folder gives.
  std::unique_ptr<arrow::ArrayBuilder> builder;
};

}  // namespace

void CheckTextSchema(const arrow::Schema& schema, const TextOptions& options) {
  for (const auto& field : schema.fields()) {
    // Spark keeps a column of this name out of the file and puts the text of bad records into it.
    if (field->name() == "_corrupt_record" && options.mode == ParseMode::kPermissive) {
      throw UnsupportedColumn(
          "Column '_corrupt_record' would hold the text of records that do not fit, which is not "
          "supported: leave it out of the schema");
    }
    if (HoldsText(*field->type(), options.csv)) continue;
    throw UnsupportedColumn("Column '" + field->name() + "' of type " +
                            source::SparkTypeName(*field->type()) + " cannot be read from " +
                            (options.csv ? "CSV" : "JSON") +
                            " files: leave it out of the schema, or declare it as string");
  }
}

class TextReader::State {
 public:
  State(const std::shared_ptr<arrow::io::RandomAccessFile>& file, const TextName& name,
        const std::shared_ptr<arrow::Schema>& declared, const TextOptions& options,
        const std::vector<std::string>& columns, int64_t batch_rows)
      : options_(options),
        uri_(name.name),
        batch_rows_(std::max<int64_t>(batch_rows, 1)),
        input_(file, uri_, options),
        tokenizer_(options) {
    FindColumns(*declared, name.uri, columns);
    arrow::FieldVector fields;
    for (const Output& output : outputs_) fields.push_back(output.field);
    schema_ = arrow::schema(std::move(fields));
    json_ = std::make_unique<JsonRecord>(file_fields_, options_);
    if (!options_.csv) return;
    for (const auto& field : file_fields_) parsers_.emplace_back(*field->type(), options_);
    if (options_.multi_line) tokenizer_.Begin([this] { return input_.NextPiece(); });
  }

  [[nodiscard]] const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }

  std::shared_ptr<arrow::RecordBatch> Next() {
    rows_ = 0;
    bytes_ = 0;
    if (options_.csv) {
      while (!IsFull() && NextCsv()) {
      }
    } else {
      NextJson();
    }
    if (rows_ == 0) return nullptr;
    arrow::ArrayVector arrays;
    for (Output& output : outputs_) {
      if (output.place < 0) {
        auto array = arrow::MakeArrayFromScalar(*output.constant, rows_);
        CheckBuilt(array.status());
        arrays.push_back(*array);
      } else {
        CheckBuilt(output.builder->Finish(&arrays.emplace_back()));
      }
    }
    return arrow::RecordBatch::Make(schema_, rows_, std::move(arrays));
  }

 private:
  void FindColumns(const arrow::Schema& declared, const std::string& uri,
                   const std::vector<std::string>& columns) {
    const auto partitions =
        uri.empty() ? std::vector<source::PartitionValue>() : source::PartitionValues(uri);
    const auto constant = [&](const arrow::Field& field) -> std::shared_ptr<arrow::Scalar> {
      const int at = source::FindName(
          static_cast<int>(partitions.size()),
          [&](int i) -> std::string_view { return partitions[i].column; }, field.name());
      if (at == source::kNameAmbiguous) {
        throw InvalidFile(uri_ + ": column '" + field.name() +
                          "': two folders of its path give it a value");
      }
      if (at < 0) return nullptr;
      return source::PartitionScalar(partitions[at], field.type(), uri);
    };
    std::vector<Output> all;
    for (const auto& field : declared.fields()) {
      Output& output = all.emplace_back();
      output.field = field;
      output.constant = constant(*field);
      if (output.constant != nullptr) continue;
      output.place = static_cast<int>(file_fields_.size());
      file_fields_.push_back(field);
    }
    CheckTextSchema(*arrow::schema(file_fields_), options_);
    for (const std::string& name : columns) {
      const int at = declared.GetFieldIndex(name);
      if (at < 0) {
        throw ColumnNotFound("The schema has no column '" + name + "', or has it twice");
      }
      Output& output = outputs_.emplace_back();
      output.field = all[at].field;
      output.place = all[at].place;
      output.constant = all[at].constant;
      if (output.place >= 0) {
        CheckBuilt(arrow::MakeBuilder(arrow::default_memory_pool(), output.field->type(),
                                      &output.builder));
      }
    }
  }

  // In mode PERMISSIVE a record that does not fit stays. Returns whether it does.
  bool Keep(bool fits) {
    if (fits || options_.mode == ParseMode::kPermissive) return true;
    if (options_.mode == ParseMode::kDropMalformed) return false;
    throw InvalidFile(uri_ + ": " + Where() +
                      " does not fit the schema, and the read option mode is FAILFAST. Correct the "
                      "file, or set mode to PERMISSIVE or DROPMALFORMED");
  }

  [[nodiscard]] std::string Where() const {
    return options_.multi_line ? "record " + std::to_string(record_number_)
                               : "line " + std::to_string(input_.line_number());
  }

  bool NextLine(std::string_view* line) {
    while (input_.NextLine(line)) {
      if (IsBlankLine(*line)) continue;
      if (options_.comment != '\0' && (*line)[0] == options_.comment) continue;
      if (header_passed_ || !options_.header) return true;
      header_passed_ = true;
    }
    return false;
  }

  bool NextCsv() {
    bool found = true;
    if (options_.multi_line) {
      if (!header_passed_ && options_.header && !tokenizer_.ParseNext(&record_)) return false;
      header_passed_ = true;
      if (!tokenizer_.ParseNext(&record_)) return false;
    } else {
      std::string_view line;
      if (!NextLine(&line)) return false;
      found = tokenizer_.ParseLine(line, &record_);
    }
    ++record_number_;
    const bool complete = found && record_.size() == file_fields_.size();
    // In mode PERMISSIVE the columns that are not asked for can be left unread.
    const bool read_all = options_.mode != ParseMode::kPermissive;
    if (read_all) {
      bool fits = complete;
      for (size_t i = 0; fits && i < file_fields_.size(); ++i) {
        fits = parsers_[i].Fits(record_.is_null(i), record_[i]);
      }
      if (!Keep(fits)) return true;
    }
    for (Output& output : outputs_) {
      if (output.place < 0) continue;
      const size_t place = output.place;
      const bool null = !found || place >= record_.size() || record_.is_null(place);
      parsers_[place].Append(null, null ? std::string_view() : record_[place],
                             output.builder.get());
    }
    ++rows_;
    bytes_ += record_.bytes();
    return true;
  }

  // Rows may be long: an array of the batch has room for 2 GiB of text.
  [[nodiscard]] bool IsFull() const { return rows_ >= batch_rows_ || bytes_ >= kBatchBytes; }

  void Append(const std::vector<JsonValue>& row) {
    for (Output& output : outputs_) {
      if (output.place < 0) continue;
      AppendJson(row[output.place], *output.field->type(), output.builder.get());
    }
    ++rows_;
  }

  void NextJson() {
    if (options_.multi_line) return NextOfWholeText();
    while (!IsFull()) {
      if (next_row_ < json_rows_.size()) {
        bytes_ += bytes_of_row_;
        Append(json_rows_[next_row_++]);
        continue;
      }
      std::string_view text;
      if (!input_.NextLine(&text)) return;
      ++record_number_;
      next_row_ = 0;
      bool fits = json_->Read(text, &json_rows_);
      if (input_.malformed()) {
        json_rows_.assign(1, NoValues());
        fits = false;
      }
      if (!Keep(fits)) json_rows_.clear();
      bytes_of_row_ = text.size() / std::max<size_t>(json_rows_.size(), 1);
    }
  }

  // The text is one record, of which only the end tells whether it is any: it is read twice, and
  // its rows are never all in memory.
  void NextOfWholeText() {
    if (record_number_ == 0) {
      ++record_number_;
      for (std::string_view piece = input_.NextPiece(); !piece.empty();
           piece = input_.NextPiece()) {
        whole_ += piece;
      }
      const JsonFit fit = input_.malformed() ? JsonFit::kBad : json_->Fit(whole_);
      if (!Keep(fit == JsonFit::kWhole)) return;
      if (fit == JsonFit::kBad) return Append(NoValues());
      whole_rows_.emplace(*json_, whole_);
    }
    if (!whole_rows_) return;
    std::vector<JsonValue> row;
    for (size_t before = whole_rows_->place(); !IsFull() && whole_rows_->Next(&row);) {
      Append(row);
      bytes_ += whole_rows_->place() - before;
      before = whole_rows_->place();
    }
  }

  [[nodiscard]] std::vector<JsonValue> NoValues() const {
    return std::vector<JsonValue>(file_fields_.size());
  }

  const TextOptions options_;
  const std::string uri_;
  const int64_t batch_rows_;
  TextInput input_;
  CsvTokenizer tokenizer_;
  CsvRecord record_;
  std::vector<CsvValue> parsers_;
  std::unique_ptr<JsonRecord> json_;
  arrow::FieldVector file_fields_;
  std::vector<Output> outputs_;
  std::shared_ptr<arrow::Schema> schema_;
  bool header_passed_ = false;
  int64_t record_number_ = 0;
  int64_t rows_ = 0;  // Of the batch.
  size_t bytes_ = 0;  // Of its records, as text.
  size_t bytes_of_row_ = 0;
  std::string whole_;
  std::optional<JsonRows> whole_rows_;
  std::vector<std::vector<JsonValue>> json_rows_;
  size_t next_row_ = 0;
};

TextReader::TextReader(const std::shared_ptr<arrow::io::RandomAccessFile>& file,
                       const TextName& name, const std::shared_ptr<arrow::Schema>& declared,
                       const TextOptions& options, const std::vector<std::string>& columns,
                       int64_t batch_rows)
    : state_(std::make_unique<State>(file, name, declared, options, columns, batch_rows)) {}

TextReader::~TextReader() = default;

const std::shared_ptr<arrow::Schema>& TextReader::schema() const { return state_->schema(); }

std::shared_ptr<arrow::RecordBatch> TextReader::Next() { return state_->Next(); }

}  // namespace ariadne::text
