#include "build/distributed_update.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <arrow/table.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "build/update.h"
#include "kinds_lake.h"
#include "test_lake.h"

namespace ariadne::build {
namespace {

using ariadne::testing::Bloom;
using ariadne::testing::CheckKinds;
using ariadne::testing::CheckKindsThatAreThere;
using ariadne::testing::Computed;
using ariadne::testing::DeclareKinds;
using ariadne::testing::Exploded;
using ariadne::testing::RandomKinds;
using ariadne::testing::Range;
using ariadne::testing::Regular;
using ariadne::testing::Temporal;
using ariadne::testing::TestLake;
using Files = std::map<std::string, std::shared_ptr<arrow::Table>>;

const std::vector<IndexedColumn> kKinds = {
    Regular("s"),
    Bloom("ts"),
    Range("id"),
    Temporal("key", "ver"),
    Exploded("tag_k", "tags", "k"),
    Computed("loud"),
};
constexpr ShareSize kOneFileEach = {.least_bytes = 1, .most_bytes = 1};

/// As another process opens the lake: with nothing that ours keeps in memory.
UpdateTarget OpenAgain(TestLake& lake) {
  auto stores = std::make_shared<storage::Stores>();
  storage::IndexLayout layout(stores->Resolve("file://" + (lake.path() / "root").string()),
                              lake.layout().name());
  return {layout, stores, lake.options()};
}

/// Sends a share over as text, builds it there, and sends back what became of it.
ShareResult BuildElsewhere(TestLake& lake, const UpdateShare& share) {
  UpdateTarget target = OpenAgain(lake);
  target.options.large_index_limit = 1;  // What the share says counts.
  const auto sent = UpdateShare::Parse(share.ToJson(), *target.stores);
  return ShareResult::Parse(BuildShare(target, sent, {}).ToJson());
}

/// Hands out shares, some of them twice, and commits them in waves of random size.
UpdateReport UpdateElsewhere(TestLake& lake, std::mt19937* random) {
  const UpdateTarget target = OpenAgain(lake);
  const UpdateOptions options;
  const ShareSize size = {.least_bytes = 1, .most_bytes = int64_t{1} << (*random)() % 23};
  DistributedUpdate update(target, options, 1 + static_cast<int>((*random)() % 3), size);
  while (!update.done()) {
    std::vector<UpdateShare> shares;
    const size_t wave = 1 + (*random)() % 4;
    while (shares.size() < wave) {
      auto share = update.NextShare();
      if (!share) break;
      shares.push_back(*std::move(share));
    }
    std::vector<ShareResult> results;
    for (const UpdateShare& share : shares) {
      if ((*random)() % 3 == 0) (void)BuildElsewhere(lake, share);  // And then it was lost.
      results.push_back(BuildElsewhere(lake, share));
    }
    update.Commit(std::move(results));
    update.KeepLock();
  }
  return update.Finish();
}

void AddFiles(TestLake* lake, std::mt19937* random, int count, Files* files) {
  std::vector<std::string> uris;
  for (int i = 0; i < count; ++i) {
    const auto rows = RandomKinds(random, (*random)() % 300, 1 + (*random)() % 200);
    uris.push_back(lake->Write("f" + std::to_string(files->size()) + " ä%.parquet", rows));
    (*files)[uris.back()] = rows;
  }
  lake->Track(uris);
}

TEST(DistributedUpdate, MakesTheIndexThatALocalUpdateMakes) {
  std::mt19937 random(1);
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    const int64_t limit = round % 2 == 0 ? 500'000 : 20 + random() % 50;
    TestLake lake;
    lake.options().large_index_limit = limit;
    lake.options().staging_consolidation_threshold = 1 + static_cast<int>(random() % 4);
    if (round == 3) lake.options().memory_bytes = 1;
    std::vector<IndexedColumn> declared(kKinds.begin(), kKinds.begin() + 2);
    DeclareKinds(&lake, declared);
    Files files;
    for (int step = 0; step < 3; ++step) {
      const int added = 1 + static_cast<int>(random() % 6);
      AddFiles(&lake, &random, added, &files);
      const UpdateReport report = UpdateElsewhere(lake, &random);
      EXPECT_EQ(report.files_indexed, added);
      EXPECT_TRUE(report.files_failed.empty());
      CheckKinds(lake, files, limit);
      EXPECT_EQ(lake.Update().batches, 0) << "nothing is left for a local update";
      // The next update fills in what was declared since.
      declared = std::vector<IndexedColumn>(kKinds.begin(), kKinds.begin() + 4 + step);
      DeclareKinds(&lake, declared);
      if (HasFailure()) return;
    }
  }
}

TEST(DistributedUpdate, ThatIsKilledLosesNothingThatItCommitted) {
  std::mt19937 random(2);
  for (const size_t committed : {0, 1, 3}) {
    SCOPED_TRACE(committed);
    TestLake lake;
    lake.options().large_index_limit = 40;
    DeclareKinds(&lake, kKinds);
    Files files;
    AddFiles(&lake, &random, 6, &files);
    std::vector<UpdateShare> out;
    {
      const UpdateTarget target = OpenAgain(lake);
      const UpdateOptions options;
      DistributedUpdate update(target, options, 1, kOneFileEach);
      for (size_t i = 0; i < 5; ++i) {
        out.push_back(*update.NextShare());
        auto result = BuildElsewhere(lake, out.back());
        if (i >= committed) continue;
        std::vector<ShareResult> results;
        results.push_back(std::move(result));
        update.Commit(std::move(results));
      }
    }
    CheckKindsThatAreThere(lake, files);
    // An executor that nobody told goes on after the next update has taken staging away.
    const auto kept = lake.Update();
    EXPECT_EQ(kept.files_indexed, static_cast<int64_t>(6 - committed));
    CheckKinds(lake, files, 40);
    for (const UpdateShare& share : out) (void)BuildElsewhere(lake, share);
    CheckKindsThatAreThere(lake, files);
    AddFiles(&lake, &random, 1, &files);
    EXPECT_EQ(lake.Update().files_indexed, 1);
    CheckKinds(lake, files, 40);
  }
}

TEST(DistributedUpdate, ReportsTheFilesThatCannotBeRead) {
  TestLake lake;
  std::mt19937 random(3);
  DeclareKinds(&lake, kKinds);
  Files files;
  AddFiles(&lake, &random, 3, &files);
  const std::string damaged = lake.WriteBytes("damaged.parquet", "PAR1 is not enough");
  const std::string gone = lake.WriteBytes("gone.parquet", "x");
  lake.Track({damaged, gone});
  std::filesystem::remove(lake.path() / "data" / "gone.parquet");
  const UpdateReport report = UpdateElsewhere(lake, &random);
  EXPECT_EQ(report.files_indexed, 3);
  ASSERT_EQ(report.files_failed.size(), 2U);
  EXPECT_EQ(report.files_failed[0].uri, damaged);
  EXPECT_EQ(report.files_failed[1].uri, gone);
}

TEST(DistributedUpdate, HoldsTheLockFromItsPlanToItsEnd) {
  TestLake lake;
  std::mt19937 random(4);
  DeclareKinds(&lake, kKinds);
  Files files;
  AddFiles(&lake, &random, 2, &files);
  lake.options().lock_max_wait_seconds = 0.05;
  const UpdateTarget target = OpenAgain(lake);
  const UpdateOptions options;
  DistributedUpdate update(target, options, 2);
  EXPECT_THROW(lake.Update(), LockTimeout);
  EXPECT_THROW(update.Finish(), InvalidArgument);
}

TEST(DistributedUpdate, RefusesAShareOfAnotherIndexAndOfAnotherRelease) {
  TestLake lake;
  std::mt19937 random(5);
  DeclareKinds(&lake, kKinds);
  const UpdateTarget target = OpenAgain(lake);
  UpdateShare share;
  share.index = "another";
  EXPECT_THROW((void)BuildShare(target, share, {}), InvalidArgument);
  EXPECT_THROW((void)UpdateShare::Parse("{\"index\": 1}", *target.stores), InvalidArgument);
  EXPECT_THROW((void)UpdateShare::Parse("no json", *target.stores), InvalidArgument);
  EXPECT_THROW((void)ShareResult::Parse("{}"), InvalidArgument);
}

}  // namespace
}  // namespace ariadne::build
