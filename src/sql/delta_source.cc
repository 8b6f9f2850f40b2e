#include "sql/delta_source.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/delta_lake.h"
#include "query/index_state.h"
#include "scan/deleted_rows.h"
#include "scan/file_sets.h"
#include "source/file_uri.h"
#include "source/spark_schema.h"
#include "sql/set_source.h"
#include "storage/delta_scan.h"
#include "storage/layout.h"

namespace ariadne::sql {

namespace {

struct DeltaSourceInfo : duckdb::TableFunctionInfo {
  std::shared_ptr<internal::LakeImpl> lake;
  std::shared_ptr<scan::FileSets> sets;
  std::shared_ptr<PruningLog> log;
};

storage::DeltaScan ReadTable(const storage::ObjectRef& folder, const std::string& path) {
  try {
    return storage::ReadDeltaScan(folder);
  } catch (const InvalidDeltaTable&) {
    const auto names = folder.store->ListNames(folder.path);
    if (std::find(names.begin(), names.end(), "_delta_log/") != names.end()) throw;
    throw InvalidDeltaTable("the folder is no Delta table, it has no _delta_log: scan('" + path +
                            "') reads its Parquet files");
  }
}

std::shared_ptr<const scan::FileSet> FilesOf(const DeltaSourceInfo& info, const std::string& path) {
  const auto url = source::DecodedUrl(source::CanonicalUri(path));
  const auto folder = info.lake->stores->Resolve(url);
  const auto table = ReadTable(folder, path);
  auto files = std::make_shared<scan::FileSet>();
  files->schema = source::FromSparkJson(table.schema_json);
  const arrow::Schema& schema = *files->schema;
  for (const auto& file : table.files) {
    const std::string file_url =
        folder.store->base_url() + storage::IndexLayout::Join(folder, file.path).path;
    files->files.push_back({.uri = file_url,
                            .url = file_url,
                            .size = file.size,
                            .partition_values = build::PartitionValuesOf(
                                build::LoggedValuesOf(table, file, schema), schema)});
    if (!file.deleted_rows.empty()) {
      files->files.back().deleted_rows =
          std::make_shared<const scan::DeletedRows>(file.deleted_rows);
    }
  }
  return files;
}

duckdb::unique_ptr<duckdb::TableRef> Replace(duckdb::ClientContext&,
                                             duckdb::TableFunctionBindInput& input) {
  const auto& info = input.info->Cast<DeltaSourceInfo>();
  if (input.inputs[0].IsNull()) {
    throw duckdb::BinderException("delta needs the path or URL of a Delta table");
  }
  const std::string path = input.inputs[0].ToString();
  try {
    return RefToFiles("delta('" + path + "')", FilesOf(info, path), *info.sets, info.log);
  } catch (const Error& error) {
    throw duckdb::BinderException("delta('%s'): %s", path, std::string(error.what()));
  }
}

}  // namespace

void RegisterDeltaSource(duckdb::DatabaseInstance& database,
                         std::shared_ptr<internal::LakeImpl> lake,
                         std::shared_ptr<scan::FileSets> sets, std::shared_ptr<PruningLog> log) {
  auto info = duckdb::make_shared_ptr<DeltaSourceInfo>();
  info->lake = std::move(lake);
  info->sets = std::move(sets);
  info->log = std::move(log);
  RegisterSource(database, "delta", Replace, std::move(info));
}

}  // namespace ariadne::sql
