#include "storage/delta_table.h"

#include <fstream>
#include <random>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "storage/delta_writer.h"
#include "temp_folder.h"

namespace ariadne::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kSchema[] =
    R"({"type":"struct","fields":[{"name":"k","type":"string","nullable":true,"metadata":{}},)"
    R"({"name":"v","type":"long","nullable":true,"metadata":{}}]})";

std::shared_ptr<arrow::RecordBatch> Rows(const std::vector<std::pair<std::string, int64_t>>& rows) {
  arrow::StringBuilder keys;
  arrow::Int64Builder values;
  for (const auto& [key, value] : rows) {
    EXPECT_TRUE(keys.Append(key).ok() && values.Append(value).ok());
  }
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("k", arrow::utf8()), arrow::field("v", arrow::int64())}),
      static_cast<int64_t>(rows.size()), {*keys.Finish(), *values.Finish()});
}

DataFile WriteRows(const ObjectRef& folder,
                   const std::vector<std::pair<std::string, int64_t>>& rows) {
  const auto batch = Rows(rows);
  DeltaFileWriter writer(folder, batch->schema());
  writer.Write(*batch);
  return writer.Finish();
}

std::multiset<std::string> Values(const DeltaTable& table, const std::string& column) {
  std::multiset<std::string> out;
  const auto read = table.Read({column})->ToTable().ValueOrDie();
  for (int64_t i = 0; i < read->num_rows(); ++i) {
    out.insert((*read->column(0)->GetScalar(i))->ToString());
  }
  return out;
}

std::string LogLine(const TempFolder& folder, const std::string& name, int version,
                    const std::string& action) {
  char file[40];
  std::snprintf(file, sizeof(file), "%020d.json", version);
  std::ifstream in(folder.path() / name / "_delta_log" / file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("{\"" + action + "\"", 0) == 0) return line;
  }
  return "";
}

TableChange Append(DataFile file) {
  TableChange change;
  change.operation = "WRITE";
  change.adds = {std::move(file)};
  return change;
}

TEST(DeltaTable, AppendsRowsThatReadBack) {
  for (const std::string name : {"plain", "[ariadne_index] x", "a b", "per%20cent", "50%", "q?*",
                                 "a#1", "ünï-日本", "a+b&c=d", "x:y"}) {
    TempFolder folder;
    const ObjectRef ref = folder.Ref(name);
    EXPECT_EQ(DeltaTable::Open(ref), nullptr);
    auto table = DeltaTable::Create(ref, kSchema);
    EXPECT_EQ(table->version(), 0) << name;
    EXPECT_TRUE(table->files().empty());
    EXPECT_EQ(table->schema_json(), kSchema);
    const DataFile file = WriteRows(ref, {{"a", 1}, {"b", 2}});
    table = table->Commit(Append(file));
    EXPECT_EQ(table->version(), 1);
    const auto opened = DeltaTable::Open(ref);
    ASSERT_EQ(opened->files().size(), 1U);
    EXPECT_EQ(opened->files()[0].path, file.path);
    EXPECT_EQ(opened->files()[0].size, file.size);
    EXPECT_EQ(opened->files()[0].num_records, 2);
    EXPECT_EQ(opened->files()[0].stats_json, file.stats_json);
    EXPECT_TRUE(opened->is_plain());
    EXPECT_THAT(Values(*opened, "k"), ElementsAre("a", "b"));
  }
}

TEST(DeltaTable, IsCreatedAtTheProtocolThatEveryReaderOpens) {
  TempFolder folder;
  (void)DeltaTable::Create(folder.Ref("t"), kSchema);
  EXPECT_EQ(LogLine(folder, "t", 0, "protocol"),
            R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})");
  const auto meta = nlohmann::json::parse(LogLine(folder, "t", 0, "metaData"))["metaData"];
  EXPECT_EQ(meta["schemaString"], kSchema);
  EXPECT_TRUE(meta["configuration"].empty());
}

