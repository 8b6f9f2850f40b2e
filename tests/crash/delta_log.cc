#include "delta_log.h"

#include <fstream>
#include <utility>

#include <arrow/type.h>
#include <nlohmann/json.hpp>

#include "source/spark_schema.h"

namespace ariadne::testing {

namespace {

using nlohmann::json;

std::string Z85(std::string data) {
  constexpr char kDigits[] =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
  while (data.size() % 4 != 0) data += '\0';
  std::string text;
  for (size_t i = 0; i < data.size(); i += 4) {
    uint32_t word = 0;
    for (size_t k = 0; k < 4; ++k) word = word << 8 | static_cast<unsigned char>(data[i + k]);
    std::string digits(5, '0');
    for (size_t k = 5; k-- > 0; word /= 85) digits[k] = kDigits[word % 85];
    text += digits;
  }
  return text;
}

void Append(uint64_t value, int bytes, std::string* out) {
  for (int i = 0; i < bytes; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

/// A 64-bit Roaring bitmap of one bitmap with one container, in the portable format.
json DeletionVector(const std::vector<int64_t>& rows) {
  std::string data;
  Append(1681511377, 4, &data);
  Append(1, 8, &data);  // Bitmaps.
  Append(0, 4, &data);  // Its high 32 bits.
  Append(12346, 4, &data);
  Append(1, 4, &data);  // Containers.
  Append(0, 2, &data);  // Its high 16 bits.
  Append(rows.size() - 1, 2, &data);
  Append(16, 4, &data);  // Where it begins.
  for (const int64_t row : rows) Append(static_cast<uint64_t>(row), 2, &data);
  return {{"storageType", "i"},
          {"pathOrInlineDv", Z85(data)},
          {"sizeInBytes", data.size()},
          {"cardinality", rows.size()}};
}

std::string Escaped(const std::string& name) {
  std::string path;
  for (const char c : name) path += c == '%' ? "%25" : c == ' ' ? "%20" : std::string(1, c);
  return path;
}

}  // namespace

DeltaLog::DeltaLog(std::filesystem::path folder, const arrow::Schema& schema)
    : folder_(std::move(folder)) {
  std::filesystem::create_directory(folder_ / "_delta_log");
  const json features = {"deletionVectors"};
  const json protocol = {{"minReaderVersion", 3},
                         {"minWriterVersion", 7},
                         {"readerFeatures", features},
                         {"writerFeatures", features}};
  const json metadata = {{"id", "a-table"},
                         {"format", {{"provider", "parquet"}, {"options", json::object()}}},
                         {"schemaString", source::ToSparkJson(schema)},
                         {"partitionColumns", json::array()},
                         {"configuration", {{"delta.enableDeletionVectors", "true"}}},
                         {"createdTime", 0}};
  Write(json{{"protocol", protocol}}.dump() + "\n" + json{{"metaData", metadata}}.dump() + "\n");
}

void DeltaLog::Commit(const Files& files) {
  std::string actions;
  for (const auto& [name, deleted] : files_) {
    const auto now = files.find(name);
    if (now != files.end() && now->second == deleted) continue;
    json remove = {{"path", Escaped(name)}, {"dataChange", true}, {"deletionTimestamp", 0}};
    if (!deleted.empty()) remove["deletionVector"] = DeletionVector(deleted);
    actions += json{{"remove", std::move(remove)}}.dump() + "\n";
  }
  for (const auto& [name, deleted] : files) {
    const auto before = files_.find(name);
    if (before != files_.end() && before->second == deleted) continue;
    json add = {{"path", Escaped(name)},
                {"partitionValues", json::object()},
                {"size", std::filesystem::file_size(folder_ / name)},
                {"modificationTime", 0},
                {"dataChange", true}};
    if (!deleted.empty()) add["deletionVector"] = DeletionVector(deleted);
    actions += json{{"add", std::move(add)}}.dump() + "\n";
  }
  files_ = files;
  if (!actions.empty()) Write(actions);
}

void DeltaLog::Write(const std::string& actions) {
  std::string name = std::to_string(version_++) + ".json";
  name.insert(0, 25 - name.size(), '0');
  std::ofstream(folder_ / "_delta_log" / name) << actions;
}

}  // namespace ariadne::testing
