#include "sql/scan_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "duckdb/parser/tableref/basetableref.hpp"
#include "query/index_state.h"
#include "query/inferred_schema.h"
#include "scan/column_types.h"
#include "scan/file_sets.h"
#include "source/file_uri.h"
#include "source/parquet_source.h"
#include "sql/set_source.h"
#include "storage/arrow_io.h"

namespace ariadne::sql {

namespace {

struct ScanSourceInfo : duckdb::TableFunctionInfo {
  std::shared_ptr<internal::LakeImpl> lake;
  std::string lake_name;
  std::shared_ptr<scan::FileSets> sets;
  std::shared_ptr<PruningLog> log;
};

/// The columns that the engine can read: nobody can declare the others with another type here.
std::shared_ptr<arrow::Schema> Readable(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  std::string others;
  for (const auto& field : schema.fields()) {
    if (scan::HasEngineType(*field)) {
      fields.push_back(field);
    } else {
      others +=
          (others.empty() ? "'" : ", '") + field->name() + "' (" + field->type()->ToString() + ")";
    }
  }
  if (fields.empty() && !others.empty()) {
    throw UnsupportedColumn("the files have no column of a type that a query can read: " + others);
  }
  return arrow::schema(std::move(fields), schema.metadata());
}

std::shared_ptr<const scan::FileSet> ListFiles(const internal::LakeImpl& lake,
                                               const std::string& name) {
  const auto& mappings = lake.options.path_map;
  const auto uris = source::Expand(name, *lake.stores, mappings);
  auto set = std::make_shared<scan::FileSet>();
  for (const std::string& uri : uris) {
    scan::ScanFile file{.uri = uri, .url = source::MapPath(uri, mappings), .size = -1};
    const auto object = lake.stores->Resolve(file.url);
    // On a local disk a size costs nothing.
    if (object.store->is_local()) {
      if (const auto meta = object.store->Head(object.path)) file.size = meta->size;
    }
    set->files.push_back(std::move(file));
  }
  const auto first = lake.stores->Resolve(set->files.front().url);
  set->schema = Readable(*query::WithAllPartitionColumns(
      source::ReadParquetSchema(storage::OpenInput(first), uris.front()), uris));
  return set;
}

duckdb::unique_ptr<duckdb::TableRef> Replace(duckdb::ClientContext&,
                                             duckdb::TableFunctionBindInput& input) {
  const auto& info = input.info->Cast<ScanSourceInfo>();
  if (input.inputs[0].IsNull()) {
    throw duckdb::BinderException("scan needs the name of an index, or a path or glob of files");
  }
  const std::string name = input.inputs[0].ToString();
  const auto indexes = internal::IndexNames(*info.lake);
  if (std::find(indexes.begin(), indexes.end(), name) != indexes.end()) {
    auto table = duckdb::make_uniq<duckdb::BaseTableRef>();
    table->catalog_name = info.lake_name;
    table->schema_name = DEFAULT_SCHEMA;
    table->table_name = name;
    return table;
  }
  try {
    return RefToFiles("scan('" + name + "')", ListFiles(*info.lake, name), *info.sets, info.log);
  } catch (const Error& error) {
    std::string known;
    for (const std::string& index : indexes) known += (known.empty() ? "" : ", ") + index;
    throw duckdb::BinderException("scan('%s'): %s; indexes are: %s", name,
                                  std::string(error.what()),
                                  known.empty() ? std::string("none") : known);
  }
}

}  // namespace

void RegisterScanSource(duckdb::DatabaseInstance& database,
                        std::shared_ptr<internal::LakeImpl> lake, std::string lake_name,
                        std::shared_ptr<scan::FileSets> sets, std::shared_ptr<PruningLog> log) {
  auto info = duckdb::make_shared_ptr<ScanSourceInfo>();
  info->lake = std::move(lake);
  info->lake_name = std::move(lake_name);
  info->sets = std::move(sets);
  info->log = std::move(log);
  RegisterSource(database, "scan", Replace, std::move(info));
}

}  // namespace ariadne::sql
