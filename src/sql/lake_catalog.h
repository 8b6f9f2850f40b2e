#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/schema_catalog_entry.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/transaction/transaction.hpp"
#include "duckdb/transaction/transaction_manager.hpp"
#include "query/index_state.h"
#include "scan/file_sets.h"
#include "sql/lake_table.h"
#include "sql/pruning_log.h"

namespace ariadne::sql {

constexpr char kLakeCatalogType[] = "ariadne";

class LakeCatalog;

/// A table of the lake within one transaction, which sees one state of it.
class LakeTableEntry : public duckdb::TableCatalogEntry {
 public:
  LakeTableEntry(duckdb::Catalog& catalog, duckdb::SchemaCatalogEntry& schema,
                 duckdb::CreateTableInfo& info, std::shared_ptr<const LakeTable> table,
                 LakeCatalog& lake);

  duckdb::unique_ptr<duckdb::BaseStatistics> GetStatistics(duckdb::ClientContext& context,
                                                           duckdb::column_t column) override;
  duckdb::TableFunction GetScanFunction(
      duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) override;
  duckdb::TableStorageInfo GetStorageInfo(duckdb::ClientContext& context) override;
  duckdb::virtual_column_map_t GetVirtualColumns() const override;
  /// None: rows are not changed by SQL.
  duckdb::vector<duckdb::column_t> GetRowIdColumns() const override { return {}; }

 private:
  std::shared_ptr<const LakeTable> table_;
  LakeCatalog& lake_;
};

/// The tables that a transaction has named.
class LakeTransaction : public duckdb::Transaction {
 public:
  using duckdb::Transaction::Transaction;

  /// nullptr: no index of that name, whose case does not matter where that leaves one. Throws the
  /// engine's errors.
  duckdb::optional_ptr<LakeTableEntry> Table(duckdb::SchemaCatalogEntry& schema,
                                             const std::string& name);

 private:
  std::mutex mutex_;
  std::map<std::string, duckdb::unique_ptr<LakeTableEntry>> tables_;
};

class LakeTransactionManager : public duckdb::TransactionManager {
 public:
  using duckdb::TransactionManager::TransactionManager;

  duckdb::Transaction& StartTransaction(duckdb::ClientContext& context) override;
  duckdb::ErrorData CommitTransaction(duckdb::ClientContext& context,
                                      duckdb::Transaction& transaction) override;
  void RollbackTransaction(duckdb::Transaction& transaction) override;
  void Checkpoint(duckdb::ClientContext& context, bool force) override;

 private:
  std::mutex mutex_;
  std::map<duckdb::Transaction*, duckdb::unique_ptr<LakeTransaction>> transactions_;
};

/// A lake attached to a database: one schema, whose tables are the indexes. Read-only.
class LakeCatalog : public duckdb::Catalog {
 public:
  LakeCatalog(duckdb::AttachedDatabase& database, std::shared_ptr<internal::LakeImpl> lake,
              std::shared_ptr<PruningLog> log, std::shared_ptr<scan::FileSets> sets);
  ~LakeCatalog() override;

  [[nodiscard]] const std::shared_ptr<internal::LakeImpl>& lake() const { return lake_; }
  [[nodiscard]] const std::shared_ptr<PruningLog>& log() const { return log_; }
  /// Where the database finds files by name.
  [[nodiscard]] const std::shared_ptr<scan::FileSets>& sets() const { return sets_; }
  /// The handle of an index, kept so that the next transaction reads only what was committed since;
  /// nullptr where there is none.
  std::shared_ptr<const internal::IndexImpl> Open(const std::string& name);

  void Initialize(bool load_builtin) override;
  std::string GetCatalogType() override { return kLakeCatalogType; }
  bool InMemory() override { return false; }
  std::string GetDBPath() override { return lake_->root_url; }
  duckdb::DatabaseSize GetDatabaseSize(duckdb::ClientContext& context) override;
  duckdb::optional_ptr<duckdb::SchemaCatalogEntry> LookupSchema(
      duckdb::CatalogTransaction transaction, const duckdb::EntryLookupInfo& lookup,
      duckdb::OnEntryNotFound if_not_found) override;
  void ScanSchemas(duckdb::ClientContext& context,
                   std::function<void(duckdb::SchemaCatalogEntry&)> callback) override;
  duckdb::optional_ptr<duckdb::CatalogEntry> CreateSchema(duckdb::CatalogTransaction transaction,
                                                          duckdb::CreateSchemaInfo& info) override;
  duckdb::PhysicalOperator& PlanCreateTableAs(duckdb::ClientContext& context,
                                              duckdb::PhysicalPlanGenerator& planner,
                                              duckdb::LogicalCreateTable& op,
                                              duckdb::PhysicalOperator& plan) override;
  duckdb::PhysicalOperator& PlanInsert(
      duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner,
      duckdb::LogicalInsert& op, duckdb::optional_ptr<duckdb::PhysicalOperator> plan) override;
  duckdb::PhysicalOperator& PlanDelete(duckdb::ClientContext& context,
                                       duckdb::PhysicalPlanGenerator& planner,
                                       duckdb::LogicalDelete& op,
                                       duckdb::PhysicalOperator& plan) override;
  duckdb::PhysicalOperator& PlanUpdate(duckdb::ClientContext& context,
                                       duckdb::PhysicalPlanGenerator& planner,
                                       duckdb::LogicalUpdate& op,
                                       duckdb::PhysicalOperator& plan) override;

 private:
  void DropSchema(duckdb::ClientContext& context, duckdb::DropInfo& info) override;

  std::shared_ptr<internal::LakeImpl> lake_;
  std::shared_ptr<PruningLog> log_;
  std::shared_ptr<scan::FileSets> sets_;
  duckdb::unique_ptr<duckdb::SchemaCatalogEntry> schema_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const internal::IndexImpl>> open_;
};

/// Throws that a lake cannot be written by SQL, with what can be done instead.
[[noreturn]] void RefuseWrite();

}  // namespace ariadne::sql
