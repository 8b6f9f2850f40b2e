#include "build/lake_format.h"

#include <utility>

#include "ariadne/errors.h"
#include "source/parquet_source.h"
#include "text/text_reader.h"
#include "text/text_source.h"

namespace ariadne::build {

std::unique_ptr<source::DataFile> LakeFormat::Open(
    std::shared_ptr<arrow::io::RandomAccessFile> file, std::string uri) const {
  if (text) {
    return std::make_unique<text::TextSource>(std::move(file), std::move(uri), schema, *text);
  }
  return std::make_unique<source::ParquetSource>(std::move(file), std::move(uri), schema);
}

LakeFormat LakeFormatOf(const std::string& format, std::shared_ptr<arrow::Schema> schema,
                        const ReadOptions& options) {
  LakeFormat lake{.schema = std::move(schema), .text = std::nullopt};
  if (text::IsTextFormat(format)) {
    lake.text = text::ReadTextOptions({format, options});
    text::CheckTextSchema(*lake.schema, *lake.text);
  } else if (format != "parquet") {
    throw InvalidArgument("data files of format \"" + format +
                          "\" cannot be read; there are parquet, csv and json");
  }
  return lake;
}

}  // namespace ariadne::build
