#include "storage/lock.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

#include <ariadne_delta.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ariadne/errors.h"
#include "storage/process_identity.h"
#include "temp_folder.h"

namespace ariadne::storage {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

Options Quick(double timeout = 1800, double max_wait = 0) {
  Options options;
  options.lock_timeout_seconds = timeout;
  options.lock_retry_interval_seconds = 0.005;
  options.lock_max_wait_seconds = max_wait;
  return options;
}

class LockTest : public testing::Test {
 protected:
  void WriteLock(const std::string& text) {
    std::filesystem::create_directories((folder_.path() / "i"));
    std::ofstream(folder_.path() / "i" / ".update.lock") << text;
  }
  [[nodiscard]] std::string Text() const {
    std::ifstream in(folder_.path() / "i" / ".update.lock");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] bool Exists() const {
    return std::filesystem::exists(folder_.path() / "i" / ".update.lock");
  }

  TempFolder folder_;
  ObjectRef ref_ = folder_.Ref("i/.update.lock");
};

constexpr char kStale[] =
    R"({"correlationId":"3aa67999","acquiredAt":"2020-11-30T04:23:22.914433993Z",)"
    R"("lastRefreshedAt":"2020-11-30T04:23:35.968284756Z","owner":"local-1796012594981"})";

TEST_F(LockTest, IsAFileWhileHeldAndGoneAfterwards) {
  {
    const auto lock = Lock::Acquire(ref_, Quick());
    EXPECT_THAT(Text(), AllOf(HasSubstr("{\"correlationId\":\"" + lock->correlation_id()),
                              HasSubstr("\"acquiredAt\":\"20"), HasSubstr("\"owner\":\"ariadne@")));
    const std::string before = Text();
    std::this_thread::sleep_for(milliseconds(2));
    lock->Refresh();
    EXPECT_NE(Text(), before);
    lock->Check();
  }
  EXPECT_FALSE(Exists());
  EXPECT_NE(Lock::Acquire(ref_, Quick()), nullptr);
}

TEST_F(LockTest, WhoeverWaitsInVainLearnsWhoHoldsIt) {
  const auto held = Lock::Acquire(ref_, Quick());
  std::string told;
  try {
    (void)Lock::Acquire(ref_, Quick(1800, 0.05), {},
                        [&](const std::string& message) { told = message; });
    FAIL();
  } catch (const LockTimeout& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(held->correlation_id()), HasSubstr("ariadne@"),
                                    HasSubstr("since 20"), HasSubstr(".update.lock")));
  }
  EXPECT_THAT(told, HasSubstr(held->correlation_id()));
  held->Check();
}

TEST_F(LockTest, WaitingEndsWhenTheHolderIsDone) {
  auto held = Lock::Acquire(ref_, Quick());
  std::thread holder([&] {
    std::this_thread::sleep_for(milliseconds(50));
    held.reset();
  });
  EXPECT_NE(Lock::Acquire(ref_, Quick(1800, 20)), nullptr);
  holder.join();
}

TEST_F(LockTest, AStopRequestOfTheThreadEndsWaitsThatAreGivenNone) {
  const auto held = Lock::Acquire(ref_, Quick());
  std::stop_source stop;
  stop.request_stop();
  const Options patient = Quick(1800, 3600);
  {
    const StopLockWaits stops(stop.get_token());
    EXPECT_THROW((void)Lock::Acquire(ref_, patient), Cancelled);
    const StopLockWaits inner({});
    EXPECT_THROW((void)Lock::Acquire(ref_, Quick(1800, 0)), LockTimeout);
  }
  EXPECT_THROW((void)Lock::Acquire(ref_, Quick(1800, 0)), LockTimeout);
}

TEST_F(LockTest, AStopRequestEndsTheWaitAtOnce) {
  const auto held = Lock::Acquire(ref_, Quick());
  Options patient = Quick(1800, 3600);
  patient.lock_retry_interval_seconds = 600;
  std::stop_source stop;
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(30));
    stop.request_stop();
  });
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_THROW((void)Lock::Acquire(ref_, patient, stop.get_token()), Cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
  stopper.join();
}

