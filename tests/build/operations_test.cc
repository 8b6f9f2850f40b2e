#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ariadne_delta.h>
#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "build/compact.h"
#include "build/delete.h"
#include "build/file_states.h"
#include "build/row_removal.h"
#include "build/statistics.h"
#include "build/sync.h"
#include "build/vacuum.h"
#include "source/file_uri.h"
#include "source/spark_schema.h"
#include "storage/delta_writer.h"
#include "storage/file_list.h"
#include "test_lake.h"

namespace ariadne::build {
namespace {

namespace fs = std::filesystem;
using ariadne::testing::TestLake;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

UpdateTarget TargetOf(TestLake& lake) {
  return {lake.layout(), std::make_shared<storage::Stores>(), lake.options()};
}

std::set<std::string> Tracked(const TestLake& lake) {
  std::set<std::string> names;
  for (const auto& entry : storage::FileList(lake.layout().file_list()).Entries()) {
    names.insert(entry.filename);
  }
  return names;
}

/// A lake whose index came in several updates, and so in several data files.
struct Grown {
  TestLake lake;
  std::vector<std::string> uris;

  explicit Grown(unsigned seed, int updates = 5, int files = 3) {
    std::mt19937 random(seed);
    lake.Declare({"s", "day"}, {"id", "ts"}, {"d", "dec"});
    for (int update = 0; update < updates; ++update) {
      std::vector<std::string> fresh;
      for (int i = 0; i < files; ++i) {
        // Names interleave, so that data files overlap.
        fresh.push_back(
            lake.Write("a b/" + std::to_string(i) + " ü%" + std::to_string(update) + ".parquet",
                       TestLake::RandomRows(&random, random() % 300)));
      }
      lake.Track(fresh);
      uris.insert(uris.end(), fresh.begin(), fresh.end());
      lake.Update();
    }
  }
};

std::string PlainPath(const std::string& uri) {
  return source::DecodedUrl(uri).substr(std::string("file://").size());
}

TEST(Delete, RemovesFilesUnderAnySpellingAndLeavesTheOthersAsTheyWere) {
  Grown grown(11);
  TestLake& lake = grown.lake;
  const std::vector<std::string>& uris = grown.uris;
  const std::vector<std::string> asked = {PlainPath(uris[0]), uris[4],
                                          "file:" + uris[7].substr(std::string("file://").size()),
                                          "/no/such file.parquet"};
  const DeleteReport report = Delete(TargetOf(lake), asked);
  EXPECT_EQ(report.deleted, 3);
  EXPECT_THAT(report.unknown, ElementsAre("/no/such file.parquet"));
  lake.Check({uris[0], uris[4], uris[7]});
  const auto tracked = Tracked(lake);
  EXPECT_EQ(tracked.size(), uris.size() - 3);
  EXPECT_FALSE(tracked.contains(uris[4]));

  EXPECT_EQ(lake.Update().files_indexed, 0) << "a deleted file does not come back by itself";
  EXPECT_EQ(Delete(TargetOf(lake), {uris[0]}).unknown.size(), 1U);
  lake.Track({uris[0], uris[4], uris[7]});
  EXPECT_EQ(lake.Update().files_indexed, 3);
  lake.Check();
}

TEST(Delete, OfEveryFileLeavesAnEmptyIndexThatWorks) {
  Grown grown(12, 2);
  EXPECT_EQ(Delete(TargetOf(grown.lake), grown.uris).deleted, 6);
  grown.lake.Check({grown.uris.begin(), grown.uris.end()});
  EXPECT_THAT(Tracked(grown.lake), IsEmpty());
  EXPECT_EQ(grown.lake.Metadata().total_indexed_file_size, 0);
  EXPECT_THROW(Delete(TargetOf(grown.lake), {}), InvalidArgument);
  EXPECT_THROW(Delete(TargetOf(grown.lake), {""}), InvalidArgument);
}

/// Lets updates fail, each at a later change of storage, until one has left rows in staging.
void UpdateUntilStaged(TestLake* lake) {
  const auto is_staged = [&] {
    const auto staging = storage::DeltaTable::Open(lake->layout().staging());
    return staging != nullptr && !staging->files().empty();
  };
  constexpr int kFails = 1;  // See ar_store_set_fault.
  for (int64_t change = 1; !is_staged(); ++change) {
    ASSERT_LT(change, 100);
    ar_store_set_fault(kFails, change);
    EXPECT_THROW(lake->Update(), Error);
    ar_store_set_fault(0, 0);
  }
}

TEST(Delete, OfAFileThatIsStillInStagingIsNotUndoneByTheNextUpdate) {
  std::mt19937 random(13);
  TestLake lake;
  lake.Declare({"s"}, {}, {"d"});
  lake.options().memory_bytes = 1;
  lake.options().threads = 1;
  std::vector<std::string> uris;
  for (int i = 0; i < 100; ++i) {
    uris.push_back(lake.Write("f" + std::to_string(100 + i), TestLake::RandomRows(&random, 3000)));
  }
  lake.Track(uris);
  UpdateUntilStaged(&lake);
  EXPECT_EQ(Delete(TargetOf(lake), {uris[0], uris[99]}).deleted, 2);
  lake.Update();
  lake.Check({uris[0], uris[99]});
}

TEST(Delete, RemovesRowsOfALargeIndexToo) {
  Grown grown(14, 2);
  TestLake& lake = grown.lake;
  const auto schema =
      arrow::schema({arrow::field("filename", arrow::utf8()), arrow::field("s", arrow::utf8())});
  const auto folder = lake.layout().large_index("s");
  const auto table = storage::DeltaTable::Create(folder, source::ToSparkJson(*schema));
  storage::DeltaFileWriter writer(folder, schema);
  arrow::StringBuilder names;
  arrow::StringBuilder values;
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(names.Append(grown.uris[i < 1000 ? 0 : 1]).ok());
    ASSERT_TRUE(values.Append(std::to_string(i)).ok());
  }
  const arrow::ArrayVector columns = {names.Finish().ValueOrDie(), values.Finish().ValueOrDie()};
  writer.Write(*arrow::RecordBatch::Make(schema, 3000, columns));
  storage::TableChange change;
  change.operation = "WRITE";
  change.adds = {writer.Finish()};
  table->Commit(change);