TEST(DeltaTable, TakesTheTimestampNtzFeatureOnlyWhereTheSchemaNeedsIt) {
  TempFolder folder;
  const std::string schema =
      R"({"type":"struct","fields":[{"name":"a","type":{"type":"array","elementType":)"
      R"("timestamp_ntz","containsNull":true},"nullable":true,"metadata":{}}]})";
  auto table = DeltaTable::Create(folder.Ref("t"), schema);
  EXPECT_THAT(LogLine(folder, "t", 0, "protocol"), HasSubstr("timestampNtz"));
  TableChange change = Append({.path = "x.parquet", .size = 1});
  EXPECT_EQ(table->Commit(change)->version(), 1);

  table = DeltaTable::Create(folder.Ref("u"), kSchema);
  TableChange alter;
  alter.operation = "ALTER TABLE";
  alter.add_columns_json = R"([{"name":"n","type":"timestamp_ntz"}])";
  table = table->Commit(alter);
  EXPECT_THAT(LogLine(folder, "u", 1, "protocol"), HasSubstr("timestampNtz"));
  EXPECT_THAT(DeltaTable::Open(folder.Ref("u"))->schema_json(), HasSubstr("timestamp_ntz"));
}

TEST(DeltaTable, CreatingTwiceOpensWhatIsThere) {
  TempFolder folder;
  auto first = DeltaTable::Create(folder.Ref("t"), kSchema);
  first = first->Commit(Append(WriteRows(folder.Ref("t"), {{"a", 1}})));
  const auto second = DeltaTable::Create(folder.Ref("t"), kSchema);
  EXPECT_EQ(second->version(), 1);
}

TEST(DeltaTable, AnEmptyFolderIsAbsent) {
  TempFolder folder;
  std::filesystem::create_directories(folder.path() / "t" / "_delta_log");
  EXPECT_EQ(DeltaTable::Open(folder.Ref("t")), nullptr);
  EXPECT_EQ(DeltaTable::Create(folder.Ref("t"), kSchema)->version(), 0);
}

TEST(DeltaTable, AFolderOfOtherThingsIsReportedAndKept) {
  TempFolder folder;
  const auto expect_invalid = [&](const std::string& name) {
    try {
      (void)DeltaTable::Open(folder.Ref(name));
      ADD_FAILURE() << name;
    } catch (const InvalidDeltaTable& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
    }
    EXPECT_THROW((void)DeltaTable::Create(folder.Ref(name), kSchema), InvalidDeltaTable);
  };
  std::filesystem::create_directories(folder.path() / "files");
  std::ofstream(folder.path() / "files" / "a.parquet") << "x";
  expect_invalid("files");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "files" / "a.parquet"));

  std::filesystem::create_directories(folder.path() / "broken" / "_delta_log");
  std::ofstream(folder.path() / "broken" / "_delta_log" / "00000000000000000000.json") << "{oops";
  expect_invalid("broken");

  std::filesystem::create_directories(folder.path() / "gap" / "_delta_log");
  std::ofstream(folder.path() / "gap" / "_delta_log" / "00000000000000000003.json") << "{}\n";
  expect_invalid("gap");
}

TEST(DeltaTable, ACommitOnAnOldSnapshotConflictsAndChangesNothing) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("t");
  const auto base = DeltaTable::Create(ref, kSchema);
  const auto newer = base->Commit(Append(WriteRows(ref, {{"a", 1}})));
  EXPECT_THROW((void)base->Commit(Append(WriteRows(ref, {{"b", 2}}))), CommitConflict);
  EXPECT_THAT(Values(*DeltaTable::Open(ref), "k"), ElementsAre("a"));
  EXPECT_EQ(newer->Commit(Append(WriteRows(ref, {{"b", 2}})))->version(), 2);
}

TEST(DeltaTable, ARewriteRemovesAndAddsInOneCommit) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("t");
  auto table = DeltaTable::Create(ref, kSchema);
  table = table->Commit(Append(WriteRows(ref, {{"a", 1}})));
  table = table->Commit(Append(WriteRows(ref, {{"b", 2}})));
  TableChange change = Append(WriteRows(ref, {{"a", 1}, {"b", 2}}));
  change.operation = "OPTIMIZE";
  change.data_change = false;
  for (const auto& file : table->files()) change.removes.push_back(file.path);
  table = table->Commit(change);
  EXPECT_EQ(table->files().size(), 1U);
  EXPECT_THAT(Values(*table, "k"), ElementsAre("a", "b"));
  EXPECT_THAT(LogLine(folder, "t", 3, "remove"), HasSubstr(R"("dataChange":false)"));
  EXPECT_THAT(LogLine(folder, "t", 3, "add"), HasSubstr(R"("dataChange":false)"));
  // A file that is gone cannot be removed again.
  EXPECT_THROW((void)table->Commit(change), InvalidArgument);
}

