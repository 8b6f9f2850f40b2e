#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "ariadne/errors.h"
#include "random_files.h"
#include "rowgroup/index_store.h"
#include "scan/file_outlines.h"
#include "scan/row_group_indexing.h"

namespace ariadne::engine {
namespace {

using rowgroup::DiscardReason;
using rowgroup::IndexStore;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

scan::RowGroupIndexing Everything() {
  return {.store = IndexStore::Make(),
          .stores = nullptr,
          .columns = {.bloom = true, .range = true},
          .expressions = true,
          .rate = 0.001,
          .min_table_bytes = 0};
}

std::unique_ptr<Session> OpenSession(const scan::RowGroupIndexing& indexing, int threads) {
  SessionOptions options;
  options.memory_bytes = 512 << 20;
  options.threads = threads;
  options.row_groups = std::make_shared<scan::RowGroupIndexing>(indexing);
  return std::make_unique<Session>(options, std::make_shared<storage::Stores>());
}

std::string Numbers(int64_t count, const std::function<std::string(int64_t)>& text) {
  std::string json = "[";
  for (int64_t i = 0; i < count; ++i) json += (i > 0 ? "," : "") + text(i);
  return json + "]";
}

/// `k` is 7 in every row; `id` are multiples of three in an order that leaves every row group the
/// whole span of values; `s` spells them, `note` is a number but in row `bad`.
std::shared_ptr<arrow::Table> TableOfIds(int64_t rows, int64_t bad = -1) {
  const auto id = [rows](int64_t i) { return std::to_string(3 * ((i * 7919) % rows)); };
  return TableOf(
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("k", arrow::int64()),
                     arrow::field("s", arrow::utf8()), arrow::field("note", arrow::utf8())}),
      {Numbers(rows, id), Numbers(rows, [](int64_t) { return "7"; }),
       Numbers(rows, [&](int64_t i) { return "\"EU" + id(i) + "\""; }),
       Numbers(rows, [&](int64_t i) { return i == bad ? "\"none\"" : "\"1\""; })});
}

class RowGroupIndexes : public ::testing::Test {
 protected:
  void Write(int64_t rows, int64_t row_group_rows, int64_t bad = -1,
             const std::string& name = "a b%.parquet") {
    const auto table = TableOfIds(rows, bad);
    lake_.WriteParquet(name, *table, row_group_rows);
    Register(*session_, name);
  }
  void Register(Session& session, const std::string& name = "a b%.parquet") {
    session.RegisterFiles("lake", lake_.Files({name}, TableOfIds(1)->schema()));
  }
  [[nodiscard]] int64_t Indexes() const { return indexing_.store->size().first; }
  [[nodiscard]] int64_t Skipped() const {
    return session_->Metrics("lake").row_groups_skipped_by_index;
  }
  [[nodiscard]] int64_t Discarded(DiscardReason reason) const {
    return indexing_.store->counters().discarded[static_cast<size_t>(reason)];
  }
  std::string Count(const std::string& condition) {
    // Not through the view: the engine pushes no condition that may fail through a projection.
    return Cell(*session_, "SELECT count(*) FROM ariadne_scan('lake') WHERE " + condition);
  }

  TempLake lake_;
  scan::RowGroupIndexing indexing_ = Everything();
  std::unique_ptr<Session> session_ = OpenSession(indexing_, 1);
};

TEST_F(RowGroupIndexes, AreBuiltByTheFirstQueryAndSkipRowGroupsForTheNext) {
  Write(3000, 1000);
  EXPECT_EQ(Count("id = 300"), "1");
  EXPECT_EQ(Indexes(), 6) << "a filter and a range of each row group";
  EXPECT_EQ(Skipped(), 0);
  EXPECT_EQ(Count("id = 300"), "1");
  EXPECT_EQ(Skipped(), 2);
  EXPECT_EQ(Count("id = 301"), "0");
  EXPECT_EQ(Skipped(), 5);
  EXPECT_EQ(Count("id IN (300, 301, 302, 2997)"), "2");
  EXPECT_EQ(Count("id IN (301, 302)"), "0") << "the engine makes a range of it";
  EXPECT_EQ(Count("s = 'EU300'"), "1");
  EXPECT_EQ(Count("s IN ('EU300', 'EU301')"), "1");
  EXPECT_EQ(Indexes(), 12);
  EXPECT_EQ(Cell(*session_, "SELECT s FROM lake WHERE id = 300 AND s = 'EU300'"), "\"EU300\"");
  EXPECT_EQ(indexing_.store->counters().built, 12);
}

