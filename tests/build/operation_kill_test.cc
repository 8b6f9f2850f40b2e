#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ariadne_delta.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "build/compact.h"
#include "build/delete.h"
#include "build/sync.h"
#include "build/vacuum.h"
#include "storage/file_list.h"
#include "test_lake.h"

extern char** environ;

namespace ariadne::build {
namespace {

namespace fs = std::filesystem;
using ariadne::testing::TestLake;

constexpr char kLakeVariable[] = "ARIADNE_TEST_OPERATION_LAKE";
/// "operation kind nth": what the other process runs, and the fault that its storage suffers.
constexpr char kFaultVariable[] = "ARIADNE_TEST_OPERATION_FAULT";
constexpr int kFirstKill = 3;

UpdateTarget TargetOf(TestLake& lake) {
  return {lake.layout(), std::make_shared<storage::Stores>(), lake.options()};
}

std::string DataFile(const TestLake& lake, const std::string& name) {
  return (lake.path() / "data" / name).string();
}

using Operation = std::function<void(TestLake&)>;

const std::map<std::string, Operation>& Operations() {
  static const std::map<std::string, Operation> operations = {
      {"delete",
       [](TestLake& lake) {
         Delete(TargetOf(lake), {DataFile(lake, "f0"), DataFile(lake, "f3")});
       }},
      {"compact", [](TestLake& lake) { Compact(TargetOf(lake), {}); }},
      {"vacuum",
       [](TestLake& lake) { Vacuum(TargetOf(lake), {.retention_hours = 0, .force = true}); }},
      {"sync", [](TestLake& lake) { Sync(TargetOf(lake), {.lake = DataFile(lake, "")}); }},
  };
  return operations;
}

/// Not a test of its own: what the killed processes run.
TEST(OperationInAnotherProcess, Runs) {
  const char* folder = std::getenv(kLakeVariable);
  if (folder == nullptr) GTEST_SKIP() << "run by the tests that kill it";
  TestLake lake{fs::path(folder)};
  const std::string fault = std::getenv(kFaultVariable);
  const size_t space = fault.find(' ');
  char* end = nullptr;
  const auto kind = static_cast<int>(std::strtol(fault.c_str() + space, &end, 10));
  ar_store_set_fault(kind, std::strtol(end, nullptr, 10));
  Operations().at(fault.substr(0, space))(lake);
}

/// Runs an operation in another process; true: it was killed.
bool RunKilled(const fs::path& lake, const std::string& fault) {
  std::string lake_entry = std::string(kLakeVariable) + "=" + lake.string();
  std::string fault_entry = std::string(kFaultVariable) + "=" + fault;
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back(lake_entry.data());
  environment.push_back(fault_entry.data());
  environment.push_back(nullptr);
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof(path));
  std::string program(path, static_cast<size_t>(length));
  std::string filter = "--gtest_filter=OperationInAnotherProcess.Runs";
  char* arguments[] = {program.data(), filter.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  EXPECT_EQ(
      ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environment.data()), 0);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

std::set<std::string> Tracked(const TestLake& lake) {
  std::set<std::string> names;
  for (const auto& entry : storage::FileList(lake.layout().file_list()).Entries()) {
    names.insert(entry.filename);
  }
  return names;
}

/// Suffers a fault at every few changes of an operation, from the same beginning each time; the
/// same operation again must then end where an undisturbed one ends.
void SufferFaults(const std::string& name) {
  SCOPED_TRACE(name);
  std::mt19937 random(71);
  TestLake lake;
  lake.options().lock_timeout_seconds = 0.05;
  lake.options().lock_retry_interval_seconds = 0.01;
  lake.Declare({"s"}, {"ts"}, {"d"});
  std::vector<std::string> uris;
  for (int i = 0; i < 6; ++i) {
    uris.push_back(lake.Write("f" + std::to_string(i), TestLake::RandomRows(&random, 60)));
    lake.Track({uris.back()});
    lake.Update();
  }
  std::set<std::string> without;
  if (name == "delete") without = {uris[0], uris[3]};
  if (name == "vacuum") Compact(TargetOf(lake), {});
  if (name == "sync") {
    without = {uris[1]};
    fs::remove(DataFile(lake, "f1"));
    lake.Write("f2", TestLake::RandomRows(&random, 90));
    uris.push_back(lake.Write("f7", TestLake::RandomRows(&random, 20)));
  }
  const auto root = lake.path() / "root";
  const auto beginning = lake.path() / "beginning";
  fs::copy(root, beginning, fs::copy_options::recursive);
  const auto restore = [&] {
    fs::remove_all(root);
    fs::copy(beginning, root, fs::copy_options::recursive);
  };
  const Operation& operation = Operations().at(name);
  operation(lake);
  lake.Check(without);
  const auto dump = lake.Dump();
  const auto tracked = Tracked(lake);
  const size_t files = lake.Main()->files().size();

  const bool all = std::getenv("ARIADNE_TEST_ALL") != nullptr;
  for (const int kind : {1, 2, 3, 4}) {
    bool lived = false;
    for (int64_t nth = kind; !lived; nth += all ? 1 : (kind >= kFirstKill ? 9 : 4)) {
      SCOPED_TRACE("fault " + std::to_string(kind) + " at change " + std::to_string(nth));
      restore();
      if (kind >= kFirstKill) {
        lived =
            !RunKilled(lake.path(), name + " " + std::to_string(kind) + " " + std::to_string(nth));
      } else {
        lived = nth > 60;
        ar_store_set_fault(kind, nth);
        try {
          operation(lake);
        } catch (const Error&) {
          // Thrown or killed, the same work is left.
        }
        ar_store_set_fault(0, 0);
      }
      // Rows of a file that sync has not come to yet are those of its old bytes.
      if (name != "sync") lake.CheckWhatIsThere();
      operation(lake);
      EXPECT_EQ(lake.Dump(), dump);
      EXPECT_EQ(Tracked(lake), tracked);
      if (name == "compact") {
        EXPECT_EQ(lake.Main()->files().size(), files);
      }
      lake.Check(without);
      ASSERT_FALSE(::testing::Test::HasFailure());
      ASSERT_LT(nth, 400);
    }
  }
}

TEST(Operations, FaultsAtAnyChangeOfADeleteCostTimeAndNoData) { SufferFaults("delete"); }
TEST(Operations, FaultsAtAnyChangeOfACompactionCostTimeAndNoData) { SufferFaults("compact"); }
TEST(Operations, FaultsAtAnyChangeOfAVacuumCostTimeAndNoData) { SufferFaults("vacuum"); }
TEST(Operations, FaultsAtAnyChangeOfASyncCostTimeAndNoData) { SufferFaults("sync"); }

}  // namespace
}  // namespace ariadne::build
