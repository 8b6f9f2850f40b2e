#include "build/deleted_rows.h"

#include <string_view>
#include <utility>

#include <arrow/buffer.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
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

DeletedRows Parse(std::string_view text) {
  DeletedRows rows;
  const json files = json::parse(text).at("files");
  for (const auto& [key, runs] : files.items()) {
    std::vector<int64_t>& of_file = rows[key];
    for (const auto& run : runs) {
      const auto first = run.at(0).get<int64_t>();
      const auto count = run.at(1).get<int64_t>();
      for (int64_t row = first; row < first + count; ++row) of_file.push_back(row);
    }
  }
  return rows;
}

}  // namespace

DeletedRows LoadDeletedRows(const storage::IndexLayout& layout) {
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
                      " does not say which rows of the lake were deleted (" +
                      storage::JsonFault(error) + "): remove it and sync index '" + layout.name() +
                      "' with its Delta table");
  }
}

void RecordDeletedRows(const storage::IndexLayout& layout, const std::string& prefix,
                       const DeletedRows& rows) {
  const DeletedRows known = LoadDeletedRows(layout);
  DeletedRows now = rows;
  for (const auto& [key, of_file] : known) {
    if (!key.starts_with(prefix)) now.emplace(key, of_file);
  }
  if (now == known) return;
  const storage::ObjectRef object = ObjectOf(layout);
  if (now.empty()) return object.store->Delete(object.path);
  json files = json::object();
  for (const auto& [key, of_file] : now) files[key] = RunsOf(of_file);
  object.store->Put(object.path, json{{"files", std::move(files)}}.dump());
}

}  // namespace ariadne::build
