#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include <arrow/buffer.h>

#include "ariadne/errors.h"
#include "storage/delta_state.h"
#include "storage/delta_table.h"
#include "storage/layout.h"
#include "storage/uuid.h"

namespace ariadne::storage {

using Json = nlohmann::ordered_json;

namespace internal {

bool HoldsTimestampNtz(const Json& type) {
  if (type.is_string()) return type == "timestamp_ntz";
  if (!type.is_object()) return false;
  for (const char* part : {"elementType", "keyType", "valueType"}) {
    if (type.contains(part) && HoldsTimestampNtz(type[part])) return true;
  }
  if (!type.contains("fields")) return false;
  return std::any_of(type["fields"].begin(), type["fields"].end(), [](const Json& field) {
    return field.contains("type") && HoldsTimestampNtz(field["type"]);
  });
}

}  // namespace internal

namespace {

constexpr int64_t kCommitsPerCheckpoint = 10;
constexpr int64_t kLogRetentionMs = 30LL * 24 * 3600 * 1000;

/// Logged paths are relative URLs.
std::string EncodePath(const std::string& path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= 'a' && byte <= 'z') ||
                       std::string_view("-_.~/=+,").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

/// Protocol for a schema: 1/2, which every reader opens, unless a timestamp_ntz needs its feature.
Json ProtocolFor(bool timestamp_ntz) {
  if (!timestamp_ntz) return {{"minReaderVersion", 1}, {"minWriterVersion", 2}};
  return {{"minReaderVersion", 3},
          {"minWriterVersion", 7},
          {"readerFeatures", {"timestampNtz"}},
          {"writerFeatures", {"timestampNtz", "appendOnly", "invariants"}}};
}

bool HasWriterFeature(const Json& protocol, const char* feature) {
  const Json features = protocol.value("writerFeatures", Json::array());
  return std::find(features.begin(), features.end(), feature) != features.end();
}

/// Tables whose rules reach past adding and removing files are not ours to write.
void CheckWritable(const std::string& url, const Json& protocol, const Json& meta_data) {
  std::string why;
  const int writer = protocol.value("minWriterVersion", 0);
  if (writer > 2 && writer != 7) why = "writer version " + std::to_string(writer);
  const Json features = protocol.value("writerFeatures", Json::array());
  for (const auto& feature : features) {
    const std::string name = feature.get<std::string>();
    if (name != "timestampNtz" && name != "appendOnly" && name != "invariants") {
      why = "the feature " + name;
    }
  }
  const Json configuration = meta_data.value("configuration", Json::object());
  if (configuration.value("delta.appendOnly", "false") == "true") why = "delta.appendOnly";
  if (!meta_data.value("partitionColumns", Json::array()).empty()) why = "partition columns";
  if (!why.empty()) {
    throw StorageError("the Delta table " + url + " has " + why +
                       ", which Ariadne reads but does not write");
  }
}

void Line(std::string& out, const char* action, Json body) {
  Json line;
  line[action] = std::move(body);
  out += line.dump();
  out += '\n';
}

std::string CommitInfo(const std::string& operation, bool blind_append) {
  std::string out;
  Line(out, "commitInfo",
       {{"timestamp", internal::NowMs()},
        {"operation", operation},
        {"operationParameters", Json::object()},
        {"isolationLevel", "Serializable"},
        {"isBlindAppend", blind_append},
        {"engineInfo", "Ariadne/0.1.0"},
        {"txnId", internal::NewUuid()}});
  return out;
}

Json ParseSchema(const std::string& json, const std::string& what) {
  Json schema = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (schema.is_discarded()) throw InvalidArgument(what + " is no JSON: " + json);
  return schema;
}

/// metaData with more columns, and protocol where the new ones need it.
void AddColumns(std::string& out, const std::string& columns_json, const Json& meta_data,
                const Json& protocol) {
  const Json columns = ParseSchema(columns_json, "the list of columns to add");
  Json schema = ParseSchema(meta_data.at("schemaString").get<std::string>(), "the table's schema");
  bool timestamp_ntz = false;
  for (Json column : columns) {
    column["nullable"] = true;
    if (!column.contains("metadata")) column["metadata"] = Json::object();
    timestamp_ntz = timestamp_ntz || internal::HoldsTimestampNtz(column.at("type"));
    for (const auto& existing : schema["fields"]) {
      if (existing.at("name") == column.at("name")) {
        throw InvalidArgument("the table has a column " + column.at("name").dump() + " already");
      }
    }
    schema["fields"].push_back(std::move(column));
  }
  if (timestamp_ntz && !HasWriterFeature(protocol, "timestampNtz")) {
    Line(out, "protocol", ProtocolFor(true));
  }
  Json changed = meta_data;
  changed["schemaString"] = schema.dump();
  Line(out, "metaData", std::move(changed));
}

/// Removes what a checkpoint made superfluous and no reader within the retention time can need.
void CleanLog(const ObjectRef& folder, int64_t checkpoint) {
  const ObjectRef log = IndexLayout::Join(folder, "_delta_log");
  const int64_t oldest = internal::NowMs() - kLogRetentionMs;
  for (const ObjectMeta& object : log.store->List(log.path)) {
    const std::string name = object.path.substr(object.path.rfind('/') + 1);
    int64_t version = -1;
    const char* end = name.data() + std::min<size_t>(20, name.size());
    const auto [stopped, error] = std::from_chars(name.data(), end, version);
    if (error != std::errc() || stopped != name.data() + 20) continue;
    if (version < checkpoint && object.modified_ms < oldest) log.store->Delete(object.path);
  }
}

}  // namespace

std::shared_ptr<DeltaTable> DeltaTable::Create(const ObjectRef& folder,
                                               const std::string& schema_json) {
  if (auto table = Open(folder)) return table;
  const Json schema = ParseSchema(schema_json, "the schema of the new table");
  const bool timestamp_ntz = internal::HoldsTimestampNtz(schema);
  std::string out = CommitInfo("CREATE TABLE", true);
  Line(out, "protocol", ProtocolFor(timestamp_ntz));
  Line(out, "metaData",
       {{"id", internal::NewUuid()},
        {"format", {{"provider", "parquet"}, {"options", Json::object()}}},
        {"schemaString", schema_json},
        {"partitionColumns", Json::array()},
        {"configuration", Json::object()},
        {"createdTime", internal::NowMs()}});
  // Another writer that was faster made the same table.
  folder.store->PutIfAbsent(internal::CommitFile(folder, 0).path, out);
  auto table = Open(folder);
  if (table == nullptr) {
    throw StorageError("the Delta table " + folder.store->base_url() + folder.path +
                       " vanished while it was created");
  }
  return table;
}

std::shared_ptr<DeltaTable> DeltaTable::Commit(const TableChange& change) const {
  CheckWritable(state_->url(), state_->protocol, state_->meta_data);
  const bool append =
      change.removes.empty() && change.add_columns_json.empty() && change.schema_json.empty();
  std::string out = CommitInfo(change.operation, append && change.data_change);
  if (!change.app_id.empty()) {
    Line(out, "txn",
         {{"appId", change.app_id},
          {"version", change.app_version},
          {"lastUpdated", internal::NowMs()}});
  }
  if (!change.add_columns_json.empty()) {
    AddColumns(out, change.add_columns_json, state_->meta_data, state_->protocol);
  }
  if (!change.schema_json.empty()) {
    if (change.removes.size() != files().size() || !change.add_columns_json.empty()) {
      throw InvalidArgument("a new schema for the Delta table " + state_->url() +
                            " needs all of its files replaced");
    }
    Json changed = state_->meta_data;
    changed["schemaString"] = change.schema_json;
    Line(out, "metaData", std::move(changed));
  }
  for (const std::string& path : change.removes) {
    const auto file =
        std::lower_bound(files().begin(), files().end(), path,
                         [](const DataFile& a, const std::string& b) { return a.path < b; });
    if (file == files().end() || file->path != path) {
      throw InvalidArgument("'" + path + "' is no live file of the Delta table " + state_->url() +
                            " at version " + std::to_string(version()));
    }
    if (file->has_deletion_vector) {
      throw StorageError("'" + path + "' of the Delta table " + state_->url() +
                         " has a deletion vector, which Ariadne reads but does not write");
    }
    const auto logged = state_->logged_paths.find(path);
    Line(out, "remove",
         {{"path", logged == state_->logged_paths.end() ? path : logged->second},
          {"deletionTimestamp", internal::NowMs()},
          {"dataChange", change.data_change},
          {"extendedFileMetadata", true},
          {"partitionValues", Json::object()},
          {"size", file->size}});
  }
  for (const DataFile& file : change.adds) {
    Json add = {{"path", EncodePath(file.path)},
                {"partitionValues", Json::object()},
                {"size", file.size},
                {"modificationTime", file.modified_ms},
                {"dataChange", change.data_change}};
    if (!file.stats_json.empty()) add["stats"] = file.stats_json;
    Line(out, "add", std::move(add));
  }

  const ObjectRef target = internal::CommitFile(state_->folder, version() + 1);
  if (!target.store->PutIfAbsent(target.path, out)) {
    // A request that a network store retried may have met its own first try.
    std::shared_ptr<arrow::Buffer> there;
    try {
      there = target.store->Get(target.path);
    } catch (const ObjectNotFound&) {
    }
    if (there == nullptr || there->ToString() != out) {
      throw CommitConflict("another writer committed version " + std::to_string(version() + 1) +
                           " of the Delta table " + state_->url() + " first");
    }
  }
  auto committed = Refresh();
  if (committed == nullptr) {
    throw StorageError("the Delta table " + state_->url() + " vanished after a commit");
  }
  if (committed->version() / kCommitsPerCheckpoint == version() / kCommitsPerCheckpoint) {
    return committed;
  }
  try {
    char* message = nullptr;
    internal::Check(ar_table_checkpoint(committed->state_->table, &message), &message);
    CleanLog(state_->folder, committed->version());
    if (auto opened = Open(state_->folder)) return opened;
  } catch (const StorageError&) {
    // The commit stands; the next tenth commit tries again.
  }
  return committed;
}

std::shared_ptr<DeltaTable> DeltaTable::CommitWithRetry(
    const ObjectRef& folder, const std::string& schema_json,
    const std::function<std::optional<TableChange>(const DeltaTable&)>& make, int tries) {
  std::minstd_rand random{std::random_device{}()};
  auto table = Create(folder, schema_json);
  for (int tried = 1;; ++tried) {
    const auto change = make(*table);
    if (!change.has_value()) return table;
    try {
      return table->Commit(*change);
    } catch (const CommitConflict&) {
      if (tried >= tries) throw;
    }
    // Doubles up to 3.2 s, with jitter so that two writers part.
    const int limit = 25 << std::min(tried - 1, 7);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::uniform_int_distribution<int>(limit / 2, limit)(random)));
    table = Create(folder, schema_json);
  }
}

}  // namespace ariadne::storage