  Delete(TargetOf(lake), {grown.uris[0]});
  const auto rows = TestLake::Rows(*storage::DeltaTable::Open(folder));
  ASSERT_EQ(rows->num_rows(), 2000);
  for (int64_t i = 0; i < rows->num_rows(); i += 37) {
    EXPECT_EQ(rows->column(0)->GetScalar(i).ValueOrDie()->ToString(), grown.uris[1]);
    EXPECT_EQ(rows->column(1)->GetScalar(i).ValueOrDie()->ToString(), std::to_string(1000 + i));
  }
}

TEST(Compact, PacksDataFilesAndChangesNoAnswer) {
  for (const int64_t memory : {0, 1}) {
    Grown grown(21, 12, 2);
    TestLake& lake = grown.lake;
    lake.options().memory_bytes = memory;
    const auto dump = lake.Dump();
    const auto before = lake.Main();
    ASSERT_GE(before->files().size(), 10U);
    EXPECT_EQ(lake.Metadata().batches_since_compact, 12);
    const CompactReport report = Compact(TargetOf(lake), {});
    EXPECT_EQ(report.files_before, static_cast<int64_t>(before->files().size()));
    EXPECT_EQ(report.files_after, 1);
    EXPECT_EQ(lake.Main()->files().size(), 1U);
    EXPECT_EQ(lake.Dump(), dump);
    EXPECT_EQ(TestLake::Rows(*before)->num_rows(), 24) << "who reads the old snapshot goes on";
    EXPECT_EQ(lake.Metadata().batches_since_compact, 0);
    lake.Check();

    const auto log = lake.Main()->FileRef("_delta_log");
    const auto commits = log.store->List(log.path);
    std::string last;
    for (const auto& commit : commits) {
      if (commit.path.ends_with(".json")) last = log.store->Get(commit.path)->ToString();
    }
    EXPECT_THAT(last, HasSubstr("\"dataChange\":false"));
    EXPECT_THAT(last, ::testing::Not(HasSubstr("\"dataChange\":true")));

    const auto version = lake.Main()->version();
    EXPECT_EQ(Compact(TargetOf(lake), {}).bytes_rewritten, 0);
    EXPECT_EQ(lake.Main()->version(), version) << "nothing is left to pack";
  }
}

TEST(Compact, HappensByItselfAfterAsManyBatchesAsWereAskedFor) {
  std::mt19937 random(22);
  TestLake lake;
  lake.Declare({"s"}, {"id"}, {"d"});
  lake.options().auto_compact_threshold = 3;
  std::vector<size_t> files;
  std::vector<int64_t> counters;
  for (int i = 0; i < 7; ++i) {
    lake.Track({lake.Write("f" + std::to_string(i), TestLake::RandomRows(&random, 100))});
    lake.Update();
    files.push_back(lake.Main()->files().size());
    counters.push_back(lake.Metadata().batches_since_compact);
  }
  EXPECT_THAT(files, ElementsAre(1, 2, 1, 2, 3, 1, 2));
  EXPECT_THAT(counters, ElementsAre(1, 2, 0, 1, 2, 0, 1));
  lake.Check();
}

/// Names of the files below a folder, the log left out.
std::set<std::string> FilesBelow(const storage::ObjectRef& folder) {
  std::set<std::string> names;
  for (const auto& object : folder.store->List(folder.path)) {
    const std::string name = object.path.substr(folder.path.size() + 1);
    if (!name.starts_with("_delta_log/")) names.insert(name);
  }
  return names;
}

void MakeOld(const fs::path& path, int hours) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
}

