#include "build/update_share.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "storage/json_fault.h"

namespace ariadne::build {

namespace {

using Json = nlohmann::json;

std::string Text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// What `read` makes of the text. Throws InvalidArgument where it is of another release, or no such
/// text at all.
template <typename T>
T ParseAs(const std::string& text, const char* what, T (*read)(const Json&)) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& error) {
    throw InvalidArgument(std::string(what) + " cannot be read (" + storage::JsonFault(error) +
                          "): all processes of an update must run one release");
  }
}

Json FileJson(const storage::DataFile& file) {
  return {{"path", file.path},
          {"size", file.size},
          {"modified", file.modified_ms},
          {"records", file.num_records},
          {"stats", file.stats_json}};
}

storage::DataFile FileOf(const Json& json) {
  storage::DataFile file;
  file.path = json.at("path").get<std::string>();
  file.size = json.at("size").get<int64_t>();
  file.modified_ms = json.at("modified").get<int64_t>();
  file.num_records = json.at("records").get<int64_t>();
  file.stats_json = json.at("stats").get<std::string>();
  return file;
}

Json BatchJson(const StagedBatch& batch) {
  Json rows = Json::array();
  for (const auto& row : batch.rows) rows.push_back({row.uri, row.backfilled});
  Json large = Json::array();
  for (const auto& pair : batch.large) {
    large.push_back({pair.column, pair.uri, FileJson(pair.file)});
  }
  Json zones = Json::array();
  for (const auto& zone : batch.token_zones) {
    zones.push_back({zone.filename, zone.column, zone.filter_checksum, zone.zone});
  }
  return {{"file", FileJson(batch.file)}, {"schema", batch.schema_json},
          {"adoptable", batch.adoptable}, {"rows", std::move(rows)},
          {"large", std::move(large)},    {"zones", std::move(zones)}};
}

StagedBatch BatchOf(const Json& json) {
  StagedBatch batch;
  batch.file = FileOf(json.at("file"));
  batch.schema_json = json.at("schema").get<std::string>();
  batch.adoptable = json.at("adoptable").get<bool>();
  for (const Json& row : json.at("rows")) {
    batch.rows.push_back({row.at(0).get<std::string>(), row.at(1).get<bool>()});
  }
  for (const Json& pair : json.at("large")) {
    batch.large.push_back(
        {pair.at(0).get<int>(), pair.at(1).get<std::string>(), FileOf(pair.at(2))});
  }
  for (const Json& zone : json.at("zones")) {
    batch.token_zones.push_back({zone.at(0).get<std::string>(), zone.at(1).get<std::string>(),
                                 zone.at(2).get<uint64_t>(), zone.at(3).get<std::string>()});
  }
  return batch;
}

UpdateShare ShareOf(const Json& json) {
  UpdateShare share;
  share.index = json.at("index").get<std::string>();
  share.run = json.at("run").get<std::string>();
  share.metadata =
      storage::IndexMetadata::Parse(json.at("metadata").get<std::string>(), "the update's share");
  share.filter_columns = json.at("filters").get<std::vector<std::string>>();
  share.large_index_limit = json.at("large_index_limit").get<int64_t>();
  share.auto_bloom_fpr = json.at("auto_bloom_fpr").get<double>();
  share.token_time_zone = json.at("token_time_zone").get<std::string>();
  for (const Json& file : json.at("old_files")) share.old_files.push_back(FileOf(file));
  for (const Json& entry : json.at("jobs")) {
    FileJob job;
    job.uri = entry.at("uri").get<std::string>();
    job.object.path = entry.at("location").get<std::string>();  // Resolved by Parse.
    job.size = entry.at("size").get<int64_t>();
    job.columns = entry.at("columns").get<std::vector<int>>();
    if (const auto old = entry.find("old"); old != entry.end()) {
      job.old_row = RowPlace{.file = old->at(0).get<int32_t>(), .row = old->at(1).get<int64_t>()};
    }
    share.jobs.push_back(std::move(job));
  }
  return share;
}

ShareResult ResultOf(const Json& json) {
  ShareResult result;
  for (const Json& batch : json.at("batches")) result.batches.push_back(BatchOf(batch));
  for (const Json& failed : json.at("failed")) {
    result.failed.push_back({failed.at(0).get<std::string>(), failed.at(1).get<std::string>()});
  }
  result.bytes_indexed = json.at("bytes_indexed").get<int64_t>();
  result.bytes_read = json.at("bytes_read").get<int64_t>();
  result.bytes_written = json.at("bytes_written").get<int64_t>();
  return result;
}

}  // namespace

std::string UpdateShare::ToJson() const {
  Json old = Json::array();
  for (const storage::DataFile& file : old_files) old.push_back(FileJson(file));
  Json files = Json::array();
  for (const FileJob& job : jobs) {
    Json entry = {{"uri", job.uri},
                  {"location", job.object.store->base_url() + job.object.path},
                  {"size", job.size},
                  {"columns", job.columns}};
    if (job.old_row) entry["old"] = {job.old_row->file, job.old_row->row};
    files.push_back(std::move(entry));
  }
  return Text({{"index", index},
               {"run", run},
               {"metadata", metadata.ToJson()},
               {"filters", filter_columns},
               {"large_index_limit", large_index_limit},
               {"auto_bloom_fpr", auto_bloom_fpr},
               {"token_time_zone", token_time_zone},
               {"old_files", std::move(old)},
               {"jobs", std::move(files)}});
}

UpdateShare UpdateShare::Parse(const std::string& json, const storage::Stores& stores) {
  UpdateShare share = ParseAs(json, "a share of an update", ShareOf);
  for (FileJob& job : share.jobs) {
    try {
      job.object = stores.Resolve(job.object.path);
    } catch (const Error& error) {
      job.error = error.what();
    }
  }
  return share;
}

std::string ShareResult::ToJson() const {
  Json all = Json::array();
  for (const StagedBatch& batch : batches) all.push_back(BatchJson(batch));
  Json failures = Json::array();
  for (const FailedFile& file : failed) failures.push_back({file.uri, file.error});
  return Text({{"batches", std::move(all)},
               {"failed", std::move(failures)},
               {"bytes_indexed", bytes_indexed},
               {"bytes_read", bytes_read},
               {"bytes_written", bytes_written}});
}

ShareResult ShareResult::Parse(const std::string& json) {
  return ParseAs(json, "what a share of an update became", ResultOf);
}

}  // namespace ariadne::build
