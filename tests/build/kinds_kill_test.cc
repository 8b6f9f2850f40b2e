#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <ariadne_delta.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "kinds_lake.h"
#include "other_process.h"
#include "test_lake.h"

namespace ariadne::build {
namespace {

using ariadne::testing::CheckKinds;
using ariadne::testing::CheckKindsThatAreThere;
using ariadne::testing::Computed;
using ariadne::testing::DeclareKinds;
using ariadne::testing::Exploded;
using ariadne::testing::RandomKinds;
using ariadne::testing::Regular;
using ariadne::testing::RunFor;
using ariadne::testing::StartTest;
using ariadne::testing::Temporal;
using ariadne::testing::TestLake;
using ariadne::testing::WasKilled;
using Files = std::map<std::string, std::shared_ptr<arrow::Table>>;

constexpr char kLakeVariable[] = "ARIADNE_TEST_KINDS_LAKE";
constexpr char kFaultVariable[] = "ARIADNE_TEST_KINDS_FAULT";
constexpr int kFaultKinds[] = {1, 2, 3, 4};  // Fail before or after a change, kill likewise.
constexpr int kFirstKill = 3;
constexpr int64_t kLimit = 40;

const std::vector<IndexedColumn> kOld = {Regular("id"), Exploded("tag_k", "tags", "k")};
const std::vector<IndexedColumn> kNew = {Regular("id"), Exploded("tag_k", "tags", "k"),
                                         Regular("s"), Temporal("key", "meta.at"),
                                         Computed("id_mod")};

void MakeSmallSteps(Options* options) {
  options->memory_bytes = 1;
  options->staging_consolidation_threshold = 3;
  options->large_index_limit = kLimit;
}

/// Not a test of its own: what the killed processes run.
TEST(KindsUpdateInAnotherProcess, Runs) {
  const char* folder = std::getenv(kLakeVariable);
  if (folder == nullptr) GTEST_SKIP() << "run by the tests that kill it";
  TestLake lake{std::filesystem::path(folder)};
  MakeSmallSteps(&lake.options());
  if (const char* fault = std::getenv(kFaultVariable)) {
    char* end = nullptr;
    const auto kind = static_cast<int>(std::strtol(fault, &end, 10));
    ar_store_set_fault(kind, std::strtol(end, nullptr, 10));
    try {
      lake.Update();
    } catch (const Error&) {
      // A fault that is thrown leaves the same work to the next update as one that kills.
    }
    return;
  }
  lake.Update();
}

pid_t StartUpdate(const std::filesystem::path& lake, const std::string& fault = "") {
  std::map<std::string, std::string> environment = {{kLakeVariable, lake.string()}};
  if (!fault.empty()) environment[kFaultVariable] = fault;
  return StartTest("KindsUpdateInAnotherProcess.Runs", environment);
}

void AddFiles(TestLake* lake, std::mt19937* random, int count, Files* files) {
  std::vector<std::string> uris;
  for (int i = 0; i < count; ++i) {
    const auto rows = RandomKinds(random, 100 + (*random)() % 200, 1 + (*random)() % 120);
    uris.push_back(lake->Write("f" + std::to_string(files->size()), rows));
    (*files)[uris.back()] = rows;
  }
  lake->Track(uris);
}

TEST(Kinds, KilledAnywhereTheNextUpdateFinishesWithoutLoss) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    std::mt19937 random(seed);
    TestLake lake;
    MakeSmallSteps(&lake.options());
    Files files;
    for (const auto& columns : {kOld, kNew}) {
      DeclareKinds(&lake, columns);
      AddFiles(&lake, &random, 8, &files);
      for (int round = 0;; ++round) {
        const auto time = std::chrono::microseconds(60'000 + random() % (1 + 60'000 * (round + 1)));
        if (RunFor(StartUpdate(lake.path()), time)) break;
        if (round % 4 == 3) CheckKindsThatAreThere(lake, files);
        ASSERT_LT(round, 200);
      }
      lake.Update();
      CheckKinds(lake, files, kLimit);
      EXPECT_EQ(lake.Update().batches, 0);
    }
  }
}

/// Suffers each kind of fault at every few changes of an update that indexes new files, backfills
/// old ones, fills large tables and makes filters, from the same beginning each time.
TEST(Kinds, FaultsAtAnyChangeOfStorageCostTimeAndNoData) {
  std::mt19937 random(9);
  TestLake lake;
  MakeSmallSteps(&lake.options());
  Files files;
  DeclareKinds(&lake, kOld);
  AddFiles(&lake, &random, 4, &files);
  lake.Update();
  DeclareKinds(&lake, kNew);
  AddFiles(&lake, &random, 5, &files);
  const auto root = lake.path() / "root";
  const auto beginning = lake.path() / "beginning";
  std::filesystem::copy(root, beginning, std::filesystem::copy_options::recursive);

  // More steps, and so more time, where asked for.
  const bool all = std::getenv("ARIADNE_TEST_ALL") != nullptr;
  const int step = all ? 1 : 23;
  for (const int kind : kFaultKinds) {
    bool lived = false;
    for (int64_t nth = all ? 1 : 3 * kind; !lived; nth += step) {
      SCOPED_TRACE("fault " + std::to_string(kind) + " at change " + std::to_string(nth));
      std::filesystem::remove_all(root);
      std::filesystem::copy(beginning, root, std::filesystem::copy_options::recursive);
      const bool killed =
          WasKilled(StartUpdate(lake.path(), std::to_string(kind) + " " + std::to_string(nth)));
      lived = kind >= kFirstKill ? !killed : nth > 400;
      CheckKindsThatAreThere(lake, files);
      const UpdateReport report = lake.Update();
      EXPECT_TRUE(report.files_failed.empty());
      CheckKinds(lake, files, kLimit);
      ASSERT_FALSE(HasFailure());
      ASSERT_LT(nth, 1500);
    }
  }
}

}  // namespace
}  // namespace ariadne::build