TEST(Vacuum, RemovesWhatNothingRefersToAndKeepsWhatAReaderMayNeed) {
  Grown grown(31, 6, 2);
  TestLake& lake = grown.lake;
  Compact(TargetOf(lake), {});
  Delete(TargetOf(lake), {grown.uris[0]});
  const fs::path main = "/" + lake.layout().main_index().path;
  const fs::path native = "/" + lake.layout().native().path;
  const auto before = FilesBelow(lake.layout().main_index());
  // Leftovers of crashes, old and new.
  std::ofstream(main / "part-00000-old.snappy.parquet") << "x";
  std::ofstream(main / ".part-00000-old.snappy.parquet.crc") << "x";
  std::ofstream(main / "part-00000-new.snappy.parquet") << "x";
  std::ofstream(main / ".1-2-3.ariadne-tmp") << "x";
  std::ofstream(main / ".1-2-4.ariadne-tmp") << "x";
  std::ofstream(main / "README") << "somebody else's";
  for (const char* name : {"part-00000-old.snappy.parquet", ".part-00000-old.snappy.parquet.crc",
                           ".1-2-3.ariadne-tmp", "README"}) {
    MakeOld(main / name, 200);
  }
  // Files that were written long ago, and replaced just now.
  for (const std::string& name : before) MakeOld(main / name, 200);

  const VacuumReport dry = Vacuum(TargetOf(lake), {.dry_run = true});
  const VacuumReport report = Vacuum(TargetOf(lake), {});
  EXPECT_EQ(report.files, dry.files);
  EXPECT_EQ(report.files.size(), 3U);
  auto expected = before;
  expected.insert("part-00000-new.snappy.parquet");
  expected.insert("README");
  EXPECT_EQ(FilesBelow(lake.layout().main_index()), expected);
  EXPECT_FALSE(fs::exists(main / ".1-2-3.ariadne-tmp"));
  EXPECT_TRUE(fs::exists(main / ".1-2-4.ariadne-tmp")) << "a write may be in progress";
  lake.Check({grown.uris[0]});

  EXPECT_THROW(Vacuum(TargetOf(lake), {.retention_hours = 1}), InvalidArgument);
  EXPECT_THROW(Vacuum(TargetOf(lake), {.retention_hours = -1, .force = true}), InvalidArgument);
  EXPECT_THROW(Vacuum(TargetOf(lake), {.retention_hours = std::nan("")}), InvalidArgument);
  Vacuum(TargetOf(lake), {.retention_hours = 0, .force = true});
  const auto live = lake.Main()->files();
  ASSERT_EQ(live.size(), 1U);
  EXPECT_THAT(FilesBelow(lake.layout().main_index()),
              UnorderedElementsAreArray({live[0].path, std::string("README")}));
  int lookups = 0;
  for (const auto& entry : fs::recursive_directory_iterator(native / "lookup")) {
    if (!entry.is_regular_file()) continue;
    ++lookups;
    EXPECT_THAT(entry.path().filename().string(), HasSubstr(live[0].path));
  }
  EXPECT_EQ(lookups, 2);
  lake.Check({grown.uris[0]});
  lake.Track({grown.uris[0]});
  lake.Update();
  lake.Check();
}

TEST(Vacuum, LeavesStagedWorkForTheNextUpdate) {
  std::mt19937 random(32);
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  lake.options().memory_bytes = 1;
  lake.options().threads = 1;
  std::vector<std::string> uris;
  for (int i = 0; i < 100; ++i) {
    uris.push_back(lake.Write("f" + std::to_string(i), TestLake::RandomRows(&random, 3000)));
  }
  lake.Track(uris);
  UpdateUntilStaged(&lake);
  Vacuum(TargetOf(lake), {.retention_hours = 0, .force = true});
  const UpdateReport report = lake.Update();
  EXPECT_LT(report.files_indexed, 100) << "what was staged counts";
  lake.Check();
}

