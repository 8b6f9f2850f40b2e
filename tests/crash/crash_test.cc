#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include <ariadne_delta.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "crash_lake.h"
#include "other_process.h"
#include "scenarios.h"

namespace ariadne {
namespace {

using testing::CrashLake;
using testing::Scenario;
using testing::Scenarios;
using testing::StartTest;
using testing::WasKilled;

constexpr char kFolderVariable[] = "ARIADNE_CRASH_FOLDER";
/// "scenario manner nth".
constexpr char kRunVariable[] = "ARIADNE_CRASH_RUN";

/// How a run ends: kinds of ar_store_set_fault.
enum Manner : int { kFails = 1, kFailsAfter = 2, kKilled = 3, kKilledAfter = 4, kPowerLoss = 6 };

/// All crashes of an operation, or samples.
bool Long() { return std::getenv("ARIADNE_LONG_TESTS") != nullptr; }
/// Values of each column that are looked up after a crash, drawn anew each time: over the thousands
/// of crashes of a long run each value is looked up after many of them.
size_t Values() { return Long() ? 25 : 4; }
/// How many crashes are tried of each manner.
const std::map<Manner, int64_t> kSamples = {
    {kFails, 2}, {kFailsAfter, 2}, {kKilled, 3}, {kKilledAfter, 3}, {kPowerLoss, 6}};

const Scenario& Find(const std::string& name) {
  for (const Scenario& scenario : Scenarios()) {
    if (scenario.name == name) return scenario;
  }
  throw std::runtime_error("no scenario " + name);
}

/// Not a test of its own: what the killed processes run.
TEST(CrashedProcess, Runs) {
  const char* folder = std::getenv(kFolderVariable);
  if (folder == nullptr) GTEST_SKIP() << "run by the tests that kill it";
  std::istringstream run(std::getenv(kRunVariable));
  std::string name;
  int manner = 0;
  int64_t nth = 0;
  run >> name >> manner >> nth;
  Index index = CrashLake::Open(folder);
  ar_store_set_fault(manner, nth);
  try {
    Find(name).run(&index, folder);
  } catch (const Error&) {
    // A fault that is thrown leaves the same work as one that kills.
  }
}

/// One operation over one lake, run once undisturbed to learn where it ends.
class Crashes {
 public:
  explicit Crashes(const Scenario& scenario) : scenario_(scenario) {
    scenario.prepare(&lake_);
    lake_.Keep();
    Finish();
    end_ = lake_.Ended();
    files_ = lake_.lake().Main()->files().size();
    CheckEnd();
  }

  /// Changes that an undisturbed run makes, of those that the manner counts.
  int64_t Changes(Manner manner) {
    lake_.Restore();
    ar_store_set_fault(manner, INT64_MAX);
    Run();
    const int64_t changes = ar_store_fault_changes();
    ar_store_set_fault(0, 0);
    return changes;
  }

  /// Runs in another process up to the nth change, then looks and goes on. False: it lived.
  bool Crash(Manner manner, int64_t nth) {
    SCOPED_TRACE(scenario_.name + ", manner " + std::to_string(manner) + ", change " +
                 std::to_string(nth));
    lake_.Restore();
    const bool killed = Disturb(manner, nth);
    lake_.CheckReader(Values());
    lake_.CheckRows(/*in_step=*/false);
    Finish();
    CheckEnd();
    return killed;
  }

  /// Runs that are killed one after the other at random changes, until one lives.
  void CrashOverAndOver(std::mt19937* random, int64_t changes) {
    SCOPED_TRACE(scenario_.name + ", over and over");
    lake_.Restore();
    for (int round = 1;; ++round) {
      ASSERT_LT(round, 100);
      const Manner manner = std::array{kKilled, kKilledAfter, kPowerLoss}[(*random)() % 3];
      const auto most = static_cast<uint64_t>(changes * (manner == kPowerLoss ? 5 : 1) / 4);
      // Each round may come a little further.
      if (!Disturb(manner, 1 + static_cast<int64_t>((*random)() % (most * round)))) break;
      lake_.CheckReader(1);
    }
    Finish();
    CheckEnd();
  }

 private:
  void Run() {
    Index index = lake_.Open();
    scenario_.run(&index, lake_.path());
  }
  void Finish() {
    Run();
    // An update comes to the end of whatever an operation need not do.
    if (!scenario_.compacts) lake_.lake().Update();
  }
  bool Disturb(Manner manner, int64_t nth) {
    return WasKilled(StartTest("CrashedProcess.Runs",
                               {{kFolderVariable, lake_.path().string()},
                                {kRunVariable, scenario_.name + " " + std::to_string(manner) + " " +
                                                   std::to_string(nth)}}));
  }
  void CheckEnd() {
    const CrashLake::End end = lake_.Ended();
    EXPECT_EQ(end.main, end_.main);
    EXPECT_EQ(end.large, end_.large);
    EXPECT_EQ(end.tracked, end_.tracked);
    EXPECT_EQ(end.metadata, end_.metadata);
    if (scenario_.compacts) {
      EXPECT_EQ(lake_.lake().Main()->files().size(), files_);
    }
    lake_.CheckRows(/*in_step=*/true);
    lake_.CheckLeftovers();
  }

  const Scenario& scenario_;
  CrashLake lake_;
  CrashLake::End end_;
  size_t files_ = 0;
};

class CrashTest : public ::testing::TestWithParam<std::string> {};

TEST_P(CrashTest, AtAnyChangeOfTheStoreCostsTimeAndNoData) {
  const auto seed = static_cast<unsigned>(std::random_device()());
  std::mt19937 random(seed);
  std::cout << "seed " << seed << "\n";
  Crashes crashes(Find(GetParam()));
  for (const auto& [manner, samples] : kSamples) {
    const int64_t changes = crashes.Changes(manner);
    ASSERT_GT(changes, 0);
    const int64_t step = Long() ? 1 : (changes + samples - 1) / samples;
    int64_t tried = 0;
    for (int64_t nth = 1 + static_cast<int64_t>(random() % step); nth <= changes; nth += step) {
      crashes.Crash(manner, nth);
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
      ++tried;
    }
    std::cout << "manner " << manner << ": " << tried << " of " << changes << " changes\n";
    if (manner == kKilled) crashes.CrashOverAndOver(&random, changes);
  }
}

INSTANTIATE_TEST_SUITE_P(Operation, CrashTest,
                         ::testing::Values("add", "update", "backfill", "consolidate", "compact",
                                           "delete", "vacuum", "sync", "migrate", "delta_update",
                                           "delta_delete", "delta_sync"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ariadne