TEST(DeltaTable, FilesWithEncodedNamesAreRemovedByTheNameTheLogHas) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("t");
  auto table = DeltaTable::Create(ref, kSchema);
  // As another writer may have spelled it.
  std::ofstream(folder.path() / "t" / "_delta_log" / "00000000000000000001.json")
      << R"({"add":{"path":"a%20b%C3%BC+c.parquet","partitionValues":{},"size":3,)"
      << R"("modificationTime":5,"dataChange":true}})"
      << "\n";
  table = table->Refresh();
  ASSERT_EQ(table->files().size(), 1U);
  EXPECT_EQ(table->files()[0].path, "a bü+c.parquet");
  EXPECT_EQ(table->files()[0].num_records, -1);
  TableChange change;
  change.operation = "DELETE";
  change.removes = {"a bü+c.parquet"};
  change.adds = {{.path = "odd name % #1.parquet", .size = 7}};
  table = table->Commit(change);
  ASSERT_EQ(table->files().size(), 1U);
  EXPECT_EQ(table->files()[0].path, "odd name % #1.parquet");
}

TEST(DeltaTable, AColumnIsAddedAndOlderFilesReadAsNull) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("t");
  auto table = DeltaTable::Create(ref, kSchema);
  table = table->Commit(Append(WriteRows(ref, {{"a", 1}})));
  TableChange change;
  change.operation = "ALTER TABLE";
  change.add_columns_json =
      R"([{"name":"l","type":{"type":"array","elementType":"string","containsNull":true}}])";
  table = table->Commit(change);
  EXPECT_THAT(table->schema_json(), HasSubstr(R"("name":"l")"));
  EXPECT_THAT(Values(*table, "l"), ElementsAre("null"));
  EXPECT_THAT(Values(*table, "k"), ElementsAre("a"));
  EXPECT_THROW((void)table->Commit(change), InvalidArgument);
}

TEST(DeltaTable, RefreshSeesWhatWasCommittedAndKeepsWhatWasNot) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("t");
  const auto table = DeltaTable::Create(ref, kSchema);
  EXPECT_EQ(table->Refresh()->version(), 0);
  (void)DeltaTable::Open(ref)->Commit(Append(WriteRows(ref, {{"a", 1}})));
  EXPECT_EQ(table->Refresh()->version(), 1);
  EXPECT_THAT(Values(*table->Refresh(), "k"), ElementsAre("a"));
  EXPECT_EQ(table->version(), 0);
}

TEST(DeltaTable, RefreshNoticesATableThatWasRemovedAndMadeAgain) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("t");
  auto table = DeltaTable::Create(ref, kSchema);
  table = table->Commit(Append(WriteRows(ref, {{"old", 1}})));
  ref.store->DeleteFolder(ref.path);
  EXPECT_EQ(table->Refresh(), nullptr);
  auto again = DeltaTable::Create(ref, kSchema);
  EXPECT_EQ(table->Refresh()->version(), 0);
  again = again->Commit(Append(WriteRows(ref, {{"new", 1}})));
  EXPECT_THAT(Values(*table->Refresh(), "k"), ElementsAre("new"));
}

TEST(DeltaTable, RemembersTheTransactionOfAnApplication) {
  TempFolder folder;
  auto table = DeltaTable::Create(folder.Ref("t"), kSchema);
  EXPECT_FALSE(table->AppVersion("me").has_value());
  TableChange change = Append({.path = "x.parquet", .size = 1});
  change.app_id = "me";
  change.app_version = 7;
  table = table->Commit(change);
  EXPECT_EQ(table->AppVersion("me"), 7);
  EXPECT_FALSE(table->AppVersion("you").has_value());
}