TEST(Statistics, RoundAsSparkDoes) {
  EXPECT_EQ(RoundToOneDigit(2.25), 2.3);
  EXPECT_EQ(RoundToOneDigit(2.349), 2.3);
  EXPECT_EQ(RoundToOneDigit(0.05), 0.1);
  EXPECT_EQ(RoundToOneDigit(0.95), 1.0);
  EXPECT_EQ(RoundToOneDigit(7), 7);
  EXPECT_EQ(RoundToOneDigit(1e300), 1e300);
  EXPECT_EQ(RoundToOneDigit(5.0 / 3), 1.7);
  EXPECT_EQ(RoundToOneDigit(5e-324), 0);
  EXPECT_EQ(RoundToOneDigit(-2.25), -2.3);
}

TEST(Statistics, AreThoseOfABruteForceComputation) {
  Grown grown(41, 3, 3);
  TestLake& lake = grown.lake;
  const auto rows = TestLake::Rows(*lake.Main());
  const auto statistics = ComputeStatistics(TargetOf(lake), lake.Metadata());
  ASSERT_EQ(statistics.size(), 6U);
  std::set<std::string> columns;
  for (const ColumnStatistics& column : statistics) {
    columns.insert(column.column);
    EXPECT_EQ(column.file_count, 9);
    EXPECT_EQ(column.built_files, 9);
    EXPECT_EQ(column.values.has_value(), column.kind == "regular");
    EXPECT_EQ(column.fill.has_value(), column.kind == "bloom");
    // Ranges of `d` mostly end in NaN, which has no width.
    if (column.column == "dec") {
      EXPECT_TRUE(column.widths.has_value());
    }
    EXPECT_TRUE(!column.widths || column.kind == "range");
    if (column.fill) {
      EXPECT_GT(column.fill->max, 0.3);
      EXPECT_LT(column.fill->max, 0.7);
      EXPECT_LT(column.fill->false_positive_rate, 0.03);
    }
    if (!column.values) continue;
    std::vector<int64_t> counts;
    const auto cells = rows->GetColumnByName(column.column);
    for (int64_t i = 0; i < cells->length(); ++i) {
      const auto cell = cells->GetScalar(i).ValueOrDie();
      counts.push_back(static_cast<const arrow::ListScalar&>(*cell).value->length());
    }
    std::sort(counts.begin(), counts.end());
    EXPECT_EQ(column.values->min, counts.front());
    EXPECT_EQ(column.values->max, counts.back());
    EXPECT_EQ(column.values->median, counts[4]);
  }
  EXPECT_EQ(columns, (std::set<std::string>{"s", "day", "id", "ts", "d", "dec"}));

  auto metadata = lake.Metadata();
  metadata.regular.push_back("b");
  const auto declared = ComputeStatistics(TargetOf(lake), metadata);
  EXPECT_EQ(declared.front().column, "b");
  EXPECT_EQ(declared.front().built_files, 0) << "declared and not built is no error";
}

class SyncTest : public ::testing::Test {
 protected:
  SyncReport Sync(bool dry_run = false, bool whole_lake = true) {
    return build::Sync(TargetOf(lake_), {.lake = whole_lake ? data() : "", .dry_run = dry_run});
  }
  std::string data() const { return (lake_.path() / "data").string(); }
  std::mt19937 random_{51};
  TestLake lake_;
};

TEST_F(SyncTest, AddsNewFilesDropsVanishedOnesAndIndexesChangedOnesAgain) {
  lake_.Declare({"s"}, {"id"}, {"d"});
  std::vector<std::string> uris;
  for (int i = 0; i < 5; ++i) {
    uris.push_back(lake_.Write("f " + std::to_string(i), TestLake::RandomRows(&random_, 100)));
  }
  SyncReport report = Sync();
  EXPECT_EQ(report.added, uris);
  EXPECT_EQ(report.update.files_indexed, 5);
  EXPECT_GT(report.looked_at_us, 0);
  lake_.Check();
  report = Sync();
  EXPECT_EQ(report.unchanged, 5);
  EXPECT_EQ(report.added.size() + report.vanished.size() + report.changed.size(), 0U);

  fs::remove(PlainPath(uris[1]));
  lake_.Write("f 3", TestLake::RandomRows(&random_, 150));
  const std::string fresh = lake_.Write("f 9", TestLake::RandomRows(&random_, 10));
  const auto version = lake_.Main()->version();
  report = Sync(/*dry_run=*/true);
  EXPECT_THAT(report.added, ElementsAre(fresh));
  EXPECT_THAT(report.vanished, ElementsAre(uris[1]));
  EXPECT_THAT(report.changed, ElementsAre(uris[3]));
  EXPECT_EQ(report.unchanged, 3);
  EXPECT_EQ(lake_.Main()->version(), version) << "a dry run does nothing";
  const SyncReport done = Sync();
  EXPECT_EQ(done.changed, report.changed);
  EXPECT_EQ(done.update.files_indexed, 2);
  lake_.Check({uris[1]});
  EXPECT_FALSE(Tracked(lake_).contains(uris[1]));
}