TEST_F(LockTest, AStaleLockOfTheJvmLibraryIsTakenOver) {
  WriteLock(kStale);
  const auto lock = Lock::Acquire(ref_, Quick());
  EXPECT_THAT(Text(), HasSubstr(lock->correlation_id()));
}

TEST_F(LockTest, ALockIsTakenOverAtTheMomentItBecomesStale) {
  const auto held = Lock::Acquire(ref_, Quick());
  Options options = Quick(0.1, 60);
  options.lock_retry_interval_seconds = 30;
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_NE(Lock::Acquire(ref_, options), nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

TEST_F(LockTest, ALockWhoseProcessWasKilledHereIsTakenOverAtOnce) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = Lock::Acquire(ref_, Quick());
    ::_exit(0);  // As SIGKILL leaves it: the file stays.
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_TRUE(Exists());
  EXPECT_NO_THROW((void)Lock::Acquire(ref_, Quick()));
}

TEST_F(LockTest, ALockThatThisProcessCouldNotDeleteDoesNotHoldItUp) {
  {
    const auto lock = Lock::Acquire(ref_, Quick());
    ar_store_set_fault(/*kind=*/1, 1);
  }
  ar_store_set_fault(0, 0);
  EXPECT_TRUE(Exists());
  Lock::Acquire(ref_, Quick())->Check();
  EXPECT_FALSE(Exists());
}

TEST_F(LockTest, AHolderElsewhereIsNeverTakenForDead) {
  const std::string mine = internal::ProcessIdentity();
  EXPECT_FALSE(internal::IsKnownDead(mine));
  for (const std::string& owner :
       {std::string("local-1796012594981"), std::string("ariadne@other:1"),
        std::string("ariadne@other:999999:1:1:another-boot"), std::string("ariadne@"),
        mine.substr(0, mine.rfind(':')), mine + "x"}) {
    EXPECT_FALSE(internal::IsKnownDead(owner)) << owner;
  }
}

TEST_F(LockTest, ACorruptLockCountsAsAbsent) {
  for (const char* text :
       {"", "{", "[]", "garbage", "{\"correlationId\":\"x\"}",
        "{\"correlationId\":\"x\",\"lastRefreshedAt\":\"yesterday\"}", "\xff\xfe"}) {
    WriteLock(text);
    const auto lock = Lock::Acquire(ref_, Quick());
    lock->Check();
  }
}

TEST_F(LockTest, FormsOfAnInstantAreUnderstood) {
  for (const char* instant : {"2020-11-30T04:23:35Z", "2020-11-30T04:23Z", "2020-11-30T04:23:35.1Z",
                              "2020-11-30T04:23:35.968284756Z"}) {
    WriteLock(R"({"correlationId":"x","acquiredAt":"a","owner":"o","lastRefreshedAt":")" +
              std::string(instant) + "\"}");
    EXPECT_NE(Lock::Acquire(ref_, Quick(60)), nullptr);
    WriteLock(R"({"correlationId":"x","acquiredAt":"a","owner":"o","lastRefreshedAt":")" +
              std::string(instant) + "\"}");
    EXPECT_THROW((void)Lock::Acquire(ref_, Quick(3e9)), LockTimeout);
  }
}

TEST_F(LockTest, AHolderThatWasReplacedIsToldSoAndLeavesTheOtherAlone) {
  auto first = Lock::Acquire(ref_, Quick());
  std::this_thread::sleep_for(milliseconds(5));
  auto second = Lock::Acquire(ref_, Quick(0.001));
  EXPECT_THROW(first->Check(), LockLost);
  EXPECT_THROW(first->Refresh(), LockLost);
  first.reset();
  second->Check();
  EXPECT_THAT(Text(), HasSubstr(second->correlation_id()));
  second.reset();
  EXPECT_FALSE(Exists());
}

