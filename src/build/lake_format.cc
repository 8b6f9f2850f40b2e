#include "build/lake_format.h"

#include <utility>

#include "ariadne/errors.h"
#include "build/row_removal.h"
#include "source/parquet_source.h"
#include "text/text_reader.h"
#include "text/text_source.h"

namespace ariadne::build {

std::unique_ptr<source::DataFile> LakeFormat::Open(
    std::shared_ptr<arrow::io::RandomAccessFile> file, std::string uri) const {
  if (text) {
    return std::make_unique<text::TextSource>(std::move(file), std::move(uri), schema, *text);
  }
  std::optional<std::vector<source::PartitionValue>> partitions;
  const auto found = logged.empty() ? logged.end() : logged.find(FileKey(uri));
  if (found != logged.end() && found->second.partition_values) {
    partitions = PartitionValuesOf(*found->second.partition_values, *schema);
  }
  return std::make_unique<source::ParquetSource>(std::move(file), std::move(uri), schema,
                                                 std::move(partitions));
}

LakeFormat LakeFormatOf(const std::string& format, std::shared_ptr<arrow::Schema> schema,
                        const ReadOptions& options) {
  LakeFormat lake{.schema = std::move(schema), .text = std::nullopt, .logged = {}};
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
