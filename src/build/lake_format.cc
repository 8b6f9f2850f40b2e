#include "build/lake_format.h"

#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "ariadne/errors.h"
#include "build/row_removal.h"
#include "source/parquet_source.h"
#include "text/text_reader.h"
#include "text/text_source.h"

namespace ariadne::build {

namespace {

/// The format that the suffix of a name speaks of; empty: none.
std::string_view FormatBySuffix(std::string_view uri) {
  constexpr std::array<std::string_view, 8> kCompressed = {".gz",  ".bz2",    ".deflate", ".zst",
                                                           ".lz4", ".snappy", ".xz",      ".br"};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kFormats = {
      {{".parquet", "parquet"},
       {".parq", "parquet"},
       {".pq", "parquet"},
       {".csv", "csv"},
       {".tsv", "csv"},
       {".json", "json"},
       {".jsonl", "json"},
       {".ndjson", "json"},
       {".orc", "orc"},
       {".avro", "avro"}}};
  std::string name(uri.substr(uri.rfind('/') + 1));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view suffix : kCompressed) {
    if (!name.ends_with(suffix)) continue;
    name.resize(name.size() - suffix.size());
    break;
  }
  for (const auto& [suffix, format] : kFormats) {
    if (name.ends_with(suffix)) return format;
  }
  return {};
}

}  // namespace

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

void CheckSuffixes(const std::string& format, const std::vector<std::string>& uris) {
  if (!text::IsTextFormat(format)) return;  // What is no Parquet file tells it by its bytes.
  for (const std::string& uri : uris) {
    const std::string_view other = FormatBySuffix(uri);
    if (other.empty() || other == format) continue;
    throw FormatMismatch("the index is over " + format + " files, and " + uri + " is a " +
                         std::string(other) + " file by its name: name the files that are meant, " +
                         "as 'lake/*." + format + "'");
  }
}

}  // namespace ariadne::build
