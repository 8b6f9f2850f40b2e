#include "build/lake_format.h"

#include <utility>

#include "ariadne/errors.h"
#include "source/parquet_source.h"
#include "source/spark_schema.h"
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

LakeFormat LakeFormatOf(const storage::IndexMetadata& metadata) {
  LakeFormat format{.schema = source::FromSparkJson(metadata.schema_json), .text = std::nullopt};
  if (text::IsTextFormat(metadata.format)) {
    format.text = text::ReadTextOptions({metadata.format, metadata.read_options});
    text::CheckTextSchema(*format.schema, *format.text);
  } else if (metadata.format != "parquet") {
    throw InvalidArgument("data files of format \"" + metadata.format +
                          "\" cannot be read; there are parquet, csv and json");
  }
  return format;
}

}  // namespace ariadne::build
