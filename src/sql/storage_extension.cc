#include "sql/storage_extension.h"

#include <utility>

#include "ariadne/errors.h"
#include "duckdb/main/config.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "duckdb/parser/parsed_data/attach_info.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/storage/storage_extension.hpp"
#include "engine/spark_sql_function.h"
#include "query/index_state.h"
#include "scan/scan_function.h"
#include "sql/lake_catalog.h"
#include "sql/lake_scan.h"
#include "sql/pruning_log.h"
#include "sql/pruning_log_function.h"

namespace ariadne::sql {

namespace {

struct LakeStorageInfo : duckdb::StorageExtensionInfo {
  std::shared_ptr<internal::LakeImpl> lake;
  std::shared_ptr<PruningLog> log;
  std::shared_ptr<scan::FileSets> sets;
};

Options AttachedOptions(const duckdb::unordered_map<std::string, duckdb::Value>& given) {
  Options options;
  for (const auto& [name, value] : given) {
    if (name == "unindexed") {
      const std::string choice = value.ToString();
      if (choice == "include") {
        options.unindexed = Unindexed::kInclude;
      } else if (choice == "exclude") {
        options.unindexed = Unindexed::kExclude;
      } else if (choice == "error") {
        options.unindexed = Unindexed::kError;
      } else {
        throw duckdb::BinderException("unindexed '%s' is none of: include, exclude, error", choice);
      }
    } else if (name == "path_map") {
      const std::string text = value.ToString();
      const size_t equals = text.find('=');
      if (equals == std::string::npos) {
        throw duckdb::BinderException("path_map needs FROM=TO, got '%s'", text);
      }
      options.path_map.push_back({text.substr(0, equals), text.substr(equals + 1)});
    } else {
      throw duckdb::BinderException(
          "ATTACH of a lake has no option '%s'; there are unindexed and path_map", name);
    }
  }
  return options;
}

duckdb::unique_ptr<duckdb::Catalog> Attach(
    duckdb::optional_ptr<duckdb::StorageExtensionInfo> storage_info, duckdb::ClientContext&,
    duckdb::AttachedDatabase& database, const std::string&, duckdb::AttachInfo& info,
    duckdb::AttachOptions& attach) {
  const auto& known = static_cast<const LakeStorageInfo&>(*storage_info);
  const Options options = AttachedOptions(attach.options);
  try {
    auto lake = known.lake;
    if (!lake || lake->root_url != info.path || !attach.options.empty()) {
      lake = std::make_shared<internal::LakeImpl>(info.path, options);
      if (lake->root.store->ListNames(lake->root.path).empty()) {
        throw FileNotFound("there is no lake at '" + lake->root_url +
                           "': name the root of one, or make it by 'ariadne create'");
      }
    }
    return duckdb::make_uniq<LakeCatalog>(database, std::move(lake), known.log, known.sets);
  } catch (const Error& error) {
    throw duckdb::BinderException("%s", std::string(error.what()));
  }
}

duckdb::unique_ptr<duckdb::TransactionManager> MakeTransactionManager(
    duckdb::optional_ptr<duckdb::StorageExtensionInfo>, duckdb::AttachedDatabase& database,
    duckdb::Catalog&) {
  return duckdb::make_uniq<LakeTransactionManager>(database);
}

template <typename Visit>
void VisitScans(duckdb::LogicalOperator& plan, const Visit& visit) {
  if (plan.type == duckdb::LogicalOperatorType::LOGICAL_GET) {
    visit(plan.Cast<duckdb::LogicalGet>());
  }
  for (auto& child : plan.children) VisitScans(*child, visit);
}

void LogIfExplained(duckdb::LogicalOperator& plan, bool planned) {
  if (plan.type != duckdb::LogicalOperatorType::LOGICAL_EXPLAIN) return;
  VisitScans(plan, [planned](const duckdb::LogicalGet& get) {
    LogExplained(get, planned);
    const auto* set = scan::SetOf(get);
    if (set && set->on_explain) set->on_explain(planned);
  });
}

// Before the optimizer takes away columns that nobody wants, and scans of which no row can match.
void BeforeOptimizer(duckdb::OptimizerExtensionInput&,
                     duckdb::unique_ptr<duckdb::LogicalOperator>& plan) {
  VisitScans(*plan, NoteNamedColumns);
  LogIfExplained(*plan, /*planned=*/false);
}

void AfterOptimizer(duckdb::OptimizerExtensionInput&,
                    duckdb::unique_ptr<duckdb::LogicalOperator>& plan) {
  LogIfExplained(*plan, /*planned=*/true);
}

}  // namespace

void RegisterStorageExtension(duckdb::DatabaseInstance& database,
                              std::shared_ptr<internal::LakeImpl> lake,
                              std::shared_ptr<PruningLog> log,
                              std::shared_ptr<scan::FileSets> sets) {
  auto info = duckdb::make_shared_ptr<LakeStorageInfo>();
  info->lake = std::move(lake);
  info->log = log;
  info->sets = std::move(sets);
  auto extension = duckdb::make_shared_ptr<duckdb::StorageExtension>();
  extension->attach = Attach;
  extension->create_transaction_manager = MakeTransactionManager;
  extension->storage_info = std::move(info);
  duckdb::StorageExtension::Register(duckdb::DBConfig::GetConfig(database), "ariadne",
                                     std::move(extension));
  duckdb::OptimizerExtension optimizer;
  optimizer.pre_optimize_function = BeforeOptimizer;
  optimizer.optimize_function = AfterOptimizer;
  duckdb::OptimizerExtension::Register(duckdb::DBConfig::GetConfig(database), std::move(optimizer));
  engine::RegisterSparkExpression(database);
  RegisterLakeScan(database);
  RegisterPruningLogFunction(database, std::move(log));
}

}  // namespace ariadne::sql
