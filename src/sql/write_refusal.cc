#include "sql/write_refusal.h"

#include <string>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry.hpp"
#include "duckdb/catalog/entry_lookup_info.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/main/database_manager.hpp"
#include "duckdb/parser/parsed_data/create_index_info.hpp"
#include "duckdb/parser/parsed_data/create_info.hpp"
#include "duckdb/parser/statement/create_statement.hpp"
#include "duckdb/parser/statement/delete_statement.hpp"
#include "duckdb/parser/statement/explain_statement.hpp"
#include "duckdb/parser/statement/insert_statement.hpp"
#include "duckdb/parser/statement/merge_into_statement.hpp"
#include "duckdb/parser/statement/prepare_statement.hpp"
#include "duckdb/parser/statement/update_statement.hpp"
#include "duckdb/parser/tableref/basetableref.hpp"
#include "duckdb/planner/binder.hpp"
#include "sql/lake_catalog.h"

namespace ariadne::sql {

namespace {

using duckdb::CatalogType;
using duckdb::StatementType;

/// What a statement changes, by the names that it uses.
struct Target {
  std::string catalog;
  std::string schema;
  std::string table;  ///< Empty: something new in the schema.
  bool known = false;
};

Target TargetOf(const duckdb::TableRef& table) {
  if (table.type != duckdb::TableReferenceType::BASE_TABLE) return {};
  const auto& base = table.Cast<duckdb::BaseTableRef>();
  return {base.catalog_name, base.schema_name, base.table_name, true};
}

Target TargetOf(const duckdb::CreateInfo& info) {
  if (info.temporary) return {};
  switch (info.type) {
    case CatalogType::INDEX_ENTRY:
      return {info.catalog, info.schema, info.Cast<duckdb::CreateIndexInfo>().table, true};
    case CatalogType::TABLE_ENTRY:
    case CatalogType::VIEW_ENTRY:
    case CatalogType::SCHEMA_ENTRY:
    case CatalogType::SEQUENCE_ENTRY:
    case CatalogType::TYPE_ENTRY:
    case CatalogType::MACRO_ENTRY:
    case CatalogType::TABLE_MACRO_ENTRY:
      return {info.catalog, info.type == CatalogType::SCHEMA_ENTRY ? "" : info.schema, "", true};
    default:
      return {};
  }
}

Target TargetOf(const duckdb::SQLStatement& statement) {
  switch (statement.type) {
    case StatementType::INSERT_STATEMENT: {
      const auto& insert = statement.Cast<duckdb::InsertStatement>();
      return {insert.catalog, insert.schema, insert.table, true};
    }
    case StatementType::UPDATE_STATEMENT:
      return TargetOf(*statement.Cast<duckdb::UpdateStatement>().table);
    case StatementType::DELETE_STATEMENT:
      return TargetOf(*statement.Cast<duckdb::DeleteStatement>().table);
    case StatementType::MERGE_INTO_STATEMENT:
      return TargetOf(*statement.Cast<duckdb::MergeIntoStatement>().target);
    case StatementType::CREATE_STATEMENT:
      return TargetOf(*statement.Cast<duckdb::CreateStatement>().info);
    case StatementType::EXPLAIN_STATEMENT:
      return TargetOf(*statement.Cast<duckdb::ExplainStatement>().stmt);
    case StatementType::PREPARE_STATEMENT:
      return TargetOf(*statement.Cast<duckdb::PrepareStatement>().statement);
    default:
      return {};
  }
}

bool IsInLake(duckdb::ClientContext& context, Target target) {
  duckdb::Binder::BindSchemaOrCatalog(context, target.catalog, target.schema);
  duckdb::optional_ptr<duckdb::Catalog> catalog;
  if (!target.table.empty()) {
    const duckdb::EntryLookupInfo lookup(CatalogType::TABLE_ENTRY, target.table);
    auto entry = duckdb::Catalog::GetEntry(context, target.catalog, target.schema, lookup,
                                           duckdb::OnEntryNotFound::RETURN_NULL);
    if (entry) catalog = &entry->ParentCatalog();
  } else {
    catalog = duckdb::Catalog::GetCatalogEntry(
        context, target.catalog.empty() ? duckdb::DatabaseManager::GetDefaultDatabase(context)
                                        : target.catalog);
  }
  return catalog && catalog->GetCatalogType() == kLakeCatalogType;
}

}  // namespace

void RefuseWritesToLakes(duckdb::Connection& connection, const duckdb::SQLStatement& statement) {
  const Target target = TargetOf(statement);
  if (!target.known) return;
  bool in_lake = false;
  connection.context->RunFunctionInTransaction(
      [&] { in_lake = IsInLake(*connection.context, target); });
  if (in_lake) RefuseWrite();
}

}  // namespace ariadne::sql
