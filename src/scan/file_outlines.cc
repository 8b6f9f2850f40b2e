#include "scan/file_outlines.h"

#include <iterator>
#include <memory>

#include "thrift/protocol/TCompactProtocol.h"
#include "thrift/transport/TVirtualTransport.h"

namespace ariadne::scan {

namespace {

namespace thrift = duckdb_apache::thrift;

/// Collects what is written to it.
class TextTransport : public thrift::transport::TVirtualTransport<TextTransport> {
 public:
  void write(const uint8_t* bytes, uint32_t count) {
    text.append(reinterpret_cast<const char*>(bytes), count);
  }
  std::string text;
};

/// The schema's elements as a footer has them.
std::string Written(const duckdb_parquet::FileMetaData& footer) {
  const auto transport = std::make_shared<TextTransport>();
  thrift::protocol::TCompactProtocolT<TextTransport> protocol(transport);
  for (const auto& element : footer.schema) element.write(&protocol);
  return std::move(transport->text);
}

/// About the memory of a schema, with the text that it is found by.
int64_t BytesOf(const std::string& written, const duckdb_parquet::FileMetaData& footer) {
  return static_cast<int64_t>(2 * written.size() +
                              footer.schema.size() * sizeof(duckdb_parquet::SchemaElement));
}

int64_t BytesOf(const FileOutline& outline) {
  constexpr int64_t kNodes = 128;  // Of the containers.
  return static_cast<int64_t>(sizeof(FileOutline) + outline.file.uri.size()) + kNodes;
}

}  // namespace

std::shared_ptr<FileOutlines> NewFileOutlines() { return std::make_shared<FileOutlines>(); }

void FileOutlines::Keep(const rowgroup::FileIdentity& file, duckdb::ParquetReader& opened) {
  const auto before = Find(file.uri);
  if (before && before->file == file) return;
  const auto& metadata = *opened.metadata;
  const auto& footer = *metadata.metadata;
  if (opened.parquet_options.encryption_config || footer.__isset.encryption_algorithm ||
      metadata.geo_metadata) {
    return;
  }
  std::string written = Written(footer);
  std::lock_guard lock(mutex_);
  const auto known = by_name_.find(file.uri);
  if (known != by_name_.end()) Drop(known->second);
  const auto [schema, is_new] = schemas_.try_emplace(std::move(written));
  if (is_new) {
    auto outline = duckdb::make_uniq<duckdb_parquet::FileMetaData>();
    outline->schema = footer.schema;
    schema->second.footer = duckdb::make_shared_ptr<duckdb::ParquetFileMetadataCache>(
        std::move(outline), opened.GetHandle(), nullptr, nullptr, 0);
    bytes_ += BytesOf(schema->first, footer);
  }
  ++schema->second.files;
  files_.push_back({{.file = file,
                     .row_groups = static_cast<int32_t>(opened.NumRowGroups()),
                     .schema = schema->second.footer},
                    schema});
  const FileOutline& kept = files_.back().outline;
  by_name_.emplace(kept.file.uri, std::prev(files_.end()));
  bytes_ += BytesOf(kept);
  while (bytes_ > most_bytes_) Drop(files_.begin());
}

void FileOutlines::Drop(Files::iterator kept) {
  bytes_ -= BytesOf(kept->outline);
  const auto schema = kept->schema;
  if (--schema->second.files == 0) {
    bytes_ -= BytesOf(schema->first, *schema->second.footer->metadata);
    schemas_.erase(schema);
  }
  by_name_.erase(kept->outline.file.uri);
  files_.erase(kept);
}

std::optional<FileOutline> FileOutlines::Find(const std::string& uri) const {
  std::lock_guard lock(mutex_);
  const auto found = by_name_.find(uri);
  if (found == by_name_.end()) return std::nullopt;
  return found->second->outline;
}

std::pair<int64_t, int64_t> FileOutlines::size() const {
  std::lock_guard lock(mutex_);
  return {static_cast<int64_t>(files_.size()), bytes_};
}

}  // namespace ariadne::scan