TEST_F(RowGroupIndexes, OfSeveralColumnsAreBuiltByOneQuery) {
  Write(3000, 1000);
  EXPECT_EQ(Count("id = 300 AND s = 'EU300' AND k = 7"), "1");
  EXPECT_EQ(Indexes(), 18) << "no filter may hide rows from the observer of another column";
  EXPECT_EQ(Count("s = 'EU303' AND k = 7"), "1");
  EXPECT_EQ(Skipped(), 2);
  EXPECT_EQ(Count("id = 303"), "1");
}

TEST_F(RowGroupIndexes, OfExpressionsAreBuiltAndAskedByTheirWholeText) {
  Write(3000, 1000);
  EXPECT_EQ(Count("substring(s, 1, 6) = 'EU3000'"), "1");
  EXPECT_EQ(Indexes(), 3);
  EXPECT_EQ(Count("substring(s, 1, 6) = 'EU3001'"), "0");
  EXPECT_EQ(Skipped(), 3);
  EXPECT_EQ(Count("substring(s, 1, 5) = 'EU300'"), "5") << "another expression";
  EXPECT_EQ(Skipped(), 3);
  EXPECT_EQ(Count("CAST(substring(s, 3) AS BIGINT) = 300"), "1");
  EXPECT_EQ(Count("CAST(substring(s, 3) AS INTEGER) IN (299, 301)"), "0");
  EXPECT_EQ(Skipped(), 3) << "a cast to another type is another expression";
  EXPECT_EQ(Count("CAST(substring(s, 3) AS BIGINT) IN (299, 301)"), "0");
  EXPECT_EQ(Skipped(), 6);
}

TEST_F(RowGroupIndexes, OfAnExpressionThatFailsOnARowAreNotBuiltAndRaiseNothing) {
  Write(3000, 1000, /*bad=*/1500);
  // The other condition keeps the bad row from the cast.
  EXPECT_EQ(Count("TRY_CAST(note AS BIGINT) = 1 AND k = 7"), "2999");
  const auto before = Indexes();
  EXPECT_THROW(Count("CAST(note AS BIGINT) = 1"), QueryError);
  EXPECT_EQ(Count("TRY_CAST(note AS BIGINT) = 2"), "0");
  EXPECT_GE(Indexes(), before);
  EXPECT_EQ(Count("TRY_CAST(note AS BIGINT) = 1"), "2999");
}

TEST_F(RowGroupIndexes, AreOffUnlessSwitchedOn) {
  indexing_ = Everything();
  indexing_.columns = {};
  indexing_.expressions = false;
  session_ = OpenSession(indexing_, 1);
  Write(3000, 1000);
  EXPECT_EQ(Count("id = 300"), "1");
  EXPECT_EQ(Count("substring(s, 1, 6) = 'EU3000'"), "1");
  EXPECT_EQ(Indexes(), 0);

  indexing_.columns = {.bloom = true, .range = false};
  session_ = OpenSession(indexing_, 1);
  Register(*session_);
  EXPECT_EQ(Count("id = 300"), "1");
  EXPECT_EQ(Count("substring(s, 1, 6) = 'EU3000'"), "1");
  EXPECT_EQ(Indexes(), 3);
}

TEST_F(RowGroupIndexes, AreNotBuiltOfATableThatIsTooSmall) {
  indexing_.min_table_bytes = 1 << 30;
  session_ = OpenSession(indexing_, 1);
  Write(3000, 1000);
  EXPECT_EQ(Count("id = 300"), "1");
  EXPECT_EQ(Indexes(), 0);
}

TEST_F(RowGroupIndexes, OfAFileThatWasOverwrittenAreNotAsked) {
  Write(3000, 1000);
  EXPECT_EQ(Count("id = 300"), "1");
  EXPECT_EQ(Count("id = 9999"), "0");
  Write(6000, 1000);
  EXPECT_EQ(Count("id = 9999"), "1");
  EXPECT_EQ(Count("id = 300"), "1");
}

