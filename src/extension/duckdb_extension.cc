// The loadable extension: ATTACH … (TYPE ariadne) for a DuckDB of the version that the build is
// for, as its command line and its Python package are. It runs on a copy of DuckDB's code of its
// own, as every extension does, over the objects of the host.

#include <memory>

#include "duckdb/main/config.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "scan/file_sets.h"
#include "scan/scan_function.h"
#include "scan/storage_file_system.h"
#include "scan/text_scan.h"
#include "sql/pruning_log.h"
#include "sql/storage_extension.h"
#include "storage/object_store.h"

namespace {

void Load(duckdb::DatabaseInstance& database) {
  const auto stores = std::make_shared<ariadne::storage::Stores>();
  const auto sets = std::make_shared<ariadne::scan::FileSets>();
  ariadne::scan::MountStorage(database, stores, ariadne::scan::UrlsRead::kOfNoExtension);
  ariadne::scan::RegisterScanFunction(database, sets, nullptr);
  ariadne::scan::RegisterTextScanFunction(database, sets, stores);
  ariadne::sql::RegisterStorageExtension(database, nullptr,
                                         std::make_shared<ariadne::sql::PruningLog>(), sets);
  // Keys of a join reach the indexes as a list up to this many rows, past it as a range.
  duckdb::DBConfig::GetConfig(database).SetOptionByName("dynamic_or_filter_threshold",
                                                        duckdb::Value::UBIGINT(10000));
}

}  // namespace

extern "C" {

DUCKDB_CPP_EXTENSION_ENTRY(ariadne, loader) { Load(loader.GetDatabaseInstance()); }
}
