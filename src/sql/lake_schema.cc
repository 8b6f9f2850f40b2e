#include "sql/lake_schema.h"

#include "ariadne/errors.h"
#include "duckdb/catalog/entry_lookup_info.hpp"
#include "duckdb/parser/parsed_data/create_schema_info.hpp"
#include "query/index_warning.h"
#include "sql/lake_catalog.h"

namespace ariadne::sql {

using duckdb::CatalogEntry;
using duckdb::CatalogTransaction;
using duckdb::CatalogType;
using duckdb::optional_ptr;

LakeSchema::LakeSchema(LakeCatalog& catalog, duckdb::CreateSchemaInfo& info)
    : SchemaCatalogEntry(catalog, info), lake_(catalog) {}

void LakeSchema::Scan(duckdb::ClientContext& context, CatalogType type,
                      const std::function<void(CatalogEntry&)>& callback) {
  if (type != CatalogType::TABLE_ENTRY) return;
  auto& transaction = duckdb::Transaction::Get(context, lake_).Cast<LakeTransaction>();
  for (const std::string& name : internal::IndexNames(*lake_.lake())) {
    try {
      if (auto table = transaction.Table(*this, name)) callback(*table);
    } catch (const std::exception& error) {
      // One damaged index must not hide the others.
      query::WarnOnce("table " + name + " is left out: " + duckdb::ErrorData(error).RawMessage());
    }
  }
}

void LakeSchema::Scan(CatalogType, const std::function<void(CatalogEntry&)>&) {
  // Asked where there is no transaction, as when the database is checkpointed: nothing is kept.
}

optional_ptr<CatalogEntry> LakeSchema::LookupEntry(CatalogTransaction transaction,
                                                   const duckdb::EntryLookupInfo& lookup) {
  if (lookup.GetCatalogType() != CatalogType::TABLE_ENTRY || !transaction.HasContext()) {
    return nullptr;
  }
  auto& own = duckdb::Transaction::Get(transaction.GetContext(), lake_).Cast<LakeTransaction>();
  return own.Table(*this, lookup.GetEntryName()).get();
}

optional_ptr<CatalogEntry> LakeSchema::CreateIndex(CatalogTransaction, duckdb::CreateIndexInfo&,
                                                   duckdb::TableCatalogEntry&) {
  RefuseWrite();
}
optional_ptr<CatalogEntry> LakeSchema::CreateFunction(CatalogTransaction,
                                                      duckdb::CreateFunctionInfo&) {
  RefuseWrite();
}
optional_ptr<CatalogEntry> LakeSchema::CreateTable(CatalogTransaction,
                                                   duckdb::BoundCreateTableInfo&) {
  RefuseWrite();
}
optional_ptr<CatalogEntry> LakeSchema::CreateView(CatalogTransaction, duckdb::CreateViewInfo&) {
  RefuseWrite();
}
optional_ptr<CatalogEntry> LakeSchema::CreateSequence(CatalogTransaction,
                                                      duckdb::CreateSequenceInfo&) {
  RefuseWrite();
}
optional_ptr<CatalogEntry> LakeSchema::CreateTableFunction(CatalogTransaction,
                                                           duckdb::CreateTableFunctionInfo&) {
  RefuseWrite();
}
optional_ptr<CatalogEntry> LakeSchema::CreateCopyFunction(CatalogTransaction,
                                                          duckdb::CreateCopyFunctionInfo&) {
  RefuseWrite();
}
optional_ptr<CatalogEntry> LakeSchema::CreatePragmaFunction(CatalogTransaction,
                                                            duckdb::CreatePragmaFunctionInfo&) {
  RefuseWrite();
}
optional_ptr<CatalogEntry> LakeSchema::CreateCollation(CatalogTransaction,
                                                       duckdb::CreateCollationInfo&) {
  RefuseWrite();
}
optional_ptr<CatalogEntry> LakeSchema::CreateType(CatalogTransaction, duckdb::CreateTypeInfo&) {
  RefuseWrite();
}
void LakeSchema::DropEntry(duckdb::ClientContext&, duckdb::DropInfo&) { RefuseWrite(); }
void LakeSchema::Alter(CatalogTransaction, duckdb::AlterInfo&) { RefuseWrite(); }

}  // namespace ariadne::sql
