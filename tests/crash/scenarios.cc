#include "scenarios.h"

#include <filesystem>
#include <stdexcept>

#include <ariadne_delta.h>

#include "ariadne/errors.h"
#include "legacy_layout.h"

namespace ariadne::testing {

namespace {

namespace fs = std::filesystem;

void Update(Index* index, const fs::path&) { index->Update(); }

/// Three small files that are indexed in the first columns, one update each.
void Begin(CrashLake* lake) {
  lake->Declare(false);
  for (int i = 0; i < 3; ++i) {
    lake->Write(i, false);
    lake->lake().Update();
  }
}

/// Five files in all columns, two of them large.
void BeginWhole(CrashLake* lake) {
  lake->Declare(true);
  for (int i = 0; i < 5; ++i) {
    lake->Write(i, i % 2 == 1);
    lake->lake().Update();
  }
}

/// Staged batches that were not merged: an update that fails in its consolidation.
void LeaveStaging(CrashLake* lake) {
  Begin(lake);
  for (int i = 3; i < 6; ++i) lake->Write(i, i == 4);
  lake->Keep();
  ar_store_set_fault(1, INT64_MAX);
  lake->lake().Update();
  for (int64_t nth = ar_store_fault_changes(); nth > 0; --nth) {
    lake->Restore();
    ar_store_set_fault(1, nth);
    try {
      lake->lake().Update();
    } catch (const Error&) {
      // What was asked for.
    }
    ar_store_set_fault(0, 0);
    try {
      const auto staging = storage::DeltaTable::Open(lake->lake().layout().staging());
      if (staging != nullptr && staging->files().size() >= 2) return;
    } catch (const InvalidDeltaTable&) {
      // Half removed.
    }
  }
  throw std::runtime_error("no fault leaves two batches in staging");
}

/// A Delta table with deleted rows in step with its index, some columns of which are not declared
/// yet.
void BeginDelta(CrashLake* lake) {
  lake->Declare(false);
  for (int i = 0; i < 5; ++i) lake->Write(i, i % 2 == 1, /*track=*/false);
  lake->Commit({{0, {1, 2, 7}}, {1, {0, 59}}, {2, {}}, {3, {}}, {4, {3}}});
  lake->Open().Sync({.lake = CrashLake::DataFolder(lake->path())});
  lake->Commit({{0, {1, 2, 7}}, {1, {0, 59}}, {2, {}}, {3, {}}, {4, {3}}});
}

}  // namespace

const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> scenarios = {
      {.name = "add",
       .prepare = Begin,
       .run =
           [](Index* index, const fs::path& folder) {
             // Tracked twice under two spellings, it is there once.
             index->AddFiles({CrashLake::DataFile(folder, 0), CrashLake::DataFile(folder, 1)});
             index->AddFiles({CrashLake::DataFolder(folder)});
           }},
      {.name = "update",
       .prepare =
           [](CrashLake* lake) {
             Begin(lake);
             for (int i = 3; i < 8; ++i) lake->Write(i, i % 3 == 0);
           },
       .run = Update},
      {.name = "backfill",
       .prepare =
           [](CrashLake* lake) {
             Begin(lake);
             lake->Write(3, true);
             lake->lake().Update();
             lake->Declare(true);
             lake->Write(4, true);
           },
       .run = Update},
      {.name = "consolidate", .prepare = LeaveStaging, .run = Update},
      {.name = "compact",
       .prepare = BeginWhole,
       .run = [](Index* index, const fs::path&) { index->Compact(); },
       .compacts = true},
      {.name = "delete",
       .prepare = BeginWhole,
       .run =
           [](Index* index, const fs::path& folder) {
             index->Delete({CrashLake::DataFile(folder, 0), CrashLake::DataFile(folder, 3)});
           }},
      {.name = "vacuum",
       .prepare =
           [](CrashLake* lake) {
             BeginWhole(lake);
             lake->Open().Compact();
           },
       .run = [](Index* index,
                 const fs::path&) { index->Vacuum({.retention_hours = 0, .force = true}); }},
      {.name = "sync",
       .prepare =
           [](CrashLake* lake) {
             BeginWhole(lake);
             lake->Remove(1);
             lake->Write(2, true, /*track=*/false);
             lake->Write(5, true, /*track=*/false);
           },
       .run = [](Index* index,
                 const fs::path& folder) { index->Sync({.lake = CrashLake::DataFolder(folder)}); }},
      {.name = "migrate",
       .prepare =
           [](CrashLake* lake) {
             BeginWhole(lake);
             MakeLegacy(&lake->lake(), 1);
           },
       .run = Update},
      {.name = "delta_update",
       .prepare =
           [](CrashLake* lake) {
             BeginDelta(lake);
             lake->Declare(true);
           },
       .run = Update},
      {.name = "delta_delete",
       .prepare = BeginDelta,
       .run =
           [](Index* index, const fs::path& folder) {
             index->Delete({CrashLake::DataFile(folder, 0), CrashLake::DataFile(folder, 3)});
           }},
      {.name = "delta_sync",
       .prepare =
           [](CrashLake* lake) {
             BeginDelta(lake);
             lake->Write(5, true, /*track=*/false);
             lake->Write(6, false, /*track=*/false);
             // More rows go, some come back, a file with deleted rows goes, others come.
             lake->Commit({{0, {1, 2, 5, 7}}, {1, {0, 1, 2}}, {3, {10, 11}}, {5, {4}}, {6, {}}});
           },
       .run = [](Index* index,
                 const fs::path& folder) { index->Sync({.lake = CrashLake::DataFolder(folder)}); }},
  };
  return scenarios;
}

}  // namespace ariadne::testing
