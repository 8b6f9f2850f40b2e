#include "storage/metadata.h"

#include <arrow/buffer.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "storage/gson.h"
#include "storage/json_fault.h"

namespace ariadne::storage {
namespace {

using Json = nlohmann::ordered_json;

/// Deeper than any metadata is, and far from what would exhaust the stack.
constexpr int kMaxDepth = 64;

Json ParseObject(const std::string& text) {
  const auto limit = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) throw MetadataCorrupt("it is nested too deeply");
    return true;
  };
  Json json = Json::parse(text, limit);
  if (!json.is_object()) throw MetadataCorrupt("it is no JSON object");
  return json;
}

/// Takes a key out of the object; what is left in the end was not understood.
class Fields {
 public:
  explicit Fields(Json& object) : object_(object) {}

  /// nullopt for a missing or null key: an older version.
  std::optional<Json> Take(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) return std::nullopt;
    Json value = std::move(*found);
    object_.erase(found);
    if (value.is_null()) return std::nullopt;
    return value;
  }
  std::string Required(const char* key) {
    const auto value = Take(key);
    if (!value.has_value()) throw MetadataCorrupt("the key '" + std::string(key) + "' is missing");
    return value->get<std::string>();
  }
  std::vector<std::string> Strings(const char* key) {
    const auto value = Take(key);
    return value.has_value() ? value->get<std::vector<std::string>>() : std::vector<std::string>();
  }
  std::vector<std::pair<std::string, std::string>> Pairs(const char* key) {
    std::vector<std::pair<std::string, std::string>> pairs;
    const auto value = Take(key);
    if (!value.has_value()) return pairs;
    if (!value->is_object()) {
      throw MetadataCorrupt("the key '" + std::string(key) + "' is no object");
    }
    for (const auto& [name, text] : value->items()) {
      pairs.emplace_back(name, text.get<std::string>());
    }
    return pairs;
  }
  std::optional<bool> Flag(const char* key) {
    const auto value = Take(key);
    return value.has_value() && value->is_boolean() ? std::optional(value->get<bool>())
                                                    : std::nullopt;
  }
  int64_t Integer(const char* key, int64_t otherwise) {
    const auto value = Take(key);
    if (!value.has_value()) return otherwise;
    if (!value->is_number_integer()) {
      throw MetadataCorrupt("the key '" + std::string(key) + "' is no integer");
    }
    return value->get<int64_t>();
  }

 private:
  Json& object_;
};

template <typename T, typename Make>
std::vector<T> Entries(Fields& fields, const char* key, Make make) {
  std::vector<T> entries;
  const auto value = fields.Take(key);
  if (!value.has_value()) return entries;
  if (!value->is_array()) {
    throw MetadataCorrupt("the key '" + std::string(key) + "' is no array");
  }
  for (const Json& entry : *value) entries.push_back(make(entry));
  return entries;
}

std::string Text(const Json& entry, const char* key) { return entry.at(key).get<std::string>(); }

void CheckVersions(Fields& fields, IndexMetadata& metadata, const std::string& where) {
  const int64_t metadata_version = fields.Integer("metadata_version", 0);
  const int64_t storage_version = fields.Integer("storage_format_version", 1);
  if (metadata_version > IndexMetadata::kMetadataVersion) {
    throw UnsupportedMetadataVersion(
        where + " has metadata version " + std::to_string(metadata_version) +
        "; this release reads up to " + std::to_string(IndexMetadata::kMetadataVersion) +
        ": use a newer release of Ariadne");
  }
  if (storage_version > IndexMetadata::kMaxStorageVersion) {
    throw UnsupportedStorageVersion(
        where + " has storage format version " + std::to_string(storage_version) +
        "; this release reads up to " + std::to_string(IndexMetadata::kMaxStorageVersion) +
        ": use a newer release of Ariadne");
  }
  if (metadata_version < 0 || storage_version < 1) {
    throw MetadataCorrupt("its version numbers are out of range");
  }
  // Older files are filled up while they are read.
  metadata.metadata_version = IndexMetadata::kMetadataVersion;
  metadata.storage_format_version = static_cast<int>(storage_version);
}

