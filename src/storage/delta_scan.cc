#include "storage/delta_scan.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "storage/store_call.h"

namespace ariadne::storage {

using internal::Check;
using internal::OwnedBytes;
using internal::PackedReader;

namespace {

using Table = std::unique_ptr<ArTable, decltype(&ar_table_free)>;

Table Open(const ObjectRef& folder) {
  ArTable* table = nullptr;
  char* message = nullptr;
  const int status = ar_table_open(folder.store->handle(), folder.path.c_str(), &table, &message);
  if (status == AR_NOT_FOUND) {
    ar_message_free(message);
    throw ObjectNotFound("there is no Delta table at '" + folder.store->base_url() + folder.path +
                         "'");
  }
  Check(status, &message);
  return {table, &ar_table_free};
}

void Describe(const ArTable* table, DeltaScan& scan) {
  OwnedBytes out;
  char* message = nullptr;
  Check(ar_table_describe(table, out.out(), &message), &message);
  const auto described = nlohmann::ordered_json::parse(out.view());
  const auto& meta_data = described.at("metaData");
  scan.version = described.at("version").get<int64_t>();
  scan.schema_json = meta_data.at("schemaString").get<std::string>();
  for (const auto& column : meta_data.value("partitionColumns", nlohmann::ordered_json::array())) {
    scan.partition_columns.push_back(column.get<std::string>());
  }
  const auto configuration = meta_data.value("configuration", nlohmann::ordered_json::object());
  scan.column_mapping = configuration.value("delta.columnMapping.mode", "none") != "none";
}

}  // namespace

DeltaScan ReadDeltaScan(const ObjectRef& folder) {
  const Table table = Open(folder);
  DeltaScan scan;
  Describe(table.get(), scan);
  OwnedBytes out;
  char* message = nullptr;
  Check(ar_table_scan_files(table.get(), out.out(), &message), &message);
  for (PackedReader packed(out.view()); !packed.done();) {
    DeltaScanFile file;
    file.path = packed.Text();
    file.size = packed.Integer();
    for (int64_t count = packed.Integer(); count > 0; --count) {
      std::string column = packed.Text();
      file.partition_values.emplace_back(std::move(column), packed.Text());
    }
    for (int64_t count = packed.Integer(); count > 0; --count) {
      file.deleted_rows.push_back(packed.Integer());
    }
    std::sort(file.deleted_rows.begin(), file.deleted_rows.end());
    scan.files.push_back(std::move(file));
  }
  std::sort(scan.files.begin(), scan.files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return scan;
}

}  // namespace ariadne::storage
