#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/table_builder.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "build/workspace.h"
#include "source/spark_schema.h"
#include "storage/delta_writer.h"
#include "test_lake.h"

namespace ariadne::build {
namespace {

using ariadne::testing::TestLake;

/// A staged row by hand: a name, the values of regular column s (nullopt: null), when, which batch.
struct Staged {
  std::string uri;
  std::optional<std::vector<std::string>> values;
  int64_t size = 0;
  std::optional<int64_t> staged_at;
  std::string batch;
};

/// Writes a staging table as another process, or the JVM library, may have left it: one commit and
/// one data file for each group of rows.
void LeaveStaging(const TestLake& lake, const std::vector<std::vector<Staged>>& commits,
                  bool ordering_columns) {
  arrow::FieldVector fields = {
      arrow::field("filename", arrow::utf8()),
      arrow::field("s", arrow::list(arrow::field("element", arrow::utf8()))),
      arrow::field("file_size", arrow::int64())};
  if (ordering_columns) {
    fields.push_back(arrow::field(kStagedAt, arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")));
    fields.push_back(arrow::field(kBatchId, arrow::utf8()));
  }
  const auto schema = arrow::schema(fields);
  const auto folder = lake.layout().staging();
  storage::DeltaTable::Create(folder, source::ToSparkJson(*schema));
  for (const auto& rows : commits) {
    const auto builder =
        arrow::RecordBatchBuilder::Make(schema, arrow::default_memory_pool()).ValueOrDie();
    auto& lists = *builder->GetFieldAs<arrow::ListBuilder>(1);
    auto& values = static_cast<arrow::StringBuilder&>(*lists.value_builder());
    for (const Staged& row : rows) {
      ASSERT_TRUE(builder->GetFieldAs<arrow::StringBuilder>(0)->Append(row.uri).ok());
      ASSERT_TRUE((row.values ? lists.Append() : lists.AppendNull()).ok());
      for (const std::string& value : row.values.value_or(std::vector<std::string>())) {
        ASSERT_TRUE(values.Append(value).ok());
      }
      ASSERT_TRUE(builder->GetFieldAs<arrow::Int64Builder>(2)->Append(row.size).ok());
      if (!ordering_columns) continue;
      auto& time = *builder->GetFieldAs<arrow::TimestampBuilder>(3);
      ASSERT_TRUE((row.staged_at ? time.Append(*row.staged_at) : time.AppendNull()).ok());
      ASSERT_TRUE(builder->GetFieldAs<arrow::StringBuilder>(4)->Append(row.batch).ok());
    }
    storage::DeltaFileWriter writer(folder, schema);
    writer.Write(*builder->Flush().ValueOrDie());
    const storage::DataFile file = writer.Finish();
    storage::DeltaTable::CommitWithRetry(folder, source::ToSparkJson(*schema),
                                         [&](const storage::DeltaTable&) {
                                           storage::TableChange change;
                                           change.operation = "WRITE";
                                           change.adds = {file};
                                           return std::optional(change);
                                         });
  }
}

/// Values of s in the main index, by name.
std::map<std::string, std::vector<std::string>> Values(const TestLake& lake) {
  std::map<std::string, std::vector<std::string>> result;
  const auto rows = TestLake::Rows(*lake.Main())->CombineChunksToBatch().ValueOrDie();
  const auto& names = static_cast<const arrow::StringArray&>(*rows->GetColumnByName("filename"));
  const auto& lists = static_cast<const arrow::ListArray&>(*rows->GetColumnByName("s"));
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    const auto values = lists.value_slice(i);
    auto& entry = result[names.GetString(i)];
    for (int64_t k = 0; k < values->length(); ++k) {
      entry.push_back(static_cast<const arrow::StringArray&>(*values).GetString(k));
    }
  }
  EXPECT_EQ(static_cast<int64_t>(result.size()), rows->num_rows()) << "a file has two rows";
  return result;
}

TEST(Consolidate, FinishesStagingThatAnotherProcessLeftBeforeItPlans) {
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  // The files do not exist: if the rows were not taken over, the update would report them.
  lake.Track({"file:///lake/a.parquet", "file:///lake/b%20c.parquet"});
  LeaveStaging(lake,
               {{{"file:///lake/a.parquet", {{"x", "y"}}, 5, 10, "b1"}},
                {{"file:///lake/b%20c.parquet", {std::vector<std::string>()}, 6, 11, "b2"}}},
               true);
  const UpdateReport report = lake.Update();
  EXPECT_TRUE(report.files_failed.empty());
  const std::map<std::string, std::vector<std::string>> expected = {
      {"file:///lake/a.parquet", {"x", "y"}}, {"file:///lake/b%20c.parquet", {}}};
  EXPECT_EQ(Values(lake), expected);
  EXPECT_EQ(lake.Metadata().total_indexed_file_size, 11);
  EXPECT_EQ(storage::DeltaTable::Open(lake.layout().staging()), nullptr);
}

TEST(Consolidate, RanksRowsOfOneFileTheSameWhateverTheirOrder) {
  const std::string uri = "file:///lake/a.parquet";
  // From worst to best: older, less complete, lesser batch, of equal rank by hash.
  std::vector<Staged> rows = {{uri, {{"old"}}, 1, 9, "z"},
                              {uri, std::nullopt, 1, 10, "z"},
                              {uri, {{"lesser"}}, 1, 10, "a"},
                              {uri, {{"tie", "1"}}, 1, 10, "b"},
                              {uri, {{"tie", "2"}}, 1, 10, "b"}};
  std::mt19937 random(1);
  std::set<std::vector<std::string>> results;
  for (int round = 0; round < 6; ++round) {
    std::shuffle(rows.begin(), rows.end(), random);
    TestLake lake;
    lake.Declare({"s"}, {}, {});
    lake.Track({uri});
    std::vector<std::vector<Staged>> commits(1 + round % 3);
    for (size_t i = 0; i < rows.size(); ++i) commits[i % commits.size()].push_back(rows[i]);
    LeaveStaging(lake, commits, true);
    lake.Update();
    results.insert(Values(lake).at(uri));
  }
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results.begin()->front(), "tie");
}

TEST(Consolidate, TakesTheMoreCompleteRowWhereStagingHasNoOrder) {
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  lake.Track({"file:///lake/a.parquet"});
  LeaveStaging(lake,
               {{{"file:/lake/a.parquet", {{"x"}}, 5, {}, ""}},
                {{"file:///lake/a.parquet", std::nullopt, 5, {}, ""}}},
               false);
  EXPECT_TRUE(lake.Update().files_failed.empty());
  EXPECT_EQ(Values(lake).size(), 1u);
  EXPECT_EQ(Values(lake).begin()->second, std::vector<std::string>{"x"});
}

TEST(Consolidate, ReplacesTheRowOfAFileAndKeepsItsNeighbours) {
  std::mt19937 random(2);
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  std::vector<std::string> uris;
  for (int i = 0; i < 10; ++i) {
    uris.push_back(lake.Write("f" + std::to_string(i), TestLake::RandomRows(&random, 200)));
  }
  lake.Track(uris);
  lake.Update();
  const auto before = Values(lake);
  LeaveStaging(lake, {{{uris[3], {{"new"}}, 77, 10, "b"}}}, true);
  lake.Update();
  auto expected = before;
  expected[uris[3]] = {"new"};
  EXPECT_EQ(Values(lake), expected);
  EXPECT_EQ(lake.Main()->files().size(), 1u);
}

TEST(Consolidate, AColumnThatStagedRowsLackIsBackfilledAfterwards) {
  std::mt19937 random(3);
  TestLake lake;
  lake.Declare({"s"}, {"id"}, {"d"});
  const auto table = TestLake::RandomRows(&random, 0);
  const std::string uri = lake.Write("a", table);
  lake.Track({uri});
  LeaveStaging(lake,
               {{{uri,
                  {std::vector<std::string>()},
                  static_cast<int64_t>(std::filesystem::file_size(lake.path() / "data/a")),
                  10,
                  "b"}}},
               true);
  EXPECT_EQ(lake.Update().files_backfilled, 1);
  lake.Check();
}

TEST(Consolidate, TwoUpdatesAtOnceIndexEachFileOnce) {
  std::mt19937 random(4);
  TestLake lake;
  lake.options().lock_timeout_seconds = 60;
  lake.Declare({"s"}, {"id"}, {"d"});
  std::vector<std::string> uris;
  for (int i = 0; i < 20; ++i) {
    uris.push_back(lake.Write("f" + std::to_string(i), TestLake::RandomRows(&random, 500)));
  }
  lake.Track(uris);
  std::atomic<int64_t> indexed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] { indexed += lake.Update().files_indexed; });
    }
  }
  EXPECT_EQ(indexed, 20);
  lake.Check();
}