TEST_F(RowGroupIndexes, OfOneFileAreNoneOfAnotherToWhichALinkLeadsNow) {
  Write(3000, 1000, -1, "v1.parquet");
  lake_.WriteParquet("v2.parquet", *TableOfIds(6000), 3000);
  const auto lead_to = [&](const char* version) {
    std::filesystem::remove(lake_.Path("cur.parquet"));
    std::filesystem::create_symlink(version, lake_.Path("cur.parquet"));
    Register(*session_, "cur.parquet");
  };
  lead_to("v1.parquet");
  EXPECT_EQ(Count("id = 9999"), "0");
  lead_to("v2.parquet");
  EXPECT_EQ(Count("id = 9999"), "1");
  lead_to("v1.parquet");
  EXPECT_EQ(Count("id = 9999"), "0");
  EXPECT_EQ(Count("id = 300"), "1");
}

TEST_F(RowGroupIndexes, KeepAFileUnreadOfWhichTheyRuleOutEveryRowGroup) {
  const auto stores = std::make_shared<storage::Stores>();
  SessionOptions options;
  options.row_groups = std::make_shared<scan::RowGroupIndexing>(indexing_);
  session_ = std::make_unique<Session>(options, stores);
  Write(3000, 1000);
  const auto read = [&](const std::string& condition, const std::string& count) {
    Register(*session_);
    const int64_t before = stores->counters().bytes_read;
    EXPECT_EQ(Count(condition), count) << condition;
    return stores->counters().bytes_read - before;
  };
  EXPECT_GT(read("id = 300", "1"), 0);
  EXPECT_EQ(read("id = 301", "0"), 0);
  EXPECT_EQ(session_->Metrics("lake").files_opened, 0);
  EXPECT_EQ(Skipped(), 3);
  EXPECT_EQ(read("id = 301 AND k = 7", "0"), 0);
  EXPECT_EQ(read("id = 301 OR id = 302", "0"), 0);
  EXPECT_GT(read("id = 301 OR k = 7", "3000"), 0);
  EXPECT_GT(read("id = 303", "1"), 0);
  EXPECT_EQ(session_->Metrics("lake").files_opened, 1);
  Write(6000, 1000);
  EXPECT_GT(read("id = 9999", "1"), 0) << "another file by now";
  std::filesystem::remove(lake_.Path("a b%.parquet"));
  EXPECT_THROW(Count("id = 301"), Error);
}

TEST_F(RowGroupIndexes, OfFilesWhoseOutlinesWereForgottenAreAskedAllTheSame) {
  indexing_.outlines = std::make_shared<scan::FileOutlines>(6000);
  session_ = OpenSession(indexing_, 2);
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) {
    names.push_back("f" + std::to_string(i) + ".parquet");
    lake_.WriteParquet(names.back(), *TableOfIds(300), 100);
  }
  session_->RegisterFiles("lake", lake_.Files(names, TableOfIds(1)->schema()));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(Count("id = 300"), "20");
    EXPECT_EQ(Count("id = 301"), "0");
    const auto [files, bytes] = indexing_.outlines->size();
    EXPECT_GT(files, 0);
    EXPECT_LT(files, 20);
    EXPECT_LE(bytes, 6000);
  }
  EXPECT_EQ(Skipped(), 3 * 60 + 2 * 40);
}

TEST_F(RowGroupIndexes, AreNotCommittedWhereALimitStopsTheScan) {
  Write(200'000, 200'000);
  EXPECT_THAT(Rows(*session_, "SELECT k FROM lake WHERE k = 7 LIMIT 2"), ElementsAre("7", "7"));
  EXPECT_EQ(Indexes(), 0);
  EXPECT_EQ(Discarded(DiscardReason::kStoppedEarly), 2);
  // The value that ends the scan comes first; others never were seen.
  EXPECT_EQ(Cell(*session_, "SELECT id FROM lake WHERE id = 0 LIMIT 1"), "0");
  EXPECT_EQ(Count("id = 599997"), "1");
  EXPECT_EQ(Count("k = 7"), "200000");
}

TEST_F(RowGroupIndexes, AreNotCommittedWhereTheQueryIsCancelled) {
  Write(400'000, 400'000);
  std::stop_source stop;
  {
    auto rows = session_->Query("SELECT id FROM lake WHERE k = 7", stop.get_token());
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(rows->ReadNext(&batch).ok());
    stop.request_stop();
    EXPECT_FALSE(rows->ReadNext(&batch).ok());
  }
  EXPECT_EQ(Indexes(), 0);
  EXPECT_EQ(Count("k = 7"), "400000");
  EXPECT_EQ(Indexes(), 2);
}

