#include "sql/delta_source.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "duckdb/function/table_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"
#include "query/index_state.h"
#include "scan/deleted_rows.h"
#include "scan/file_sets.h"
#include "scan/scan_function.h"
#include "source/file_uri.h"
#include "source/spark_schema.h"
#include "source/stored_name.h"
#include "storage/delta_scan.h"

namespace ariadne::sql {

namespace {

struct DeltaSourceInfo : duckdb::TableFunctionInfo {
  std::shared_ptr<internal::LakeImpl> lake;
  std::shared_ptr<scan::FileSets> sets;
};

/// In the order of the table's partition columns; what the log does not give, or gives as an empty
/// text, is NULL.
std::vector<source::PartitionValue> PartitionValues(const storage::DeltaScan& table,
                                                    const storage::DeltaScanFile& file,
                                                    const arrow::Schema& schema) {
  std::vector<source::PartitionValue> values;
  for (const std::string& column : table.partition_columns) {
    const auto field = schema.GetFieldByName(column);
    if (!field) continue;
    const auto given =
        std::find_if(file.partition_values.begin(), file.partition_values.end(),
                     [&](const auto& pair) { return pair.first == source::StoredName(*field); });
    const bool has = given != file.partition_values.end() && !given->second.empty();
    values.push_back({column, has ? given->second : "", !has});
  }
  return values;
}

void ReadTable(const DeltaSourceInfo& info, const std::string& path, const std::string& name) {
  const auto url = source::DecodedUrl(source::CanonicalUri(path));
  auto table = storage::ReadDeltaScan(info.lake->stores->Resolve(url));
  auto files = std::make_shared<scan::FileSet>();
  auto known = std::make_shared<scan::TableFiles>();
  files->schema = source::FromSparkJson(table.schema_json);
  std::map<std::string, std::vector<int64_t>> deleted;
  for (auto& file : table.files) {
    const std::string file_url = file.file.store->base_url() + file.file.path;
    files->files.push_back({.uri = file_url, .url = file_url, .size = file.size});
    known->files.push_back(
        {.partition_values = PartitionValues(table, file, *files->schema), .deleted_rows = {}});
    if (!file.deleted_rows.empty()) deleted[file_url] = std::move(file.deleted_rows);
  }
  scan::LeaveOut(deleted, files.get());
  info.sets->Put(name, std::move(files), std::move(known));
}

duckdb::unique_ptr<duckdb::TableRef> Replace(duckdb::ClientContext&,
                                             duckdb::TableFunctionBindInput& input) {
  const auto& info = input.info->Cast<DeltaSourceInfo>();
  if (input.inputs[0].IsNull()) {
    throw duckdb::BinderException("delta needs the path or URL of a Delta table");
  }
  const std::string path = input.inputs[0].ToString();
  const std::string name = "delta table " + path;
  try {
    ReadTable(info, path, name);
  } catch (const Error& error) {
    throw duckdb::BinderException("delta('%s'): %s", path, std::string(error.what()));
  }
  duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> arguments;
  arguments.push_back(duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(name)));
  auto function = duckdb::make_uniq<duckdb::TableFunctionRef>();
  function->function =
      duckdb::make_uniq<duckdb::FunctionExpression>(scan::kScanFunction, std::move(arguments));
  return function;
}

}  // namespace

void RegisterDeltaSource(duckdb::DatabaseInstance& database,
                         std::shared_ptr<internal::LakeImpl> lake,
                         std::shared_ptr<scan::FileSets> sets) {
  duckdb::TableFunction function("delta", {duckdb::LogicalType::VARCHAR}, nullptr, nullptr);
  function.bind_replace = Replace;
  auto info = duckdb::make_shared_ptr<DeltaSourceInfo>();
  info->lake = std::move(lake);
  info->sets = std::move(sets);
  function.function_info = std::move(info);
  duckdb::ExtensionLoader loader(database, "ariadne");
  loader.RegisterFunction(std::move(function));
}

}  // namespace ariadne::sql