TEST(Consolidate, RandomStepsInAnyOrderEndInTheIndexThatBruteForceGives) {
  const std::vector<std::string> columns = {"id", "s", "d", "dec", "ts", "day", "b"};
  for (unsigned seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    TestLake lake;
    std::vector<std::string> declared[3];
    std::vector<std::string> free = columns;
    std::shuffle(free.begin(), free.end(), random);
    lake.Declare({}, {}, {});
    int number = 0;
    for (int step = 0; step < 12; ++step) {
      if (!free.empty() && random() % 3 == 0) {
        declared[random() % 3].push_back(free.back());
        free.pop_back();
        lake.Declare(declared[0], declared[1], declared[2]);
      }
      if (random() % 2 == 0) {
        std::vector<std::string> uris;
        for (unsigned i = random() % 6; i > 0; --i) {
          uris.push_back(
              lake.Write("d" + std::to_string(random() % 5) + "/f" + std::to_string(number++),
                         TestLake::RandomRows(&random, random() % 1200)));
        }
        lake.Track(uris);
      }
      if (random() % 2 == 0 || step == 11) {
        lake.options().memory_bytes = random() % 2 == 0 ? 1 : 0;
        lake.options().staging_consolidation_threshold = 1 + static_cast<int>(random() % 4);
        lake.options().threads = 1 + static_cast<int>(random() % 3);
        lake.Update();
      }
    }
    lake.Track({lake.Write("last", TestLake::RandomRows(&random, 10))});
    lake.Update();
    lake.Check();
  }
}

}  // namespace
}  // namespace ariadne::build
