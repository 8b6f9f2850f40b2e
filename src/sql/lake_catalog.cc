#include "sql/lake_catalog.h"

#include <utility>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/lake_format.h"
#include "duckdb/common/string_util.hpp"
#include "duckdb/parser/parsed_data/create_schema_info.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/storage/database_size.hpp"
#include "duckdb/storage/statistics/base_statistics.hpp"
#include "duckdb/storage/table_storage_info.hpp"
#include "source/spark_schema.h"
#include "sql/lake_scan.h"
#include "sql/lake_schema.h"

namespace ariadne::sql {

void RefuseWrite() {
  throw duckdb::BinderException(
      "a lake is read-only: add data files and update the index instead of writing to it; tables "
      "and "
      "views of your own go into the database \"memory\", as in CREATE VIEW memory.v AS ...");
}

namespace {

/// SQL tells columns apart without case.
void CheckNames(const LakeTable& table) {
  const auto& columns = table.columns();
  for (size_t i = 0; i < columns.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!duckdb::StringUtil::CIEquals(columns[i].name, columns[j].name)) continue;
      throw SchemaMismatch(
          "columns '" + columns[j].name + "' and '" + columns[i].name + "' of index '" +
          table.name() +
          "' differ by case alone, which SQL cannot tell apart: ask it by 'ariadne "
          "locate' and 'ariadne files', or rename one of them in the data");
    }
  }
}

}  // namespace

LakeTableEntry::LakeTableEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema,
                               duckdb::CreateTableInfo& info,
                               std::shared_ptr<const LakeTable> table, LakeCatalog& lake)
    : TableCatalogEntry(catalog, schema, info), table_(std::move(table)), lake_(lake) {}

duckdb::unique_ptr<duckdb::BaseStatistics> LakeTableEntry::GetStatistics(duckdb::ClientContext&,
                                                                         duckdb::column_t) {
  return nullptr;
}

duckdb::TableFunction LakeTableEntry::GetScanFunction(
    duckdb::ClientContext&, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  bind_data = BindLakeScan(*this, table_, lake_.log(), lake_.sets());
  return LakeScanFunction(*table_);
}

duckdb::TableStorageInfo LakeTableEntry::GetStorageInfo(duckdb::ClientContext&) { return {}; }

duckdb::virtual_column_map_t LakeTableEntry::GetVirtualColumns() const {
  return table_->VirtualColumns();
}

duckdb::optional_ptr<LakeTableEntry> LakeTransaction::Table(duckdb::SchemaCatalogEntry& schema,
                                                            const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto known = tables_.find(name);
  if (known != tables_.end()) return known->second.get();
  auto& catalog = schema.ParentCatalog().Cast<LakeCatalog>();
  try {
    auto index = catalog.Open(name);
    if (!index) return nullptr;
    (void)build::LakeFormatOf(index->format(), index->schema(), index->read_options());
    auto table = std::make_shared<const LakeTable>(std::move(index));
    CheckNames(*table);
    duckdb::CreateTableInfo info(schema, table->name());
    for (const auto& column : table->columns()) {
      info.columns.AddColumn(duckdb::ColumnDefinition(column.name, column.type));
    }
    auto entry =
        duckdb::make_uniq<LakeTableEntry>(catalog, schema, info, std::move(table), catalog);
    return (tables_[name] = std::move(entry)).get();
  } catch (const Error& error) {
    throw duckdb::BinderException("%s", std::string(error.what()));
  }
}

duckdb::Transaction& LakeTransactionManager::StartTransaction(duckdb::ClientContext& context) {
  auto transaction = duckdb::make_uniq<LakeTransaction>(*this, context);
  const std::lock_guard lock(mutex_);
  auto* key = transaction.get();
  transactions_[key] = std::move(transaction);
  return *key;
}

duckdb::ErrorData LakeTransactionManager::CommitTransaction(duckdb::ClientContext&,
                                                            duckdb::Transaction& transaction) {
  RollbackTransaction(transaction);
  return {};
}

void LakeTransactionManager::RollbackTransaction(duckdb::Transaction& transaction) {
  const std::lock_guard lock(mutex_);
  transactions_.erase(&transaction);
}

void LakeTransactionManager::Checkpoint(duckdb::ClientContext&, bool) {}

