#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <arrow/table.h>
#include <gtest/gtest.h>

#include "build/update.h"
#include "kinds_lake.h"
#include "storage/delta_table.h"
#include "test_lake.h"

namespace ariadne::build {
namespace {

using ariadne::testing::CheckKinds;
using ariadne::testing::Computed;
using ariadne::testing::DeclareKinds;
using ariadne::testing::Exploded;
using ariadne::testing::RandomKinds;
using ariadne::testing::Regular;
using ariadne::testing::Temporal;
using ariadne::testing::TestLake;
using Files = std::map<std::string, std::shared_ptr<arrow::Table>>;

const std::vector<IndexedColumn> kAllKinds = {
    Regular("id"),
    Regular("s"),
    Regular("bin"),
    Temporal("key", "meta.at"),
    Temporal("d", "meta.deep.n"),
    Temporal("ts", "ver"),
    Exploded("tag_k", "tags", "k"),
    Exploded("tag_q", "tags", "p.q"),
    Exploded("num", "nums", ""),
    Computed("loud"),
};

/// Writes and tracks files of many sizes; some hold few values, some many.
void AddFiles(TestLake* lake, std::mt19937* random, int count, Files* files) {
  std::vector<std::string> uris;
  for (int i = 0; i < count; ++i) {
    const auto rows = RandomKinds(random, (*random)() % 400, 1 + (*random)() % 300);
    uris.push_back(lake->Write("f" + std::to_string(files->size()) + " ä.parquet", rows));
    (*files)[uris.back()] = rows;
  }
  lake->Track(uris);
}

TEST(Kinds, AreBuiltAsABruteForceComputationDoes) {
  std::mt19937 random(1);
  TestLake lake;
  DeclareKinds(&lake, kAllKinds);
  Files files;
  AddFiles(&lake, &random, 20, &files);
  const UpdateReport report = lake.Update();
  for (const FailedFile& failed : report.files_failed) ADD_FAILURE() << failed.error;
  EXPECT_EQ(report.files_indexed, 20);
  CheckKinds(lake, files, 500'000);
  EXPECT_EQ(lake.Update().batches, 0);
}

TEST(Kinds, PairsWithManyValuesLiveInTheirLargeTable) {
  std::mt19937 random(2);
  for (const int64_t limit : {5, 20, 150}) {
    SCOPED_TRACE(limit);
    for (const int64_t memory : {0, 1}) {
      if (memory == 1 && limit != 20) continue;
      TestLake lake;
      lake.options().large_index_limit = limit;
      lake.options().memory_bytes = memory;
      lake.options().staging_consolidation_threshold = 3;
      DeclareKinds(&lake, kAllKinds);
      Files files;
      // The first round may have no large file at all; later ones bring filters to old files too.
      for (int round = 0; round < 3; ++round) {
        AddFiles(&lake, &random, 5, &files);
        const UpdateReport report = lake.Update();
        for (const FailedFile& failed : report.files_failed) ADD_FAILURE() << failed.error;
        CheckKinds(lake, files, limit);
        ASSERT_FALSE(HasFailure());
      }
      const auto version = lake.Main()->version();
      EXPECT_EQ(lake.Update().batches, 0);
      EXPECT_EQ(lake.Main()->version(), version) << "an update with nothing to do writes nothing";
    }
  }
}

TEST(Kinds, DeclaredLaterAreBackfilled) {
  std::mt19937 random(3);
  for (const int64_t limit : {40, 1000}) {
    TestLake lake;
    lake.options().large_index_limit = limit;
    Files files;
    std::vector<IndexedColumn> declared = {Regular("s")};
    DeclareKinds(&lake, declared);
    AddFiles(&lake, &random, 6, &files);
    lake.Update();
    CheckKinds(lake, files, limit);
    for (const IndexedColumn& column : kAllKinds) {
      if (column == declared.front()) continue;
      declared.push_back(column);
      if (random() % 2 == 0) continue;  // Some come together.
      DeclareKinds(&lake, declared);
      if (random() % 2 == 0) AddFiles(&lake, &random, 2, &files);
      lake.Update();
      CheckKinds(lake, files, limit);
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(Kinds, AFileWhoseArraysAreAllEmptyIsIndexedForItsOtherColumns) {
  std::mt19937 random(4);
  TestLake lake;
  DeclareKinds(&lake, {Regular("s"), Exploded("tag_k", "tags", "k")});
  Files files;
  for (int i = 0; i < 40; ++i) {
    const auto rows = RandomKinds(&random, 20, 10);
    files[lake.Write("f" + std::to_string(i), rows)] = rows;
  }
  std::vector<std::string> uris;
  for (const auto& [uri, rows] : files) uris.push_back(uri);
  lake.Track(uris);
  EXPECT_EQ(lake.Update().files_indexed, 40);
  CheckKinds(lake, files, 500'000);
}

TEST(Kinds, AnEarlierFileGetsItsFilterWithoutBeingRead) {
  std::mt19937 random(5);
  TestLake lake;
  lake.options().large_index_limit = 50;
  DeclareKinds(&lake, {Regular("id"), Temporal("key", "ts")});
  Files files;
  const auto small = RandomKinds(&random, 20, 20);
  const std::string small_uri = lake.Write("small", small);
  files[small_uri] = small;
  lake.Track({small_uri});
  lake.Update();
  EXPECT_TRUE(lake.Metadata().auto_bloom.empty());
  std::filesystem::rename(lake.path() / "data/small", lake.path() / "moved");
  const auto large = RandomKinds(&random, 500, 400);
  const std::string large_uri = lake.Write("large", large);
  files[large_uri] = large;
  lake.Track({large_uri});
  EXPECT_TRUE(lake.Update().files_failed.empty());
  CheckKinds(lake, files, 50);
  EXPECT_FALSE(lake.Metadata().auto_bloom.empty());
}

/// What a backfill leaves that was cut off between the two tables: the JVM library can lose data
/// there and say so. A cell is null, and nothing is in the large table.
TEST(Kinds, ANullCellWithoutLargeRowsIsBuiltAgain) {
  std::mt19937 random(6);
  TestLake lake;
  lake.options().large_index_limit = 50;
  DeclareKinds(&lake, {Regular("id"), Regular("s")});
  Files files;
  AddFiles(&lake, &random, 8, &files);
  lake.Update();
  CheckKinds(lake, files, 50);
  const auto large = storage::DeltaTable::Open(lake.layout().large_index("id"));
  ASSERT_NE(large, nullptr);
  storage::TableChange change;
  change.operation = "DELETE";
  for (const storage::DataFile& file : large->files()) change.removes.push_back(file.path);
  ASSERT_FALSE(change.removes.empty());
  large->Commit(change);
  EXPECT_GT(lake.Update().files_backfilled, 0);
  CheckKinds(lake, files, 50);
}

TEST(Kinds, LargeRowsBesideACellAreRemoved) {
  std::mt19937 random(7);
  TestLake lake;
  lake.options().large_index_limit = 50;
  DeclareKinds(&lake, {Regular("id")});
  Files files;
  AddFiles(&lake, &random, 8, &files);
  lake.Update();
  // As if another release had built the index with other limits, and died between its tables.
  const auto main = lake.Main();
  std::filesystem::rename(lake.path() / "root/indexes/test/large_indexes",
                          lake.path() / "large_indexes");
  std::filesystem::remove_all(lake.path() / "root/indexes/test/index");
  lake.options().large_index_limit = 1'000'000;
  auto metadata = lake.Metadata();
  metadata.auto_bloom.clear();
  metadata.Write(lake.layout().metadata());
  lake.Update();
  CheckKinds(lake, files, 1'000'000);
  std::filesystem::rename(lake.path() / "large_indexes",
                          lake.path() / "root/indexes/test/large_indexes");
  lake.Update();
  const auto table = storage::DeltaTable::Open(lake.layout().large_index("id"));
  ASSERT_NE(table, nullptr);
  EXPECT_TRUE(table->files().empty());
}

TEST(Kinds, AFileAboveTheLimitIsABatchByItself) {
  std::mt19937 random(8);
  TestLake lake;
  lake.options().large_index_limit = 100;
  DeclareKinds(&lake, {Regular("id")});
  Files files;
  std::vector<std::string> uris;
  // 6 files of some 30 values: three a batch; and two that are large.
  for (int i = 0; i < 8; ++i) {
    const bool large = i % 4 == 3;
    const auto rows = RandomKinds(&random, 2000, large ? 150 : 30);
    uris.push_back(lake.Write("f" + std::to_string(i), rows));
    files[uris.back()] = rows;
  }
  lake.Track(uris);
  lake.options().threads = 1;
  EXPECT_EQ(lake.Update().batches, 4);
  CheckKinds(lake, files, 100);
}

}  // namespace
}  // namespace ariadne::build
