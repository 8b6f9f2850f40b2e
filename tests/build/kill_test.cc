#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <ariadne_delta.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "other_process.h"
#include "test_lake.h"

namespace ariadne::build {
namespace {

using ariadne::testing::RunFor;
using ariadne::testing::StartTest;
using ariadne::testing::TestLake;
using ariadne::testing::WasKilled;

constexpr char kLakeVariable[] = "ARIADNE_TEST_LAKE";
/// "kind nth": the fault that the storage of the other process suffers.
constexpr char kFaultVariable[] = "ARIADNE_TEST_FAULT";
constexpr int kFaultKinds[] = {1, 2, 3, 4};  // Fail before or after a change, kill likewise.
constexpr int kFirstKill = 3;

void MakeSmallSteps(Options* options) {
  options->memory_bytes = 1;
  options->staging_consolidation_threshold = 3;
}

/// Not a test of its own: what the killed processes run.
TEST(UpdateInAnotherProcess, Runs) {
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
  return StartTest("UpdateInAnotherProcess.Runs", environment);
}

struct Steps {
  std::vector<std::string> regular, bloom, range;
};

/// Kills updates of a lake over and over until one gets through; the index must then be the one
/// that an undisturbed update makes.
void KillUntilDone(unsigned seed) {
  std::mt19937 random(seed);
  TestLake lake;
  MakeSmallSteps(&lake.options());
  int killed = 0;
  int number = 0;
  // First a plain update, then one that backfills columns and adds files.
  for (const Steps& steps : {Steps{{"s"}, {"ts"}, {}}, Steps{{"s", "day"}, {"ts", "id"}, {"d"}}}) {
    lake.Declare(steps.regular, steps.bloom, steps.range);
    std::vector<std::string> uris;
    for (int i = 0; i < 10; ++i) {
      uris.push_back(lake.Write("f" + std::to_string(number++),
                                TestLake::RandomRows(&random, 500 + random() % 1500)));
    }
    lake.Track(uris);
    // Each round may take a little longer, so that kills fall everywhere and it ends.
    for (int round = 0;; ++round) {
      const auto time = std::chrono::microseconds(60'000 + random() % (1 + 40'000 * (round + 1)));
      if (RunFor(StartUpdate(lake.path()), time)) break;
      ++killed;
      if (round % 4 == 3) {
        // Whatever state the kill left, no row that is there may be wrong.
        lake.CheckWhatIsThere();
      }
      ASSERT_LT(round, 200);
    }
    lake.Update();
    lake.Check();
    EXPECT_EQ(lake.Update().batches, 0);
  }
  ::testing::Test::RecordProperty("killed", killed);
}

TEST(Update, KilledAnywhereTheNextOneFinishesWithoutLoss) {
  for (unsigned seed = 1; seed <= 3; ++seed) KillUntilDone(seed);
}

/// Suffers each kind of fault at every few changes of an update that indexes new files and
/// backfills old ones, from the same beginning each time.
TEST(Update, FaultsAtAnyChangeOfStorageCostTimeAndNoData) {
  std::mt19937 random(7);
  TestLake lake;
  MakeSmallSteps(&lake.options());
  lake.Declare({"s"}, {}, {});
  std::vector<std::string> uris;
  for (int i = 0; i < 4; ++i) {
    uris.push_back(lake.Write("old" + std::to_string(i), TestLake::RandomRows(&random, 1500)));
  }
  lake.Track(uris);
  lake.Update();
  lake.Declare({"s", "day"}, {"ts"}, {"d"});
  uris.clear();
  for (int i = 0; i < 8; ++i) {
    uris.push_back(lake.Write("new" + std::to_string(i), TestLake::RandomRows(&random, 1500)));
  }
  lake.Track(uris);
  const auto root = lake.path() / "root";
  const auto beginning = lake.path() / "beginning";
  std::filesystem::copy(root, beginning, std::filesystem::copy_options::recursive);

  // More steps, and so more time, where asked for.
  const bool all = std::getenv("ARIADNE_TEST_ALL") != nullptr;
  for (const int kind : kFaultKinds) {
    bool lived = false;
    for (int64_t nth = all ? 1 : kind; !lived; nth += all ? 1 : 9) {
      SCOPED_TRACE("fault " + std::to_string(kind) + " at change " + std::to_string(nth));
      std::filesystem::remove_all(root);
      std::filesystem::copy(beginning, root, std::filesystem::copy_options::recursive);
      const pid_t child =
          StartUpdate(lake.path(), std::to_string(kind) + " " + std::to_string(nth));
      const bool killed = WasKilled(child);
      lived = kind >= kFirstKill ? !killed : nth > 120;
      lake.CheckWhatIsThere();
      const UpdateReport report = lake.Update();
      EXPECT_TRUE(report.files_failed.empty());
      lake.Check();
      ASSERT_FALSE(HasFailure());
      ASSERT_LT(nth, 400);
    }
  }
}

}  // namespace
}  // namespace ariadne::build
