#include "ariadne/lake.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>

#include "ariadne/errors.h"
#include "build/delta_lake.h"
#include "build/lake_files.h"
#include "build/lake_format.h"
#include "build/update.h"
#include "engine/session.h"
#include "query/arrow_check.h"
#include "query/declaration.h"
#include "query/index_state.h"
#include "query/inferred_schema.h"
#include "query/lake_snapshot.h"
#include "query/parallel_for.h"
#include "query/schema_change.h"
#include "query/tracked_files.h"
#include "source/file_uri.h"
#include "source/parquet_file.h"
#include "source/parquet_source.h"
#include "source/spark_schema.h"
#include "storage/arrow_io.h"
#include "storage/lock.h"
#include "text/text_inference.h"

namespace ariadne {

namespace {

using internal::IndexImpl;
using internal::LakeImpl;
using storage::IndexLayout;
using storage::IndexMetadata;
using storage::ObjectRef;

std::string Described(const IndexLayout& layout, const LakeImpl& lake) {
  return "index \"" + layout.name() + "\" in " + lake.root_url;
}

/// The schema as it will be read back from metadata.json.
std::shared_ptr<arrow::Schema> CheckedSchema(const std::shared_ptr<arrow::Schema>& schema) {
  if (!schema || schema->num_fields() == 0) {
    throw InvalidArgument("an index needs the schema of its data files, with one column at least");
  }
  std::set<std::string> names;
  for (const auto& field : schema->fields()) {
    if (!names.insert(field->name()).second) {
      throw InvalidArgument("the schema names column \"" + field->name() + "\" twice");
    }
  }
  return source::FromSparkJson(source::ToSparkJson(*schema));
}

/// Options in the order of their names, which have no case.
std::map<std::string, std::string> ByName(const ReadOptions& options) {
  std::map<std::string, std::string> by_name;
  for (auto [name, value] : options) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    by_name[name] = value;
  }
  return by_name;
}

std::string Spelled(const ReadOptions& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    text.append(text.empty() ? "" : ", ").append(name).append("=\"").append(value).append("\"");
  }
  return text.empty() ? "none" : text;
}

/// The first difference between what is stored and what is asked for; nullopt where there is none.
std::optional<std::string> CheckSameDefinition(const IndexMetadata& stored,
                                               const IndexDefinition& definition,
                                               const arrow::Schema& schema,
                                               const std::string& described) {
  if (stored.format != definition.format) {
    throw FormatMismatch(described + " exists with format \"" + stored.format + "\", asked was \"" +
                         definition.format + "\": open it as it is, or use another name");
  }
  if (ByName(stored.read_options) != ByName(definition.read_options)) {
    throw FormatMismatch(described +
                         " exists with other read options: " + Spelled(stored.read_options) +
                         "; asked was: " + Spelled(definition.read_options) +
                         ". Give the same ones, or use another name");
  }
  auto difference = query::SchemaDifference(*source::FromSparkJson(stored.schema_json), schema);
  if (difference && !definition.allow_schema_mismatch) {
    throw SchemaMismatch(described + " exists with another schema: " + *difference +
                         "; open it as it is, use another name, or take the new schema with "
                         "the option allow_schema_mismatch");
  }
  return difference;
}

/// Objects of a former index: with them a new one would start from answers that are not its own.
bool HasLeftovers(const IndexLayout& layout) {
  const ObjectRef folder = layout.folder();
  const std::set<std::string> expected = {layout.metadata().path, layout.update_lock().path,
                                          layout.file_list_lock().path};
  for (const auto& object : folder.store->List(folder.path)) {
    const std::string name = object.path.substr(object.path.rfind('/') + 1);
    const bool checksum = name.starts_with('.') && name.ends_with(".crc");
    if (!checksum && !expected.contains(object.path)) return true;
  }
  const ObjectRef file_list = layout.file_list();
  return !file_list.store->List(file_list.path).empty();
}

bool FolderHasObjects(const ObjectRef& folder) {
  return !folder.store->ListNames(folder.path).empty();
}

bool IsParquetName(const std::string& path) {
  return path.ends_with(".parquet") || path.ends_with(".pq") || path.ends_with(".parq");
}

std::shared_ptr<arrow::Table> ReadParquetTable(const ObjectRef& object, const std::string& path) {
  try {
    parquet::ArrowReaderProperties properties(/*use_threads=*/true);
    properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
    const auto reader = query::Check<InvalidFile>(
        parquet::arrow::FileReader::Make(
            arrow::default_memory_pool(),
            parquet::ParquetFileReader::Open(storage::OpenInput(object)), properties),
        path);
    return query::Check<InvalidFile>(reader->ReadTable(), path);
  } catch (const parquet::ParquetException& e) {
    throw InvalidFile(path + " is no whole Parquet file: " + source::Reason(e.what()));
  }
}

}  // namespace

