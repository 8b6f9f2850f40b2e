#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "delta_log.h"
#include "kinds_lake.h"
#include "test_lake.h"

namespace ariadne::testing {

/// A lake of small files with one index of every kind, some of whose files are large, on a file
/// system in memory: what syncs cost there is nothing, and what they promise is simulated anyway.
/// Knows what each file holds, and so what any reader may be told.
class CrashLake {
 public:
  CrashLake();
  ~CrashLake();
  CrashLake(const CrashLake&) = delete;
  CrashLake& operator=(const CrashLake&) = delete;

  /// The options of every run over these lakes: batches of one file, consolidated by threes.
  static Options SmallSteps();
  /// The index of a lake in this folder.
  static Index Open(const std::filesystem::path& folder);
  static std::string DataFolder(const std::filesystem::path& folder);
  /// Path of the data file of a number, a name that needs escaping.
  static std::string DataFile(const std::filesystem::path& folder, int number);

  [[nodiscard]] Index Open() const { return Open(path()); }
  [[nodiscard]] std::filesystem::path path() const { return lake_->path(); }
  TestLake& lake() { return *lake_; }
  std::mt19937& random() { return random_; }

  /// Declares the columns that an index has from the beginning, or all.
  void Declare(bool all);
  /// Writes a data file; `track` adds it to the file list. `many`: enough distinct values to be
  /// large in most columns. An existing one is replaced: from then on only what both versions hold
  /// is expected of it, until Settle.
  void Write(int number, bool many, bool track = true);
  /// The file is gone; nothing more is expected of it.
  void Remove(int number);
  void Settle();
  /// Makes the lake a Delta table whose next version has these files, by number, without the rows
  /// at these places. Readers may be told of the version before until the index is in step.
  void Commit(const std::map<int, std::vector<int64_t>>& files);

  /// Keeps the storage root as it is now, and brings it back.
  void Keep();
  void Restore();

  /// Asks for values of each column, with and without the files that are not indexed, and checks
  /// that no file which holds one is left out; `values` of each column, 0: all of them.
  void CheckReader(size_t values);
  /// Where the lake is a Delta table: reads all rows of the tracked files and checks that each file
  /// gives those of the table's newest version or, unless the index is `in_step`, of the one
  /// before.
  void CheckRows(bool in_step);

  /// What an undisturbed run and one that goes on after a crash must have in common.
  struct End {
    std::vector<std::string> main, large, tracked;
    std::string metadata;
    friend bool operator==(const End&, const End&) = default;
  };
  [[nodiscard]] End Ended() const;
  /// Vacuums, then checks that nothing is left below the root that no table, no declaration and no
  /// lock owns.
  void CheckLeftovers();

 private:
  struct Expected;

  std::filesystem::path folder_;
  std::unique_ptr<TestLake> lake_;
  std::mt19937 random_{17};
  std::vector<IndexedColumn> columns_;
  std::map<std::string, std::shared_ptr<arrow::Table>> files_;  ///< By URI.
  std::set<std::string> unsettled_;  ///< Changed since the index saw them.
  std::set<std::string> gone_;       ///< Of those, the ones that were removed.
  std::shared_ptr<const Expected> expected_;
  std::unique_ptr<DeltaLog> log_;
  DeltaLog::Files table_;   ///< The newest version.
  DeltaLog::Files before_;  ///< The one before it.
};

}  // namespace ariadne::testing
