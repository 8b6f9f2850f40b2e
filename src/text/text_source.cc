#include "text/text_source.h"

#include <algorithm>
#include <utility>

#include <arrow/array/array_base.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "text/text_input.h"
#include "text/text_reader.h"

namespace ariadne::text {

namespace {

constexpr int64_t kBatchRows = 8192;

}  // namespace

TextSource::TextSource(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string uri,
                       std::shared_ptr<arrow::Schema> declared, const TextOptions& options)
    : file_(std::move(file)),
      uri_(std::move(uri)),
      declared_(std::move(declared)),
      options_(options) {
  CheckCompression(uri_);
}

int64_t TextSource::TextBytes() const {
  const auto size = file_->GetSize();
  if (!size.ok()) throw StorageError(uri_ + ": " + size.status().message());
  // How far compressed text expands only reading it would tell; ten times is usual.
  constexpr int64_t kExpansion = 10;
  return IsCompressed(uri_) ? *size * kExpansion : *size;
}

int64_t TextSource::MemoryUpperBound(const std::string& column) const {
  const auto field = declared_->GetFieldByName(column);
  if (field == nullptr) {
    throw ColumnNotFound("The schema has no column '" + column + "', or has it twice");
  }
  constexpr int64_t kOffsetBytes = 4;
  const int width = field->type()->byte_width();
  if (width < 0) return TextBytes() + DistinctUpperBound(column) * kOffsetBytes;
  return DistinctUpperBound(column) * width;
}

int64_t TextSource::DistinctUpperBound(const std::string& column) const {
  const auto field = declared_->GetFieldByName(column);
  if (field != nullptr && field->type()->id() == arrow::Type::BOOL) return 2;
  return RowUpperBound();
}

int64_t TextSource::RowUpperBound() const {
  // A row has a delimiter behind each of its columns; in JSON names and brackets besides.
  constexpr int64_t kJsonBytes = 8;
  const int64_t row = options_.csv ? std::max<int64_t>(declared_->num_fields(), 2) : kJsonBytes;
  return TextBytes() / row + 1;
}

std::optional<source::MinMax> TextSource::ExactRange(const std::string&) const {
  return std::nullopt;
}

void TextSource::VisitDistinct(const std::string& column, const ValueVisitor& visit) const {
  VisitRows({column}, [&visit](const arrow::RecordBatch& rows) { visit(*rows.column(0)); });
}

void TextSource::VisitRows(const std::vector<std::string>& columns, const RowVisitor& visit) const {
  TextReader reader(file_, TextName{uri_, uri_}, declared_, options_, columns, kBatchRows);
  while (const auto batch = reader.Next()) visit(*batch);
}

}  // namespace ariadne::text
