#include "sql/storage_extension.h"

#include <utility>

#include "ariadne/errors.h"
#include "duckdb/main/config.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/parser/parsed_data/attach_info.hpp"
#include "duckdb/storage/storage_extension.hpp"
#include "query/index_state.h"
#include "sql/lake_catalog.h"
#include "sql/pruning_log.h"
#include "sql/pruning_log_function.h"

namespace ariadne::sql {

namespace {

struct LakeStorageInfo : duckdb::StorageExtensionInfo {
  std::shared_ptr<internal::LakeImpl> lake;
  std::shared_ptr<PruningLog> log;
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
    }
    return duckdb::make_uniq<LakeCatalog>(database, std::move(lake), known.log);
  } catch (const Error& error) {
    throw duckdb::BinderException("%s", std::string(error.what()));
  }
}

duckdb::unique_ptr<duckdb::TransactionManager> MakeTransactionManager(
    duckdb::optional_ptr<duckdb::StorageExtensionInfo>, duckdb::AttachedDatabase& database,
    duckdb::Catalog&) {
  return duckdb::make_uniq<LakeTransactionManager>(database);
}

}  // namespace

void RegisterStorageExtension(duckdb::DatabaseInstance& database,
                              std::shared_ptr<internal::LakeImpl> lake,
                              std::shared_ptr<PruningLog> log) {
  auto info = duckdb::make_shared_ptr<LakeStorageInfo>();
  info->lake = std::move(lake);
  info->log = log;
  auto extension = duckdb::make_shared_ptr<duckdb::StorageExtension>();
  extension->attach = Attach;
  extension->create_transaction_manager = MakeTransactionManager;
  extension->storage_info = std::move(info);
  duckdb::StorageExtension::Register(duckdb::DBConfig::GetConfig(database), "ariadne",
                                     std::move(extension));
  RegisterPruningLogFunction(database, std::move(log));
}

}  // namespace ariadne::sql