Lake::Lake(const std::string& root, Options options)
    : impl_(std::make_shared<LakeImpl>(root, std::move(options))) {}

Index Lake::Create(const std::string& name, const IndexDefinition& definition) {
  const IndexLayout layout(impl_->root, name);
  const auto schema = CheckedSchema(definition.schema);
  (void)build::LakeFormatOf(definition.format, schema, definition.read_options);
  if (definition.format == "parquet" && !definition.read_options.empty()) {
    throw InvalidArgument("the read option '" + definition.read_options.front().first +
                          "' is not supported: there are none for parquet files");
  }
  const auto declare_all = [&](IndexMetadata& metadata) {
    for (const IndexedColumn& column : definition.columns) {
      (void)query::Declare(metadata, *schema, column);
    }
  };
  const std::string described = Described(layout, *impl_);
  auto stored = IndexMetadata::Read(layout.metadata());
  if (!stored) {
    const bool leftovers = HasLeftovers(layout);
    IndexMetadata fresh;
    fresh.format = definition.format;
    fresh.schema_json = source::ToSparkJson(*schema);
    fresh.read_options = definition.read_options;
    fresh.delta_lake = false;
    declare_all(fresh);
    const ObjectRef object = layout.metadata();
    // Another process may have created and filled it since: then those are no leftovers.
    if (leftovers && !(stored = IndexMetadata::Read(object))) {
      throw IndexAlreadyExists(described +
                               " has left-overs of a former index (its metadata.json is gone): "
                               "remove it, then create it again");
    }
    if (!stored && object.store->PutIfAbsent(object.path, fresh.ToJson())) {
      return Index(std::make_shared<IndexImpl>(impl_, layout, fresh));
    }
    if (!stored) stored = IndexMetadata::Read(object);
    if (!stored) throw StorageError(described + " was removed while it was being created");
  }
  const bool other_schema =
      CheckSameDefinition(*stored, definition, *schema, described).has_value();
  IndexMetadata with_all = *stored;
  declare_all(with_all);  // What cannot be is found before anything is written.
  if (other_schema) stored = query::ChangeSchema(layout, impl_->options, *schema, described);
  Index index(std::make_shared<IndexImpl>(impl_, layout, *stored));
  for (const IndexedColumn& column : definition.columns) index.AddIndex(column);
  return index;
}

Index Lake::Open(const std::string& name) const {
  auto index = internal::OpenIndex(impl_, name);
  if (!index) {
    std::string known;
    for (const std::string& other : List()) known += (known.empty() ? "" : ", ") + other;
    throw IndexNotFound("there is no " + Described(IndexLayout(impl_->root, name), *impl_) + "; " +
                        (known.empty()
                             ? "there is no index there at all: is the root the right one?"
                             : "there are " + known));
  }
  (void)build::LakeFormatOf(index->format(), index->schema(), index->read_options());
  return Index(std::move(index));
}

bool Lake::Exists(const std::string& name) const {
  const ObjectRef metadata = IndexLayout(impl_->root, name).metadata();
  return metadata.store->Head(metadata.path).has_value();
}

std::vector<std::string> Lake::List() const { return internal::IndexNames(*impl_); }

IndexSummary Lake::Describe(const std::string& name) const {
  const IndexLayout layout(impl_->root, name);
  const auto metadata = IndexMetadata::Read(layout.metadata());
  if (!metadata) throw IndexNotFound("there is no " + Described(layout, *impl_));
  const IndexImpl index(impl_, layout, *metadata);
  const auto tracking = query::TrackingIn(*impl_, query::ThreadCount(impl_->options.threads));
  const auto main_index = index.ReadMainIndex();
  const auto tracked =
      query::MatchTrackedFiles(index.file_list().Entries(), main_index.get(), tracking);

  IndexSummary summary;
  summary.name = name;
  summary.format = metadata->format;
  summary.read_options = metadata->read_options;
  summary.schema = index.schema();
  summary.columns = build::DeclaredColumns(*metadata);
  summary.indexed_files = tracked.indexed_files;
  summary.tracked_files = tracked.indexed_files + static_cast<int64_t>(tracked.unindexed.size());
  summary.total_indexed_bytes = metadata->total_indexed_file_size;
  summary.metadata_version = metadata->metadata_version;
  summary.storage_format_version = metadata->storage_format_version;
  return summary;
}