TEST(DeltaTable, EveryTenthCommitWritesACheckpointAndRemovesOldCommitsThatItCovers) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("t");
  auto table = DeltaTable::Create(ref, kSchema);
  std::string stats;
  for (int i = 1; i <= 9; ++i) {
    DataFile file = WriteRows(ref, {{"k" + std::to_string(i), i}});
    stats = file.stats_json;
    table = table->Commit(Append(std::move(file)));
  }
  const auto log = folder.path() / "t" / "_delta_log";
  for (const auto& entry : std::filesystem::directory_iterator(log)) {
    const utimbuf old{1'000'000'000, 1'000'000'000};
    ASSERT_EQ(utime(entry.path().c_str(), &old), 0);
  }
  table = DeltaTable::Open(ref);
  table = table->Commit(Append(WriteRows(ref, {{"k10", 10}})));
  EXPECT_TRUE(std::filesystem::exists(log / "00000000000000000010.checkpoint.parquet"));
  EXPECT_TRUE(std::filesystem::exists(log / "_last_checkpoint"));
  EXPECT_FALSE(std::filesystem::exists(log / "00000000000000000009.json"));
  EXPECT_TRUE(std::filesystem::exists(log / "00000000000000000010.json"));
  const auto opened = DeltaTable::Open(ref);
  EXPECT_EQ(opened->version(), 10);
  EXPECT_EQ(Values(*opened, "k").size(), 10U);
  const auto& files = opened->files();
  EXPECT_TRUE(std::any_of(files.begin(), files.end(),
                          [&](const DataFile& file) { return file.stats_json == stats; }));
}

TEST(DeltaTable, WritersInManyThreadsLoseNoCommit) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("t");
  constexpr int kThreads = 4;
  constexpr int kEach = 8;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string key = std::to_string(t) + "-" + std::to_string(i);
        (void)DeltaTable::CommitWithRetry(
            ref, kSchema,
            [&](const DeltaTable&) {
              return Append(WriteRows(ref, {{key, i}}));
            },
            100);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto table = DeltaTable::Open(ref);
  EXPECT_EQ(table->version(), kThreads * kEach);
  const auto keys = Values(*table, "k");
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), size_t{kThreads * kEach});
  EXPECT_EQ(keys.size(), size_t{kThreads * kEach});
}

TEST(DeltaTable, RandomHistoriesReadAsAReferenceSays) {
  std::mt19937 random(42);
  for (int round = 0; round < 4; ++round) {
    TempFolder folder;
    const ObjectRef ref = folder.Ref("a table %41");
    auto table = DeltaTable::Create(ref, kSchema);
    std::map<std::string, std::multiset<std::string>> expected;  // by file
    for (int step = 0; step < 35; ++step) {
      TableChange change;
      change.operation = "WRITE";
      std::vector<std::string> live;
      for (const auto& [path, keys] : expected) live.push_back(path);
      std::shuffle(live.begin(), live.end(), random);
      live.resize(std::min<size_t>(live.size(), random() % 3));
      change.removes = live;
      for (const auto& path : live) expected.erase(path);
      for (unsigned n = random() % 3; n > 0; --n) {
        std::vector<std::pair<std::string, int64_t>> rows;
        for (unsigned r = 1 + random() % 4; r > 0; --r) {
          rows.emplace_back("k" + std::to_string(random() % 50), random());
        }
        DataFile file = WriteRows(ref, rows);
        for (const auto& [key, value] : rows) expected[file.path].insert(key);
        change.adds.push_back(std::move(file));
      }
      if (random() % 2 == 0) table = random() % 2 == 0 ? table->Refresh() : DeltaTable::Open(ref);
      table = table->Commit(change);
      std::multiset<std::string> all;
      for (const auto& [path, keys] : expected) all.insert(keys.begin(), keys.end());
      ASSERT_EQ(Values(*table, "k"), all) << "round " << round << " step " << step;
      ASSERT_EQ(table->files().size(), expected.size());
    }
  }
}

TEST(DeltaTable, ATableWithRulesOfItsOwnIsNotWritten) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("t");
  (void)DeltaTable::Create(ref, kSchema);
  std::ofstream(folder.path() / "t" / "_delta_log" / "00000000000000000001.json")
      << R"({"protocol":{"minReaderVersion":1,"minWriterVersion":4}})"
      << "\n";
  const auto table = DeltaTable::Open(ref);
  EXPECT_EQ(table->version(), 1);
  EXPECT_THROW((void)table->Commit(Append({.path = "x.parquet", .size = 1})), StorageError);
}

}  // namespace
}  // namespace ariadne::storage
