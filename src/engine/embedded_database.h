#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <filesystem>
#include <memory>
#include <string>

#include "duckdb/main/connection.hpp"
#include "duckdb/main/database.hpp"
#include "engine/session.h"
#include "scan/file_sets.h"

namespace ariadne::engine {

/// A folder of our own for what a query spills, removed with everything in it when destroyed: two
/// databases must not share one.
class SpillFolder {
 public:
  /// Throws StorageError. `parent` empty: the system's temporary folder.
  explicit SpillFolder(const std::string& parent);
  ~SpillFolder();
  SpillFolder(const SpillFolder&) = delete;
  SpillFolder& operator=(const SpillFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What a session and the streams it gave out share: the last of them closes the database.
struct EmbeddedDatabase {
  EmbeddedDatabase(const SessionOptions& options, std::shared_ptr<storage::Stores> opened);

  std::shared_ptr<storage::Stores> stores;
  std::shared_ptr<scan::FileSets> sets;
  SpillFolder spill;
  duckdb::DuckDB database;
};

/// One a statement that may run for long: a connection runs one at a time.
std::unique_ptr<duckdb::Connection> Connect(EmbeddedDatabase& database);

/// Runs a statement whose result does not matter. Throws QueryError.
void Execute(EmbeddedDatabase& database, const std::string& sql);

}  // namespace ariadne::engine