TEST_F(LockTest, AHolderWhoseFileIsGoneHasLostIt) {
  const auto lock = Lock::Acquire(ref_, Quick());
  std::filesystem::remove(folder_.path() / "i" / ".update.lock");
  EXPECT_THROW(lock->Check(), LockLost);
}

TEST_F(LockTest, OfManyThreadsOneHoldsItAtATime) {
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        const auto lock = Lock::Acquire(ref_, Quick(1800, 600));
        const int now = ++inside;
        if (now > most) most = now;
        std::this_thread::sleep_for(milliseconds(1));
        --inside;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

TEST_F(LockTest, OneOfManyTakesAStaleLockOver) {
  for (int round = 0; round < 15; ++round) {
    WriteLock(kStale);
    std::atomic<int> won = 0;
    std::vector<std::unique_ptr<Lock>> held(4);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < held.size(); ++t) {
      threads.emplace_back([&, t] {
        try {
          held[t] = Lock::Acquire(ref_, Quick());
          ++won;
        } catch (const LockTimeout&) {
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(won, 1);
  }
}

/// Runs `body` in as many processes and returns how many exited with 0.
template <typename Body>
int InProcesses(int count, Body body) {
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      int code = 1;
      try {
        code = body(i);
      } catch (...) {
      }
      ::_exit(code);
    }
    children.push_back(child);
  }
  int succeeded = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++succeeded;
  }
  return succeeded;
}

TEST_F(LockTest, OneOfManyProcessesTakesAStaleLockOver) {
  for (int round = 0; round < 10; ++round) {
    WriteLock(kStale);
    // A holder that died would be taken over: each lives until all have tried.
    auto* tried = static_cast<std::atomic<int>*>(::mmap(nullptr, sizeof(std::atomic<int>),
                                                        PROT_READ | PROT_WRITE,
                                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(tried, MAP_FAILED);
    new (tried) std::atomic<int>(0);
    EXPECT_EQ(InProcesses(3,
                          [&](int) {
                            std::unique_ptr<Lock> lock;
                            try {
                              lock = Lock::Acquire(ref_, Quick());
                            } catch (const LockTimeout&) {
                            }
                            ++*tried;
                            while (*tried < 3) std::this_thread::yield();
                            const bool won = lock != nullptr;
                            (void)lock.release();  // the process dies with it
                            return won ? 0 : 1;
                          }),
              1);
    ::munmap(tried, sizeof(std::atomic<int>));
  }
}

TEST_F(LockTest, ProcessesCountUnderTheLockWithoutLosingOne) {
  const auto path = folder_.path() / "count";
  std::ofstream(path) << 0;
  EXPECT_EQ(InProcesses(3,
                        [&](int) {
                          for (int i = 0; i < 10; ++i) {
                            const auto lock = Lock::Acquire(ref_, Quick(1800, 600));
                            int value = 0;
                            std::ifstream(path) >> value;
                            std::this_thread::sleep_for(milliseconds(1));
                            std::ofstream(path) << value + 1;
                          }
                          return 0;
                        }),
            3);
  int value = 0;
  std::ifstream(path) >> value;
  EXPECT_EQ(value, 30);
}

TEST_F(LockTest, ProcessesIncrementAnObjectByPutIfMatchWithoutLosingOne) {
  const ObjectRef ref = folder_.Ref("number");
  ref.store->Put(ref.path, "0");
  EXPECT_EQ(InProcesses(3,
                        [&](int) {
                          for (int done = 0; done < 30;) {
                            std::string etag;
                            const int value =
                                std::stoi(ref.store->Get(ref.path, &etag)->ToString());
                            const auto next = std::to_string(value + 1);
                            if (ref.store->PutIfMatch(ref.path, next, etag)) ++done;
                          }
                          return 0;
                        }),
            3);
  EXPECT_EQ(ref.store->Get(ref.path)->ToString(), "90");
}

}  // namespace
}  // namespace ariadne::storage