IndexMetadata FromObject(Json object, const std::string& where) {
  IndexMetadata m;
  Fields fields(object);
  CheckVersions(fields, m, where);
  m.format = fields.Required("format");
  m.schema_json = fields.Required("schema");
  m.regular = fields.Strings("indexes");
  m.computed = fields.Pairs("computed_indexes");
  m.exploded = Entries<IndexMetadata::ExplodedField>(
      fields, "exploded_field_indexes", [](const Json& entry) {
        return IndexMetadata::ExplodedField{Text(entry, "array_column"), Text(entry, "field_path"),
                                            Text(entry, "as_column")};
      });
  m.bloom = Entries<IndexMetadata::Bloom>(fields, "bloom_indexes", [](const Json& entry) {
    return IndexMetadata::Bloom{Text(entry, "column"), entry.at("fpr").get<double>()};
  });
  m.temporal = Entries<IndexMetadata::Temporal>(fields, "temporal_indexes", [](const Json& entry) {
    return IndexMetadata::Temporal{Text(entry, "column"), Text(entry, "timestamp_column")};
  });
  m.read_options = fields.Pairs("read_options");
  m.range = Entries<std::string>(fields, "range_indexes",
                                 [](const Json& entry) { return Text(entry, "column"); });
  m.auto_bloom = fields.Strings("auto_bloom_indexes");
  m.total_indexed_file_size = fields.Integer("total_indexed_file_size", -1);
  m.batches_since_compact = fields.Integer("batches_since_compact", 0);
  m.delta_lake = fields.Flag("delta_lake");
  m.unknown_keys_json = object.dump();
  return m;
}

}  // namespace

IndexMetadata IndexMetadata::Parse(const std::string& json, const std::string& where) {
  const auto corrupt = [&where](const std::string& why) {
    return MetadataCorrupt(where + " cannot be read as an index's metadata: " + why +
                           ". Restore it from a copy, or remove the index and build it again");
  };
  try {
    return FromObject(ParseObject(json), where);
  } catch (const MetadataCorrupt& error) {
    throw corrupt(error.what());
  } catch (const nlohmann::json::exception& error) {
    throw corrupt(JsonFault(error));
  }
}

std::string IndexMetadata::ToJson() const {
  const auto pairs = [](const std::vector<std::pair<std::string, std::string>>& entries) {
    Json object = Json::object();
    for (const auto& [name, text] : entries) object[name] = text;
    return object;
  };
  Json object;
  object["format"] = format;
  object["schema"] = schema_json;
  object["indexes"] = regular;
  object["computed_indexes"] = pairs(computed);
  object["exploded_field_indexes"] = Json::array();
  for (const auto& entry : exploded) {
    object["exploded_field_indexes"].push_back({{"array_column", entry.array_column},
                                                {"field_path", entry.field_path},
                                                {"as_column", entry.as_column}});
  }
  object["bloom_indexes"] = Json::array();
  for (const auto& entry : bloom) {
    object["bloom_indexes"].push_back({{"column", entry.column}, {"fpr", entry.fpr}});
  }
  object["temporal_indexes"] = Json::array();
  for (const auto& entry : temporal) {
    object["temporal_indexes"].push_back(
        {{"column", entry.column}, {"timestamp_column", entry.timestamp_column}});
  }
  object["read_options"] = pairs(read_options);
  object["range_indexes"] = Json::array();
  for (const auto& column : range) {
    Json entry;
    entry["column"] = column;
    object["range_indexes"].push_back(std::move(entry));
  }
  object["auto_bloom_indexes"] = auto_bloom;
  object["total_indexed_file_size"] = total_indexed_file_size;
  object["batches_since_compact"] = batches_since_compact;
  object["metadata_version"] = metadata_version;
  object["storage_format_version"] = storage_format_version;
  if (delta_lake) object["delta_lake"] = *delta_lake;
  const Json unknown = Json::parse(unknown_keys_json);
  for (const auto& [key, value] : unknown.items()) object[key] = value;
  return internal::ToGson(object);
}

std::optional<IndexMetadata> IndexMetadata::Read(const ObjectRef& object) {
  std::shared_ptr<arrow::Buffer> data;
  try {
    data = object.store->Get(object.path);
  } catch (const ObjectNotFound&) {
    return std::nullopt;
  }
  return Parse(data->ToString(), object.store->base_url() + object.path);
}

void IndexMetadata::Write(const ObjectRef& object) const {
  object.store->Put(object.path, ToJson());
}

}  // namespace ariadne::storage
