#include "engine/embedded_database.h"

#include <unistd.h>

#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "ariadne/errors.h"
#include "duckdb/main/client_config.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/query_result.hpp"
#include "engine/engine_error.h"
#include "scan/scan_function.h"
#include "scan/storage_file_system.h"
#include "scan/text_scan.h"

namespace ariadne::engine {

namespace {

// Quarter of the machine's memory, in bytes.
int64_t DefaultMemory() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE) / 4;
}

struct Configuration {
  Configuration(const SessionOptions& options, const std::string& spill) {
    const int64_t memory = options.memory_bytes > 0 ? options.memory_bytes : DefaultMemory();
    const int threads = options.threads > 0
                            ? options.threads
                            : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    config.SetOptionByName("memory_limit", duckdb::Value(std::to_string(memory) + "B"));
    config.SetOptionByName("threads", duckdb::Value::BIGINT(threads));
    config.SetOptionByName("temp_directory", duckdb::Value(spill));
    // Results are sets of rows unless the SQL orders them; keeping order would buffer them.
    config.SetOptionByName("preserve_insertion_order", duckdb::Value::BOOLEAN(false));
    // Nothing is fetched behind the user's back.
    config.SetOptionByName("autoinstall_known_extensions", duckdb::Value::BOOLEAN(false));
    config.SetOptionByName("autoload_known_extensions", duckdb::Value::BOOLEAN(false));
    // Contents cached under a name would outlive a file that is overwritten in place.
    config.SetOptionByName("enable_external_file_cache", duckdb::Value::BOOLEAN(false));
  }
  duckdb::DBConfig config;
};

std::shared_ptr<const scan::RowGroupIndexing> OverStores(
    const std::shared_ptr<const scan::RowGroupIndexing>& given,
    const std::shared_ptr<storage::Stores>& stores) {
  if (!given) return nullptr;
  auto indexing = std::make_shared<scan::RowGroupIndexing>(*given);
  indexing->stores = stores;
  return indexing;
}

}  // namespace

SpillFolder::SpillFolder(const std::string& parent) {
  std::error_code error;
  const std::filesystem::path base =
      parent.empty() ? std::filesystem::temp_directory_path(error) : std::filesystem::path(parent);
  if (!error) std::filesystem::create_directories(base, error);
  std::string pattern = (base / "ariadne-spill-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr) {
    throw StorageError("No folder for spilled data could be made in " +
                       (base.empty() ? "the folder that TMPDIR names" : "'" + base.string() + "'") +
                       ": name one that can be written");
  }
  path_ = pattern;
}

SpillFolder::~SpillFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

EmbeddedDatabase::EmbeddedDatabase(const SessionOptions& options,
                                   std::shared_ptr<storage::Stores> opened)
    : stores(std::move(opened)),
      sets(std::make_shared<scan::FileSets>(OverStores(options.row_groups, stores))),
      spill(options.spill_folder),
      database(nullptr, &std::make_unique<Configuration>(options, spill.path().string())->config) {
  scan::MountStorage(*database.instance, stores);
  scan::RegisterScanFunction(*database.instance, sets, OverStores(options.row_groups, stores));
  scan::RegisterTextScanFunction(*database.instance, sets, stores);
  // Keys of a join reach the scan as a list up to this many rows, past it as a range.
  Execute(*this, "SET GLOBAL dynamic_or_filter_threshold = 1000");
  Execute(*this, "SET GLOBAL TimeZone = 'UTC'");
  // At 1.5.6 it fails on a BETWEEN below a QUALIFY that the scan does not take.
  Execute(*this, "SET GLOBAL disabled_optimizers = 'top_n_window_elimination'");
}

std::unique_ptr<duckdb::Connection> Connect(EmbeddedDatabase& database) {
  return std::make_unique<duckdb::Connection>(database.database);
}

void Execute(EmbeddedDatabase& database, const std::string& sql) {
  auto connection = Connect(database);
  auto result = connection->Query(sql);
  if (result->HasError()) ThrowEngineError(result->GetErrorObject());
}

}  // namespace ariadne::engine
