#include <csignal>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ariadne_delta.h>
#include <arrow/array/builder_binary.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>

#include "ariadne/errors.h"
#include "storage/delta_table.h"
#include "storage/delta_writer.h"
#include "storage/file_list.h"
#include "storage/lock.h"
#include "storage/metadata.h"
#include "temp_folder.h"

namespace ariadne::storage {
namespace {

constexpr int kFail = 1;
constexpr int kFailAfter = 2;
constexpr int kKill = 3;
constexpr int kKillAfter = 4;

constexpr char kSchema[] =
    R"({"type":"struct","fields":[{"name":"k","type":"string","nullable":true,"metadata":{}}]})";

DataFile WriteKey(const ObjectRef& folder, const std::string& key) {
  arrow::StringBuilder builder;
  EXPECT_TRUE(builder.Append(key).ok());
  const auto schema = arrow::schema({arrow::field("k", arrow::utf8())});
  DeltaFileWriter writer(folder, schema);
  writer.Write(*arrow::RecordBatch::Make(schema, 1, {*builder.Finish()}));
  return writer.Finish();
}

/// Brings table `t` to keys 0..limit-1, one commit a key, from whatever is there.
void AppendKeys(const TempFolder& folder, int64_t limit) {
  const ObjectRef ref = folder.Ref("t");
  for (;;) {
    bool done = false;
    DeltaTable::CommitWithRetry(ref, kSchema,
                                [&](const DeltaTable& table) -> std::optional<TableChange> {
                                  const auto next = static_cast<int64_t>(table.files().size());
                                  done = next >= limit;
                                  if (done) return std::nullopt;
                                  TableChange change;
                                  change.operation = "WRITE";
                                  change.adds = {WriteKey(ref, std::to_string(next))};
                                  return change;
                                });
    if (done) return;
  }
}

std::multiset<std::string> Keys(const DeltaTable& table) {
  std::multiset<std::string> out;
  const auto read = table.Read({"k"})->ToTable().ValueOrDie();
  for (int64_t i = 0; i < read->num_rows(); ++i) {
    out.insert((*read->column(0)->GetScalar(i))->ToString());
  }
  return out;
}

std::multiset<std::string> Numbers(int64_t limit) {
  std::multiset<std::string> out;
  for (int64_t i = 0; i < limit; ++i) out.insert(std::to_string(i));
  return out;
}

/// Runs `body` in a process that suffers the fault at its nth change. Whether the process lived.
template <typename Body>
bool Survives(int kind, int64_t nth, Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ar_store_set_fault(kind, nth);
    try {
      body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return false;
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  return true;
}

TEST(Crash, ATableKilledAtAnyChangeHoldsAPrefixAndGoesOn) {
  constexpr int64_t kLimit = 11;  // past a checkpoint
  for (const int kind : {kKill, kKillAfter}) {
    bool lived = false;
    for (int64_t nth = 1; !lived; nth += kind == kKill ? 2 : 3) {
      TempFolder folder;
      lived = Survives(kind, nth, [&] { AppendKeys(folder, kLimit); });
      if (const auto table = DeltaTable::Open(folder.Ref("t"))) {
        const auto files = static_cast<int64_t>(table->files().size());
        EXPECT_EQ(Keys(*table), Numbers(files)) << nth;
        EXPECT_EQ(table->version(), files) << nth;
      }
      AppendKeys(folder, kLimit + 1);
      EXPECT_EQ(Keys(*DeltaTable::Open(folder.Ref("t"))), Numbers(kLimit + 1)) << nth;
      ASSERT_LT(nth, 100);
    }
  }
}

TEST(Crash, AFileListKilledAtAnyChangeIsBeforeOrAfterIt) {
  for (const int kind : {kKill, kKillAfter}) {
    bool lived = false;
    for (int64_t nth = 1; !lived; ++nth) {
      TempFolder folder;
      FileList(folder.Ref("l")).Add({"a", "b"});
      lived = Survives(kind, nth, [&] {
        FileList list(folder.Ref("l"));
        list.Add({"c"});
        list.Remove({"a", "b"});
      });
      std::set<std::string> names;
      for (const auto& entry : FileList(folder.Ref("l")).Entries()) names.insert(entry.filename);
      EXPECT_THAT(
          names, testing::AnyOf(testing::ElementsAre("a", "b"), testing::ElementsAre("a", "b", "c"),
                                testing::ElementsAre("c")));
      if (lived) {
        EXPECT_THAT(names, testing::ElementsAre("c"));
      }
      ASSERT_LT(nth, 100);
    }
  }
}

TEST(Crash, MetadataIsTheOldOrTheNew) {
  TempFolder folder;
  IndexMetadata metadata;
  metadata.format = "parquet";
  metadata.schema_json = "{}";
  metadata.Write(folder.Ref("m.json"));
  for (const int kind : {kKill, kKillAfter}) {
    metadata.batches_since_compact = kind;
    EXPECT_FALSE(Survives(kind, 1, [&] { metadata.Write(folder.Ref("m.json")); }));
    EXPECT_EQ(IndexMetadata::Read(folder.Ref("m.json"))->batches_since_compact,
              kind == kKill ? 0 : kind);
  }
}

TEST(Crash, ALockWhoseHolderWasKilledIsTakenOverOnceStale) {
  TempFolder folder;
  Options options;
  options.lock_timeout_seconds = 0.2;
  options.lock_retry_interval_seconds = 0.01;
  options.lock_max_wait_seconds = 60;
  for (int64_t nth = 1; nth <= 3; ++nth) {
    const bool lived = Survives(kKill, nth, [&] {
      const auto lock = Lock::Acquire(folder.Ref("lock"), options);
      lock->Refresh();
    });
    EXPECT_FALSE(lived);
    const auto lock = Lock::Acquire(folder.Ref("lock"), options);
    lock->Check();
  }
}

TEST(Faults, AFailingStoreIsAnErrorAndTheNextTryGoesOn) {
  TempFolder folder;
  AppendKeys(folder, 1);
  for (const int kind : {kFail, kFailAfter}) {
    for (int64_t nth = 1; nth <= 2; ++nth) {
      const int64_t before = DeltaTable::Open(folder.Ref("t"))->version();
      ar_store_set_fault(kind, nth);
      EXPECT_THROW(AppendKeys(folder, before + 1), StorageError);
      ar_store_set_fault(0, 0);
      AppendKeys(folder, before + 1);
      EXPECT_EQ(Keys(*DeltaTable::Open(folder.Ref("t"))), Numbers(before + 1));
    }
  }
}

TEST(Faults, AFailingCheckpointDoesNotFailTheCommit) {
  TempFolder folder;
  AppendKeys(folder, 9);
  ar_store_set_fault(kFail, 3);  // after the data file and the commit
  AppendKeys(folder, 10);
  ar_store_set_fault(0, 0);
  const auto log = folder.path() / "t" / "_delta_log";
  EXPECT_FALSE(std::filesystem::exists(log / "00000000000000000010.checkpoint.parquet"));
  AppendKeys(folder, 21);
  EXPECT_TRUE(std::filesystem::exists(log / "00000000000000000020.checkpoint.parquet"));
  EXPECT_EQ(Keys(*DeltaTable::Open(folder.Ref("t"))), Numbers(21));
}

}  // namespace
}  // namespace ariadne::storage