TEST_F(RowGroupIndexes, AreNotCommittedWhereTheReaderOfTheRowsGoesAway) {
  Write(400'000, 400'000);
  {
    auto rows = session_->Query("SELECT id FROM lake WHERE k = 7");
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(rows->ReadNext(&batch).ok());
  }
  EXPECT_EQ(Indexes(), 0);
  EXPECT_EQ(Discarded(DiscardReason::kStoppedEarly), 2);
}

TEST_F(RowGroupIndexes, AreNotCommittedWhereTheQueryFailsInTheMiddle) {
  Write(200'000, 50'000, /*bad=*/120'000);
  EXPECT_THROW(Rows(*session_, "SELECT sum(CAST(note AS BIGINT)) FROM lake WHERE k = 7"),
               QueryError);
  EXPECT_EQ(Indexes(), 0) << "also row groups before the failure belong to a task that failed";
  EXPECT_EQ(Count("k = 7"), "200000") << "and a retry starts afresh";
  EXPECT_EQ(Indexes(), 8);
}

TEST_F(RowGroupIndexes, AreNotCommittedWhereTheFileIsDamagedInTheMiddle) {
  Write(200'000, 50'000);
  const auto path = lake_.Path("a b%.parquet");
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  auto damaged = bytes;
  const auto size = static_cast<ptrdiff_t>(bytes.size());
  std::fill(damaged.begin() + size / 2, damaged.begin() + size / 10 * 9, '\x5A');
  std::ofstream(path, std::ios::binary) << damaged;
  EXPECT_THROW(Rows(*session_,
                    "SELECT max(s), max(note) FROM lake WHERE id <> 1 AND s = 'EU3' "
                    "OR id = 3"),
               QueryError);
  EXPECT_THROW(Rows(*session_, "SELECT max(note) FROM lake WHERE s = 'EU3' AND k = 7"), QueryError);
  EXPECT_EQ(Indexes(), 0);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(Count("s = 'EU3' AND id = 3"), "1");
}

TEST_F(RowGroupIndexes, AreNotCommittedWhereTheFileIsReplacedMeanwhile) {
  Write(400'000, 400'000);
  {
    auto rows = session_->Query("SELECT id FROM lake WHERE k = 7");
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(rows->ReadNext(&batch).ok());
    lake_.WriteParquet("other.parquet", *TableOfIds(10));
    std::filesystem::rename(lake_.Path("other.parquet"), lake_.Path("a b%.parquet"));
    do {
      ASSERT_TRUE(rows->ReadNext(&batch).ok());
    } while (batch);
  }
  EXPECT_EQ(Indexes(), 0);
  EXPECT_EQ(Discarded(DiscardReason::kFileChanged), 2);
  Register(*session_);
  EXPECT_EQ(Count("k = 7"), "10");
}

TEST_F(RowGroupIndexes, OfASampleSpeakOfAllRows) {
  Write(200'000, 50'000);
  Rows(*session_, "SELECT id FROM lake TABLESAMPLE SYSTEM (10 PERCENT) WHERE id = 3");
  Rows(*session_, "SELECT id FROM (SELECT * FROM lake WHERE id = 3) USING SAMPLE 1 ROWS");
  Rows(*session_, "SELECT id FROM lake TABLESAMPLE BERNOULLI (1 PERCENT) WHERE s = 'EU3'");
  for (const int64_t id : {0, 3, 150'000, 599'997}) {
    EXPECT_EQ(Count("id = " + std::to_string(id)), "1");
    EXPECT_EQ(Count("s = 'EU" + std::to_string(id) + "'"), "1");
  }
}

TEST_F(RowGroupIndexes, AreBuiltOnceByQueriesAtTheSameTime) {
  Write(100'000, 5'000);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 3; ++i) {
    sessions.push_back(OpenSession(indexing_, 2));
    Register(*sessions.back());
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      for (const int64_t id : {3 * i, 30'000 + 3 * i, 1}) {
        EXPECT_EQ(Cell(*sessions[static_cast<size_t>(i)],
                       "SELECT count(*) FROM lake WHERE id = " + std::to_string(id)),
                  id == 1 ? "0" : "1");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(Indexes(), 40);
  EXPECT_EQ(indexing_.store->counters().built, 40);
  for (const auto& each : indexing_.store->List()) {
    EXPECT_EQ(each.index->rows, 5'000);
    EXPECT_NEAR(static_cast<double>(each.index->distinct.value()), 5'000, 250);
  }
}

TEST_F(RowGroupIndexes, FollowTheKeysOfAJoin) {
  Write(3000, 1000);
  EXPECT_EQ(Count("id = 300"), "1");
  session_->RegisterTable(
      "keys", TableOf(arrow::schema({arrow::field("id", arrow::int64())}), {"[301, 1502, 4]"}));
  EXPECT_THAT(Rows(*session_, "SELECT s FROM lake JOIN keys USING (id)"), IsEmpty());
  EXPECT_EQ(Skipped(), 3);
}

TEST_F(RowGroupIndexes, KeepAFieldsIndexByItsIdWhateverItsName) {
  // Two files of one set that swap their names: what is indexed is the field of the file.
  const auto id = [](int number) {
    return arrow::key_value_metadata({"PARQUET:field_id"}, {std::to_string(number)});
  };
  const auto first = arrow::schema({arrow::field("a", arrow::int64(), true, id(1)),
                                    arrow::field("b", arrow::int64(), true, id(2))});
  const auto second = arrow::schema({arrow::field("b", arrow::int64(), true, id(1)),
                                     arrow::field("a", arrow::int64(), true, id(2))});
  lake_.WriteParquet("1.parquet", *TableOf(first, {"[1, 5, 9]", "[2, 6, 8]"}));
  lake_.WriteParquet("2.parquet", *TableOf(second, {"[1, 5, 9]", "[2, 6, 8]"}));
  session_->RegisterFiles("lake", lake_.Files({"1.parquet", "2.parquet"}, first));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Count("a = 5"), "1");
    EXPECT_EQ(Count("a = 6"), "1");
    EXPECT_EQ(Count("b = 5"), "1");
    EXPECT_EQ(Count("b = 6"), "1");
  }
  std::set<std::string> targets;
  for (const auto& each : indexing_.store->List()) targets.insert(each.key.target);
  EXPECT_THAT(targets, ElementsAre("#1:BIGINT", "#2:BIGINT"));
}

TEST(RowGroupIndexesOfManyValues, AreBuiltWhileTheirValuesAreComparedByHash) {
  // More than the engine filters at once, as dictionaries and as they are.
  constexpr int64_t kRows = 7000;
  const auto orNull = [](int64_t i, const std::string& text) {
    return i % 10 == 9 ? "null" : text;
  };
  const auto number = [&](int64_t i) { return orNull(i, std::to_string((i * 7919) % kRows)); };
  const auto real = [&](int64_t i) {
    const std::string half = std::to_string(i / 2) + (i % 2 == 0 ? ".0" : ".5");
    return orNull(i, i % 100 == 0 ? "-0.0" : i % 100 == 1 ? "NaN" : half);
  };
  const auto text = [&](int64_t i) {
    return orNull(i, (i % 2 == 0 ? "\"EU" : "\"longer than a word EU") + std::to_string(i) + "\"");
  };
  const auto decimal = [&](int64_t i) { return orNull(i, "\"-" + std::to_string(i) + ".25\""); };
  const auto table = TableOf(
      arrow::schema({arrow::field("n", arrow::int32()), arrow::field("x", arrow::float64()),
                     arrow::field("s", arrow::utf8()), arrow::field("m", arrow::decimal128(30, 2)),
                     arrow::field("few", arrow::int64())}),
      {Numbers(kRows, number), Numbers(kRows, real), Numbers(kRows, text), Numbers(kRows, decimal),
       Numbers(kRows, [](int64_t i) { return std::to_string(i % 3); })});
  TempLake lake;
  lake.WriteParquet("1.parquet", *table);
  auto plain = engine::OpenSession();
  plain->RegisterTable("lake", table);

  std::vector<std::string> conditions = {"x = 0.0::DOUBLE", "x = -0.0::DOUBLE", "x = 'nan'::DOUBLE",
                                         "few = 1",         "few = 3",          "n = NULL"};
  std::mt19937 random(5);
  for (int64_t i = 0; i < 12; ++i) {
    // Some are beyond the last row.
    const auto row = static_cast<int64_t>(random() % (kRows + 500));
    conditions.push_back("n = " + number(row));
    conditions.push_back("x = " + std::to_string(row / 2) + ".5::DOUBLE");
    conditions.push_back(
        "s = '" + ((row % 2 == 0 ? "EU" : "longer than a word EU") + std::to_string(row)) + "'");
    conditions.push_back("m = -" + std::to_string(row) + ".25::DECIMAL(30, 2)");
  }
  size_t built = 0;
  for (const std::string& condition : conditions) {
    const auto indexing = Everything();
    auto session = OpenSession(indexing, 1);
    session->RegisterFiles("lake", lake.Files({"1.parquet"}, table->schema()));
    const std::string sql = "SELECT * FROM lake WHERE " + condition;
    EXPECT_EQ(Rows(*session, sql), Rows(*plain, sql)) << condition;
    built += indexing.store->size().first > 0 ? 1 : 0;
    EXPECT_EQ(Rows(*session, sql), Rows(*plain, sql)) << condition << ", by the indexes";
  }
  EXPECT_GT(built, conditions.size() / 2) << "statistics rule the others out";
}

// More rounds by ARIADNE_RANDOM_ROUNDS.
int Rounds(int usual) {
  const char* more = std::getenv("ARIADNE_RANDOM_ROUNDS");
  return more == nullptr ? usual : std::atoi(more);
}

/// Something that ends badly, or early.
void Disturb(Session& session, const std::string& condition, std::mt19937& random) {
  std::string sql = "SELECT id FROM lake WHERE " + condition;
  std::stop_source stop;
  switch (random() % 5) {
    case 0:
      sql += " LIMIT 1";
      break;
    case 1:
      sql = "SELECT CASE WHEN id % 7 = 3 THEN error('injected') ELSE id END FROM lake WHERE " +
            condition;
      break;
    case 2:
      sql = "SELECT id FROM lake TABLESAMPLE 20 PERCENT WHERE " + condition;
      break;
    case 3:
      stop.request_stop();
      break;
    default:
      sql = "SELECT 1 WHERE EXISTS (" + sql + ")";
      break;
  }
  try {
    auto rows = session.Query(sql, stop.get_token());
    std::shared_ptr<arrow::RecordBatch> batch;
    std::ignore = rows->ReadNext(&batch);
  } catch (const Error&) {
  }
}

std::string RandomCondition(std::mt19937& random) {
  const std::vector<std::string> expressions = {
      "substring(s, 1, 3) = 'abc'",
      "upper(s) IN ('A', 'ZZ', 'É')",
      "length(s) = 9",
      "CAST(i AS VARCHAR) = '41'",
      "i + 1 = 42",
      "abs(x) = 1.5",
      "CAST(n AS DATE) = DATE '1970-01-01'",
      "year(d) = 1970",
      "CAST(m AS DOUBLE) = 1.25",
      "TRY_CAST(s AS BIGINT) = 3",
      "CAST(x AS VARCHAR) = '-0.0'",
      "reverse(s) = 'zz'",
      "CAST(t AS DATE) = DATE '1970-01-01'",
      "CAST(CAST(d AS TIMESTAMP) AS VARCHAR) LIKE '%-03-%'",
      "CAST(f AS DOUBLE) = 0.25",
      "lower(s) || 'x' = 'ax'",
      "i % 20 IN (3, NULL)"};
  if (random() % 4 == 0) {
    const auto& expression = expressions[random() % expressions.size()];
    return random() % 2 == 0 ? expression : expression + " AND " + RandomPredicate(random);
  }
  return RandomPredicate(random);
}

TEST(RandomRowGroupIndexes, NeverChangeAnAnswerWhateverEndedBadlyBefore) {
  int64_t skipped = 0;
  for (int seed = 0; seed < Rounds(6); ++seed) {
    std::mt19937 random(7000 + seed);
    TempLake lake;
    const auto files = MakeRandomFiles(lake, random);
    auto indexing = Everything();
    if (random() % 3 == 0) indexing.store = IndexStore::Make({.entries = 10, .bytes = 0});
    auto session = OpenSession(indexing, 1 + static_cast<int>(random() % 2));
    auto plain = engine::OpenSession();
    session->RegisterFiles("lake", files.files);
    plain->RegisterTable("lake", files.truth);
    for (int i = 0; i < 30; ++i) {
      const std::string condition = RandomCondition(random);
      if (random() % 2 == 0) Disturb(*session, condition, random);
      for (const std::string from : {"lake", "ariadne_scan('lake')"}) {
        ASSERT_EQ(Rows(*session, "SELECT * FROM " + from + " WHERE " + condition),
                  Rows(*plain, "SELECT * FROM lake WHERE " + condition))
            << "seed " << seed << ": " << condition;
      }
    }
    skipped += session->Metrics("lake").row_groups_skipped_by_index;
  }
  EXPECT_GT(skipped, Rounds(6));
}

}  // namespace
}  // namespace ariadne::engine
