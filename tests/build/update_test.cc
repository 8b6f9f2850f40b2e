#include "build/update.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include <arrow/table.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "build/built_cells.h"
#include "storage/file_list.h"
#include "test_lake.h"

namespace ariadne::build {
namespace {

using ariadne::testing::TestLake;
using ::testing::HasSubstr;

const std::vector<std::string> kAllRegular = {"id", "s", "d", "dec", "ts", "day", "b"};

TEST(Update, IndexesEveryKindAndTypeAsABruteForceComputationDoes) {
  std::mt19937 random(1);
  struct Declared {
    std::vector<std::string> regular, bloom, range;
  };
  const std::vector<std::string> none;
  for (const auto& [regular, bloom, range] :
       {Declared{kAllRegular, none, none}, Declared{none, kAllRegular, none},
        Declared{none, none, kAllRegular}, Declared{{"s", "dec"}, {"id", "ts"}, {"d", "day"}}}) {
    TestLake lake;
    lake.Declare(regular, bloom, range);
    std::vector<std::string> uris;
    for (int i = 0; i < 12; ++i) {
      uris.push_back(lake.Write("f" + std::to_string(i) + ".parquet",
                                TestLake::RandomRows(&random, random() % 3000)));
    }
    uris.push_back(lake.Write("empty.parquet", TestLake::RandomRows(&random, 0)));
    uris.push_back(lake.Write("a b/100%/Ärger 😀.parquet", TestLake::RandomRows(&random, 50)));
    lake.Track(uris);
    const UpdateReport report = lake.Update();
    EXPECT_EQ(report.files_indexed, 14);
    EXPECT_EQ(report.files_backfilled, 0);
    EXPECT_TRUE(report.files_failed.empty());
    EXPECT_EQ(report.batches, 1);
    EXPECT_EQ(report.bytes_indexed, lake.Metadata().total_indexed_file_size);
    EXPECT_GT(report.bytes_written, 0);
    EXPECT_EQ(lake.Metadata().batches_since_compact, 1);
    lake.Check();
  }
}

TEST(Update, DoesNothingASecondTime) {
  std::mt19937 random(2);
  TestLake lake;
  lake.Declare({"s"}, {"id"}, {"ts"});
  lake.Track({lake.Write("a.parquet", TestLake::RandomRows(&random, 100)),
              lake.Write("empty.parquet", TestLake::RandomRows(&random, 0))});
  lake.Update();
  const auto version = lake.Main()->version();
  const UpdateReport report = lake.Update();
  EXPECT_EQ(report.files_indexed + report.files_backfilled + report.batches, 0);
  EXPECT_EQ(lake.Main()->version(), version);
  lake.Check();
}

TEST(Update, OfAnIndexWithoutFilesOrColumnsIsNoError) {
  TestLake lake;
  lake.Declare({}, {}, {});
  EXPECT_EQ(lake.Update().files_indexed, 0);
  std::mt19937 random(2);
  lake.Track({lake.Write("a.parquet", TestLake::RandomRows(&random, 100))});
  EXPECT_EQ(lake.Update().files_indexed, 1);
  lake.Check();
}

TEST(Update, OfAnIndexThatDoesNotExistSaysSo) {
  TestLake lake;
  EXPECT_THROW(lake.Update(), IndexNotFound);
  EXPECT_FALSE(std::filesystem::exists(lake.path() / "root")) << "nothing is created";
}

TEST(Update, ManySmallBatchesEndAsOneLargeOne) {
  std::mt19937 random(3);
  std::vector<std::shared_ptr<arrow::Table>> tables;
  for (int i = 0; i < 40; ++i) tables.push_back(TestLake::RandomRows(&random, 2000));
  std::vector<std::vector<std::string>> dumps;
  for (const bool small : {true, false}) {
    TestLake lake;
    if (small) {
      lake.options().memory_bytes = 1;
      lake.options().staging_consolidation_threshold = 3;
    }
    lake.Declare({"s", "id"}, {"ts"}, {"d"});
    std::vector<std::string> uris;
    for (size_t i = 0; i < tables.size(); ++i) {
      uris.push_back(lake.Write("f" + std::to_string(i), tables[i]));
    }
    lake.Track(uris);
    const UpdateReport report = lake.Update();
    EXPECT_EQ(report.files_indexed, 40);
    if (small) {
      EXPECT_GT(report.batches, 6);
    } else {
      EXPECT_EQ(report.batches, 1);
    }
    lake.Check();
  }
}

TEST(Update, AddsFilesToAnIndexThatHasSome) {
  std::mt19937 random(4);
  TestLake lake;
  lake.Declare({"s"}, {"id"}, {"ts"});
  for (int round = 0; round < 5; ++round) {
    std::vector<std::string> uris;
    for (int i = 0; i < 3; ++i) {
      uris.push_back(lake.Write(std::to_string(round) + "-" + std::to_string(i),
                                TestLake::RandomRows(&random, 300)));
    }
    lake.Track(uris);
    EXPECT_EQ(lake.Update().files_indexed, 3);
    lake.Check();
  }
}

TEST(Update, BackfillsColumnsThatWereDeclaredLater) {
  std::mt19937 random(5);
  for (const int64_t memory : {0, 1}) {
    TestLake lake;
    lake.options().memory_bytes = memory;
    lake.options().staging_consolidation_threshold = 2;
    lake.Declare({"s"}, {}, {});
    std::vector<std::string> uris;
    for (int i = 0; i < 20; ++i) {
      uris.push_back(lake.Write("f" + std::to_string(i), TestLake::RandomRows(&random, 1000)));
    }
    lake.Track(uris);
    lake.Update();
    lake.Check();
    lake.Declare({"s", "day"}, {"id", "d"}, {"ts"});
    lake.Track({lake.Write("new", TestLake::RandomRows(&random, 1000))});
    const UpdateReport report = lake.Update();
    EXPECT_EQ(report.files_backfilled, 20);
    EXPECT_EQ(report.files_indexed, 1);
    lake.Check();
    EXPECT_EQ(lake.Update().files_backfilled, 0);
  }
}

TEST(Update, ABackfillThatFailsForOneFileKeepsItsOtherColumnsAndIsTriedAgain) {
  std::mt19937 random(6);
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  const auto rows = TestLake::RandomRows(&random, 500);
  const std::string gone = lake.Write("gone", rows);
  lake.Track({gone, lake.Write("stays", TestLake::RandomRows(&random, 500))});
  lake.Update();
  std::filesystem::rename(lake.path() / "data/gone", lake.path() / "moved");
  lake.Declare({"s"}, {"id"}, {"ts"});
  UpdateReport report = lake.Update();
  EXPECT_EQ(report.files_backfilled, 1);
  ASSERT_EQ(report.files_failed.size(), 1u);
  EXPECT_EQ(report.files_failed[0].uri, gone);
  EXPECT_EQ(lake.Main()->files().size(), 1u);
  std::filesystem::rename(lake.path() / "moved", lake.path() / "data/gone");
  report = lake.Update();
  EXPECT_EQ(report.files_backfilled, 1);
  EXPECT_TRUE(report.files_failed.empty());
  lake.Check();
}

TEST(Update, FilesThatCannotBeReadAreReportedAndStopNoOther) {
  std::mt19937 random(7);
  TestLake lake;
  lake.Declare({"s"}, {"id"}, {"ts"});
  const std::string good = lake.Write("good", TestLake::RandomRows(&random, 100));
  const std::string cut = lake.Write("cut", TestLake::RandomRows(&random, 5000));
  std::filesystem::resize_file(lake.path() / "data/cut",
                               std::filesystem::file_size(lake.path() / "data/cut") / 2);
  const std::string text = lake.WriteBytes("text", "this is no Parquet file");
  const std::string nothing = lake.WriteBytes("nothing", "");
  const std::string gone = "file://" + (lake.path() / "data/gone").string();
  lake.Track({good, cut, text, nothing, gone});
  for (int round = 0; round < 2; ++round) {
    const UpdateReport report = lake.Update();
    EXPECT_EQ(report.files_indexed, round == 0 ? 1 : 0);
    ASSERT_EQ(report.files_failed.size(), 4u);
    EXPECT_EQ(report.files_failed[0].uri, cut);
    EXPECT_EQ(report.files_failed[1].uri, gone);
    EXPECT_EQ(report.files_failed[2].uri, nothing);
    EXPECT_EQ(report.files_failed[3].uri, text);
    for (const FailedFile& failed : report.files_failed) EXPECT_FALSE(failed.error.empty());
    lake.Check({cut, text});
  }
  lake.Write("cut", TestLake::RandomRows(&random, 5000));
  EXPECT_EQ(lake.Update().files_indexed, 1);
}

TEST(Update, TakesTheSpellingsOfOneFileForOne) {
  std::mt19937 random(8);
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  lake.Write("a b.parquet", TestLake::RandomRows(&random, 100));
  const std::string path = (lake.path() / "data/a b.parquet").string();
  std::string escaped = path;
  escaped.replace(escaped.find("a b"), 3, "a%20b");
  lake.Track({path, "file:" + escaped, "file://" + escaped});
  EXPECT_EQ(lake.Update().files_indexed, 1);
  lake.Check();
  EXPECT_EQ(lake.Update().files_indexed, 0);
}

TEST(Update, StopsAtAFileBoundaryAndLosesNothing) {
  std::mt19937 random(9);
  TestLake lake;
  lake.options().threads = 1;
  lake.options().memory_bytes = 1;
  lake.options().staging_consolidation_threshold = 1000;
  lake.Declare({"s"}, {"id"}, {"ts"});
  std::vector<std::string> uris;
  for (int i = 0; i < 150; ++i) {
    uris.push_back(lake.Write("f" + std::to_string(i), TestLake::RandomRows(&random, 3000)));
  }
  lake.Track(uris);
  std::stop_source stop;
  UpdateOptions options;
  options.stop = stop.get_token();
  int64_t seen = 0;
  options.progress = [&](const UpdateProgress& progress) {
    seen = progress.files_done;
    if (progress.files_done > 0) stop.request_stop();
  };
  EXPECT_THROW(lake.Update(options), Cancelled);
  EXPECT_GT(seen, 0);
  EXPECT_NE(storage::DeltaTable::Open(lake.layout().staging()), nullptr);
  const UpdateReport report = lake.Update();
  EXPECT_LT(report.files_indexed, 150);
  lake.Check();
}

TEST(Update, TellsItsProgressToTheEnd) {
  std::mt19937 random(10);
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  std::vector<std::string> uris;
  for (int i = 0; i < 5; ++i) {
    uris.push_back(lake.Write("f" + std::to_string(i), TestLake::RandomRows(&random, 100)));
  }
  lake.Track(uris);
  std::vector<UpdateProgress> told;
  UpdateOptions options;
  options.progress = [&](const UpdateProgress& progress) { told.push_back(progress); };
  lake.Update(options);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().files_done, 5);
  EXPECT_EQ(told.back().files_total, 5);
  EXPECT_EQ(told.back().bytes_done, told.back().bytes_total);
  EXPECT_GT(told.back().bytes_total, 0);
  EXPECT_STREQ(told.front().phase, "plan");
  EXPECT_STREQ(told.back().phase, "consolidate");
}

TEST(Update, SetsATotalRightThatACrashLeftWrong) {
  std::mt19937 random(11);
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  lake.Track({lake.Write("a", TestLake::RandomRows(&random, 100))});
  lake.Update();
  storage::IndexMetadata metadata = lake.Metadata();
  metadata.total_indexed_file_size = 17;
  metadata.Write(lake.layout().metadata());
  lake.Update();
  lake.Check();
}

TEST(Update, KeysOfTheMetadataThatItDoesNotKnowSurvive) {
  std::mt19937 random(12);
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  storage::IndexMetadata metadata = lake.Metadata();
  metadata.unknown_keys_json = R"({"from_the_future":{"a":1}})";
  metadata.Write(lake.layout().metadata());
  lake.Track({lake.Write("a", TestLake::RandomRows(&random, 100))});
  lake.Update();
  EXPECT_THAT(lake.Metadata().unknown_keys_json, HasSubstr("from_the_future"));
}

TEST(Update, AStagingFolderThatIsNoTableIsReportedAndStays) {
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  const auto staging = lake.path() / "root/indexes/test/staging";
  std::filesystem::create_directories(staging);
  EXPECT_NO_THROW(lake.Update()) << "an empty folder counts as absent";
  std::filesystem::create_directories(staging);
  std::ofstream(staging / "precious.txt") << "not ours";
  EXPECT_THROW(lake.Update(), InvalidDeltaTable);
  EXPECT_TRUE(std::filesystem::exists(staging / "precious.txt"));
}

TEST(Update, GoesOnWithARemovalOfStagingThatWasCutOffAnywhere) {
  std::mt19937 random(13);
  for (int keep = 0; keep < 4; ++keep) {
    TestLake lake;
    lake.Declare({"s"}, {}, {});
    lake.Track({lake.Write("a", TestLake::RandomRows(&random, 100))});
    lake.Update();
    // What is left of a staging table: data without a log, a log that lacks its beginning, ...
    const auto staging = lake.path() / "root/indexes/test/staging";
    std::filesystem::create_directories(staging / "_delta_log");
    if (keep == 1) std::ofstream(staging / "part-0.parquet") << "PAR1";
    if (keep == 2) std::ofstream(staging / "_delta_log/00000000000000000001.json") << "{}\n";
    if (keep == 3) std::filesystem::remove(staging / "_delta_log");
    std::filesystem::create_directories(lake.path() / "root/indexes/test/native");
    std::ofstream(lake.path() / "root/indexes/test/native/staging_merged.json")
        << R"({"files":["part-0.parquet"]})";
    lake.Update();
    lake.Check();
    EXPECT_FALSE(
        std::filesystem::exists(lake.path() / "root/indexes/test/native/staging_merged.json"));
  }
}

TEST(Update, LosesTheLockRatherThanWriteBesideAnother) {
  std::mt19937 random(14);
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  lake.Track({lake.Write("a", TestLake::RandomRows(&random, 100))});
  UpdateOptions options;
  options.progress = [&](const UpdateProgress& progress) {
    // Another process takes the lock over between two steps.
    if (std::string_view(progress.phase) == "plan") return;
    const auto lock = lake.layout().update_lock();
    lock.store->Put(lock.path, R"({"correlationId":"other","acquiredAt":"2026-01-01T00:00:00Z",)"
                               R"("lastRefreshedAt":"2026-01-01T00:00:00Z","owner":"other"})");
  };
  EXPECT_THROW(lake.Update(options), LockLost);
  EXPECT_TRUE(lake.Main() == nullptr || lake.Main()->files().empty());
}

}  // namespace
}  // namespace ariadne::build