void Lake::Remove(const std::string& name) {
  const IndexLayout layout(impl_->root, name);
  const ObjectRef folder = layout.folder();
  const ObjectRef file_list = layout.file_list();
  if (!FolderHasObjects(folder) && !FolderHasObjects(file_list)) {
    throw IndexNotFound("there is no " + Described(layout, *impl_) + ", nothing to remove");
  }
  const auto update_lock = storage::Lock::Acquire(layout.update_lock(), impl_->options);
  const auto list_lock = storage::Lock::Acquire(layout.file_list_lock(), impl_->options);
  // The metadata goes first: from then on there is no index, whatever a crash leaves of the rest.
  const ObjectRef metadata = layout.metadata();
  metadata.store->Delete(metadata.path);
  file_list.store->DeleteFolder(file_list.path);
  folder.store->DeleteFolder(folder.path);
}

std::shared_ptr<arrow::Schema> Lake::InferSchema(const std::string& path, const std::string& format,
                                                 const ReadOptions& options) const {
  if (format == "parquet") {
    const auto& path_map = impl_->options.path_map;
    if (auto schema = build::DeltaLakeSchema(path, *impl_->stores, path_map)) return schema;
  }
  const std::vector<std::string> files =
      build::ExpandLake(path, *impl_->stores, impl_->options.path_map, impl_->root);
  build::CheckSuffixes(format, files);
  const auto url = [this](const std::string& uri) {
    return source::MapPath(uri, impl_->options.path_map);
  };
  if (format == "parquet") {
    const auto input = storage::OpenInput(impl_->stores->Resolve(url(files.front())));
    return query::WithAllPartitionColumns(source::ReadParquetSchema(input, files.front()), files);
  }
  const text::TextOptions reading = text::ReadTextOptions({format, options});
  std::vector<text::InferenceFile> inputs;
  for (const std::string& file : files) {
    inputs.push_back({storage::OpenInput(impl_->stores->Resolve(url(file))), {file, url(file)}});
  }
  const auto schema =
      reading.csv ? text::InferCsvSchema(inputs, reading) : text::InferJsonSchema(inputs, reading);
  if (schema->num_fields() == 0) {
    throw InvalidFile("no column can be told from " + path +
                      ": its files hold no record; declare the schema instead");
  }
  return query::WithAllPartitionColumns(schema, files);
}

namespace {

std::shared_ptr<arrow::Table> ReadTableFile(const LakeImpl& lake, const std::string& path,
                                            const engine::WrittenColumns& written,
                                            const std::string& delimiter) {
  const std::string url = source::MapPath(source::CanonicalUri(path), lake.options.path_map);
  const ObjectRef object = lake.stores->Resolve(url);
  const auto found = object.store->Head(object.path);
  if (!found) {
    if (FolderHasObjects(object)) {
      throw InvalidArgument("'" + path + "' is a folder: name one Parquet, CSV or JSON file");
    }
    throw FileNotFound("there is no file " + path);
  }
  if (found->size == 0) throw InvalidFile(path + " is empty: it has no columns");
  if (IsParquetName(url)) return ReadParquetTable(object, path);
  return lake.sessions->Take()->ReadTable(url, written, delimiter);
}

}  // namespace

std::shared_ptr<arrow::Table> Lake::ReadTable(const std::string& path) const {
  return ReadTableFile(*impl_, path, {}, "");
}

std::shared_ptr<arrow::Table> Lake::ReadKeys(const std::string& path, const Index& index,
                                             const std::vector<std::string>& on,
                                             const std::string& delimiter) const {
  constexpr size_t kLongest = 4;  // Bytes, of the engine's.
  if (delimiter.size() > kLongest || delimiter.find_first_of("\"\r\n") != std::string::npos) {
    throw InvalidArgument("'" + delimiter +
                          "' is no delimiter: give one to four characters that are no quote and no "
                          "line break, such as ';'");
  }
  engine::WrittenColumns written;
  for (const std::string& column : on) {
    const auto field = index.schema()->GetFieldByName(column);
    const auto type = field == nullptr ? arrow::Type::STRING : field->type()->id();
    if (type == arrow::Type::STRING || type == arrow::Type::LARGE_STRING) {
      written[column] = engine::Written::kText;
    } else if (arrow::is_decimal(type) || type == arrow::Type::FLOAT) {
      written[column] = engine::Written::kNumber;
    } else if (arrow::is_integer(type)) {
      written[column] = engine::Written::kInteger;
    }
  }
  return ReadTableFile(*impl_, path, written, delimiter);
}

}  // namespace ariadne