TEST_F(SyncTest, FollowsTheLogOfADeltaTableAndNotItsFolder) {
  lake_.Declare({"s"}, {}, {});
  const std::string root = source::CanonicalUri(data());
  const auto stores = std::make_shared<storage::Stores>();
  const auto folder = stores->Resolve("file://" + data());
  auto table = storage::DeltaTable::Create(folder, source::ToSparkJson(*TestLake::Schema()));
  const auto commit = [&](const std::vector<std::string>& adds, std::vector<std::string> removes) {
    storage::TableChange change;
    change.operation = "WRITE";
    for (const std::string& name : adds) {
      change.adds.push_back({.path = name, .size = 1, .modified_ms = 1, .stats_json = ""});
    }
    change.removes = std::move(removes);
    table = table->Commit(change);
  };
  EXPECT_THAT(Sync().added, IsEmpty());
  const std::string a = lake_.Write("p=1/a b.parquet", TestLake::RandomRows(&random_, 20));
  const std::string b = lake_.Write("p=2/b.parquet", TestLake::RandomRows(&random_, 20));
  const std::string c = lake_.Write("uncommitted.parquet", TestLake::RandomRows(&random_, 20));
  commit({"p=1/a b.parquet", "p=2/b.parquet"}, {});
  EXPECT_THAT(Sync().added, ElementsAre(a, b));
  lake_.Check({c});
  commit({"uncommitted.parquet"}, {"p=2/b.parquet"});
  const SyncReport report = Sync();
  EXPECT_THAT(report.added, ElementsAre(c));
  EXPECT_THAT(report.vanished, ElementsAre(b)) << "it is there still, and no file of the table";
  lake_.Check({b});
}

TEST_F(SyncTest, NoticesANewFileOfTheSameSize) {
  lake_.Declare({"id"}, {}, {});
  const auto rows = TestLake::RandomRows(&random_, 100);
  const std::string uri = lake_.Write("f", rows);
  Sync();
  const auto size = fs::file_size(PlainPath(uri));
  const auto before = fs::last_write_time(PlainPath(uri));
  lake_.Write("f", rows);
  ASSERT_EQ(fs::file_size(PlainPath(uri)), size);
  fs::last_write_time(PlainPath(uri), before + std::chrono::milliseconds(7));
  EXPECT_THAT(Sync().changed, ElementsAre(uri));
  EXPECT_THAT(Sync().changed, IsEmpty());
}

TEST_F(SyncTest, WithoutRecordsComparesSizesAndTheTimeOfTracking) {
  lake_.Declare({"id"}, {}, {});
  const std::string same = lake_.Write("same", TestLake::RandomRows(&random_, 100));
  const std::string larger = lake_.Write("larger", TestLake::RandomRows(&random_, 100));
  const std::string later = lake_.Write("later", TestLake::RandomRows(&random_, 100));
  for (const auto& uri : {same, larger, later}) MakeOld(PlainPath(uri), 3);
  Sync();
  fs::remove_all("/" + lake_.layout().native().path);
  lake_.Write("larger", TestLake::RandomRows(&random_, 500));
  MakeOld(PlainPath(larger), 3);
  fs::last_write_time(PlainPath(later), fs::file_time_type::clock::now());
  EXPECT_THAT(Sync(false, false).changed, ElementsAre(larger, later));
}

TEST_F(SyncTest, DoesNotTakeALakeThatIsNotThereForAnEmptyOne) {
  lake_.Declare({"id"}, {}, {});
  lake_.Write("a", TestLake::RandomRows(&random_, 10));
  lake_.Write("b", TestLake::RandomRows(&random_, 10));
  Sync();
  fs::rename(data(), data() + " elsewhere");
  EXPECT_THROW(Sync(false, false), StorageError);
  EXPECT_THROW(Sync(false, true), FileNotFound);
  EXPECT_EQ(Tracked(lake_).size(), 2U);
  fs::rename(data() + " elsewhere", data());
  lake_.Check();
}

}  // namespace
}  // namespace ariadne::build
