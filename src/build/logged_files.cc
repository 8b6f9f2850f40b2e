#include "build/logged_files.h"

#include <string_view>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/type.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "source/stored_name.h"
#include "storage/json_fault.h"
#include "storage/object_store.h"

namespace ariadne::build {

namespace {

using nlohmann::json;

storage::ObjectRef ObjectOf(const storage::IndexLayout& layout) {
  return storage::IndexLayout::Join(layout.native(), "deleted_rows.json");
}

// Rows that follow each other are one pair: the first, and how many.
json RunsOf(const std::vector<int64_t>& rows) {
  json runs = json::array();
  for (size_t i = 0; i < rows.size();) {
    size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    runs.push_back({rows[i], end - i});
    i = end;
  }
  return runs;
}

std::vector<int64_t> RowsOf(const json& runs) {
  std::vector<int64_t> rows;
  for (const auto& run : runs) {
    const auto first = run.at(0).get<int64_t>();
    const auto count = run.at(1).get<int64_t>();
    for (int64_t row = first; row < first + count; ++row) rows.push_back(row);
  }
  return rows;
}

json JsonOf(const LoggedValues& values) {
  json object = json::object();
  for (const auto& [column, value] : values) object[column] = value ? json(*value) : json();
  return object;
}

LoggedValues ValuesOf(const json& object) {
  LoggedValues values;
  for (const auto& [column, value] : object.items()) {
    values[column] = value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
  }
  return values;
}

LoggedFiles Parse(std::string_view text) {
  LoggedFiles files;
  const json object = json::parse(text);
  for (const auto& [key, runs] : object.at("files").items()) files[key].deleted_rows = RowsOf(runs);
  for (const auto& partition : object.value("partitions", json::array())) {
    const LoggedValues values = ValuesOf(partition.at("values"));
    for (const auto& key : partition.at("files")) {
      files[key.get<std::string>()].partition_values = values;
    }
  }
  return files;
}

std::string TextOf(const LoggedFiles& files) {
  json deleted = json::object();
  std::map<LoggedValues, json> by_values;
  for (const auto& [key, file] : files) {
    if (!file.deleted_rows.empty()) deleted[key] = RunsOf(file.deleted_rows);
    if (file.partition_values) by_values[*file.partition_values].push_back(key);
  }
  json object = {{"files", std::move(deleted)}};
  for (auto& [values, keys] : by_values) {
    object["partitions"].push_back({{"values", JsonOf(values)}, {"files", std::move(keys)}});
  }
  return object.dump();
}

}  // namespace

LoggedFiles LoadLoggedFiles(const storage::IndexLayout& layout) {
  const storage::ObjectRef object = ObjectOf(layout);
  std::shared_ptr<arrow::Buffer> bytes;
  try {
    bytes = object.store->Get(object.path);
  } catch (const ObjectNotFound&) {
    return {};
  }
  try {
    return Parse(std::string_view(*bytes));
  } catch (const json::exception& error) {
    throw InvalidFile(object.store->base_url() + object.path +
                      " does not say what the log of the lake's Delta table says of its files (" +
                      storage::JsonFault(error) + "): remove it and sync index '" + layout.name() +
                      "' with the table");
  }
}

LoggedFiles LoadLoggedFiles(const storage::IndexLayout& layout,
                            const storage::IndexMetadata& metadata) {
  const bool none = metadata.delta_lake == false || metadata.format != "parquet";
  return none ? LoggedFiles() : LoadLoggedFiles(layout);
}

bool HasLoggedFiles(const storage::IndexLayout& layout) {
  const storage::ObjectRef object = ObjectOf(layout);
  return object.store->Head(object.path).has_value();
}

void RecordLoggedFiles(const storage::IndexLayout& layout, const LoggedFiles& files) {
  const storage::ObjectRef object = ObjectOf(layout);
  if (files.empty()) return object.store->Delete(object.path);
  object.store->Put(object.path, TextOf(files));
}

std::vector<source::PartitionValue> PartitionValuesOf(const LoggedValues& values,
                                                      const arrow::Schema& schema) {
  std::vector<source::PartitionValue> found;
  for (const auto& field : schema.fields()) {
    const auto value = values.find(source::StoredName(*field));
    if (value == values.end()) continue;
    found.push_back({field->name(), value->second.value_or(""), !value->second});
  }
  return found;
}

}  // namespace ariadne::build