LakeCatalog::LakeCatalog(duckdb::AttachedDatabase& database,
                         std::shared_ptr<internal::LakeImpl> lake, std::shared_ptr<PruningLog> log,
                         std::shared_ptr<scan::FileSets> sets)
    : Catalog(database), lake_(std::move(lake)), log_(std::move(log)), sets_(std::move(sets)) {}

LakeCatalog::~LakeCatalog() = default;

std::shared_ptr<const internal::IndexImpl> LakeCatalog::Open(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto known = open_.find(name);
  if (known != open_.end()) {
    // It may have been removed, or created again with another schema.
    try {
      const auto metadata = known->second->ReadMetadata();
      const auto schema = source::FromSparkJson(metadata.schema_json);
      const internal::IndexImpl& index = *known->second;
      if (metadata.format == index.format() && metadata.read_options == index.read_options() &&
          schema->Equals(*index.schema())) {
        return known->second;
      }
    } catch (const IndexNotFound&) {
    }
    open_.erase(known);
  }
  std::shared_ptr<const internal::IndexImpl> index;
  try {
    index = internal::OpenIndex(lake_, name);
  } catch (const InvalidArgument&) {
    return nullptr;  // A name that no index can have.
  }
  if (!index) {
    std::string other;
    for (const std::string& candidate : internal::IndexNames(*lake_)) {
      if (!duckdb::StringUtil::CIEquals(candidate, name)) continue;
      if (!other.empty()) return nullptr;
      other = candidate;
    }
    if (other.empty()) return nullptr;
    index = internal::OpenIndex(lake_, other);
  }
  if (index) open_[name] = index;
  return index;
}

void LakeCatalog::Initialize(bool) {
  duckdb::CreateSchemaInfo info;
  info.schema = DEFAULT_SCHEMA;
  info.internal = true;
  schema_ = duckdb::make_uniq<LakeSchema>(*this, info);
}

duckdb::DatabaseSize LakeCatalog::GetDatabaseSize(duckdb::ClientContext&) { return {}; }

duckdb::optional_ptr<duckdb::SchemaCatalogEntry> LakeCatalog::LookupSchema(
    duckdb::CatalogTransaction, const duckdb::EntryLookupInfo& lookup,
    duckdb::OnEntryNotFound if_not_found) {
  if (duckdb::StringUtil::CIEquals(lookup.GetEntryName(), DEFAULT_SCHEMA)) return schema_.get();
  if (if_not_found == duckdb::OnEntryNotFound::RETURN_NULL) return nullptr;
  throw duckdb::BinderException("a lake has the schema \"main\" alone, not \"%s\"",
                                lookup.GetEntryName());
}

void LakeCatalog::ScanSchemas(duckdb::ClientContext&,
                              std::function<void(duckdb::SchemaCatalogEntry&)> callback) {
  callback(*schema_);
}

duckdb::optional_ptr<duckdb::CatalogEntry> LakeCatalog::CreateSchema(duckdb::CatalogTransaction,
                                                                     duckdb::CreateSchemaInfo&) {
  RefuseWrite();
}
duckdb::PhysicalOperator& LakeCatalog::PlanCreateTableAs(duckdb::ClientContext&,
                                                         duckdb::PhysicalPlanGenerator&,
                                                         duckdb::LogicalCreateTable&,
                                                         duckdb::PhysicalOperator&) {
  RefuseWrite();
}
duckdb::PhysicalOperator& LakeCatalog::PlanInsert(duckdb::ClientContext&,
                                                  duckdb::PhysicalPlanGenerator&,
                                                  duckdb::LogicalInsert&,
                                                  duckdb::optional_ptr<duckdb::PhysicalOperator>) {
  RefuseWrite();
}
duckdb::PhysicalOperator& LakeCatalog::PlanDelete(duckdb::ClientContext&,
                                                  duckdb::PhysicalPlanGenerator&,
                                                  duckdb::LogicalDelete&,
                                                  duckdb::PhysicalOperator&) {
  RefuseWrite();
}
duckdb::PhysicalOperator& LakeCatalog::PlanUpdate(duckdb::ClientContext&,
                                                  duckdb::PhysicalPlanGenerator&,
                                                  duckdb::LogicalUpdate&,
                                                  duckdb::PhysicalOperator&) {
  RefuseWrite();
}
void LakeCatalog::DropSchema(duckdb::ClientContext&, duckdb::DropInfo&) { RefuseWrite(); }

}  // namespace ariadne::sql
