#include "engine/session.h"

#include <arrow/array/array_base.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>
#include <tuple>

#include "ariadne/errors.h"
#include "temp_lake.h"

namespace ariadne::engine {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * sysconf(_SC_PAGE_SIZE);
}

TEST(Session, SaysWhyAResultEndsInTheMiddle) {
  auto session = OpenSession();
  for (const char* late : {"error('too late')", "CAST('too late' || i AS INTEGER)"}) {
    auto rows = session->Query(std::string("SET threads = 1; SELECT CASE WHEN i > 500000 THEN ") +
                               late + " END AS e FROM (SELECT range AS i FROM range(600000))");
    const auto table = rows->ToTable();
    ASSERT_FALSE(table.ok());
    EXPECT_THAT(table.status().message(), HasSubstr("too late"));
  }
}

TEST(Session, StreamsAResultLargerThanItsMemory) {
  auto session = OpenSession(128 << 20);
  auto rows = session->Query("SELECT range AS i, repeat('x', 1000) AS s FROM range(1500000)");
  const int64_t before = ResidentBytes();
  int64_t count = 0, peak = 0;
  std::shared_ptr<arrow::RecordBatch> batch;
  while (rows->ReadNext(&batch).ok() && batch) {
    count += batch->num_rows();
    peak = std::max(peak, ResidentBytes());
  }
  EXPECT_EQ(count, 1500000);
  EXPECT_LT(peak - before, int64_t{512} << 20);
}

TEST(Session, SpillsASortLargerThanItsMemory) {
  auto session = OpenSession(64 << 20);
  auto rows = session->Query(
      "SELECT hash(range) AS h, repeat('x', 100) AS s FROM range(1000000) ORDER BY h");
  int64_t count = 0;
  std::shared_ptr<arrow::RecordBatch> batch;
  arrow::Status status;
  while ((status = rows->ReadNext(&batch)).ok() && batch) count += batch->num_rows();
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(count, 1000000);
}

TEST(Session, TakesNestedColumnsOfTablesOfMoreThanOneBatch) {
  auto session = OpenSession();
  auto table =
      session
          ->Query(
              "SELECT r AS id, CASE WHEN r % 5 > 0 THEN {'a': {'b': r, 'c': {'d': [r]}}} END AS "
              "st, CASE WHEN r % 7 > 0 THEN [{'k': {'v': r}}, NULL] END AS l, "
              "map([r], [{'v': {'w': r}}]) AS m, [[r], [], NULL] AS ll FROM range(5000) t(r)")
          ->ToTable()
          .ValueOrDie();
  session->RegisterTable("t", table);
  EXPECT_EQ(Rows(*session, "FROM t"), Rows(*table));
  session->RegisterTable("t", table->Slice(1001, 3003));
  EXPECT_EQ(Rows(*session, "FROM t"), Rows(*table->Slice(1001, 3003)));
}

TEST(Session, StopsAQueryBeforeItsFirstRow) {
  auto session = OpenSession();
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(session->Query("SELECT sum(a.range * b.range % 7) FROM range(10000000) a, "
                              "range(10000000) b",
                              stop.get_token()),
               Cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_THROW(session->Query("SELECT 1", stop.get_token()), Cancelled);
  EXPECT_EQ(Cell(*session, "SELECT 1"), "1");
}

TEST(Session, StopsAScanBetweenTwoBatches) {
  TempLake lake;
  auto schema = arrow::schema({arrow::field("id", arrow::int64())});
  auto session = OpenSession();
  auto numbers = session->Query("SELECT range AS id FROM range(300000)")->ToTable().ValueOrDie();
  lake.WriteParquet("f.parquet", *numbers, 10000);
  session->RegisterFiles("lake", lake.Files({"f.parquet"}, schema));
  std::stop_source stop;
  auto rows = session->Query("SELECT a.id FROM lake a, range(100000)", stop.get_token());
  std::shared_ptr<arrow::RecordBatch> batch;
  ASSERT_TRUE(rows->ReadNext(&batch).ok());
  stop.request_stop();
  arrow::Status status;
  int batches = 0;
  while ((status = rows->ReadNext(&batch)).ok() && batch && batches < 10000) ++batches;
  EXPECT_TRUE(status.IsCancelled()) << status.ToString();
  EXPECT_TRUE(rows->ReadNext(&batch).IsCancelled());
  EXPECT_THROW(ThrowIfFailed(status), Cancelled);
}

TEST(Session, AnswersAfterAStreamWasDroppedHalfRead) {
  auto session = OpenSession();
  for (int i = 0; i < 3; ++i) {
    auto rows = session->Query("SELECT range FROM range(100000000)");
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(rows->ReadNext(&batch).ok());
  }
  EXPECT_EQ(Cell(*session, "SELECT count(*) FROM range(10)"), "10");
}

TEST(Session, KeepsTheDatabaseOpenForAStreamThatOutlivesIt) {
  auto session = OpenSession();
  auto rows = session->Query("SELECT range FROM range(1000000)");
  session.reset();
  auto table = rows->ToTable();
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->num_rows(), 1000000);
}

TEST(Session, AnswersSeveralThreadsAtOnce) {
  auto session = OpenSession();
  session->RegisterTable(
      "t", TableOf(arrow::schema({arrow::field("i", arrow::int64())}), {"[1, 2, 3]"}));
  std::vector<std::string> sums(4);
  {
    std::vector<std::jthread> threads;
    for (auto& sum : sums) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) sum = Cell(*session, "SELECT sum(i) FROM t");
      });
    }
  }
  EXPECT_THAT(sums, Each("6"));
}

TEST(Session, TellsWhatIsWrongInOneLine) {
  auto session = OpenSession();
  EXPECT_THAT([&] { session->Query("SELECT * FROM nothing_here"); },
              ThrowsMessage<QueryError>(AllOf(HasSubstr("nothing_here"), Not(HasSubstr("\n")))));
  EXPECT_THAT([&] { session->Query("SELEKT"); }, ThrowsMessage<QueryError>(HasSubstr("SELEKT")));
  EXPECT_THROW(std::ignore = session->Metrics("nothing_here"), InvalidArgument);
}

TEST(Session, QuotesNamesAndTexts) {
  auto session = OpenSession();
  const std::string name = "a \"b\" 'c' ; -- é";
  session->RegisterTable(
      name, TableOf(arrow::schema({arrow::field(name, arrow::utf8())}), {R"(["it's"])"}));
  EXPECT_EQ(Cell(*session, "SELECT count(*) FROM " + Session::Quote(name) + " WHERE " +
                               Session::Quote(name) + " = " + Session::Literal("it's")),
            "1");
}

TEST(Session, RegistersTablesOfEveryTypeAndGivesThemBackUnchanged) {
  auto schema = arrow::schema(
      {arrow::field("bool", arrow::boolean()), arrow::field("byte", arrow::int8()),
       arrow::field("short", arrow::int16()), arrow::field("int", arrow::int32()),
       arrow::field("long", arrow::int64()), arrow::field("float", arrow::float32()),
       arrow::field("double", arrow::float64()), arrow::field("dec", arrow::decimal128(38, 10)),
       arrow::field("text", arrow::utf8()), arrow::field("bytes", arrow::binary()),
       arrow::field("date", arrow::date32()),
       arrow::field("ts", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
       arrow::field("ntz", arrow::timestamp(arrow::TimeUnit::MICRO)),
       arrow::field("list", arrow::list(arrow::utf8())),
       arrow::field("struct", arrow::struct_({arrow::field("x y", arrow::int64()),
                                              arrow::field("z", arrow::utf8())})),
       arrow::field("map", arrow::map(arrow::utf8(), arrow::float64()))});
  auto table = TableOf(
      schema, {"[true, false, null]", "[1, -128, null]", "[1, -32768, null]", "[1, -5, null]",
               "[1, 9223372036854775807, null]", "[1.5, -0.0, null]", "[NaN, -0.0, null]",
               R"(["1.0000000001", "-9999999999999999999999999999.0000000000", null])",
               R"(["", "日本 é", null])", R"(["a\u0000b", "", null])", "[0, -1, null]",
               "[0, -1, null]", "[0, 1700000000123456, null]", R"([["a", null], [], null])",
               R"([{"x y": 1, "z": "q"}, {"x y": null, "z": null}, null])",
               R"([[["k", 1.0], ["é", null]], [], null])"});
  auto session = OpenSession();
  session->RegisterTable("t", table);
  auto back = session->Query("SELECT * FROM t")->ToTable().ValueOrDie();
  EXPECT_TRUE(back->schema()->Equals(*schema)) << back->schema()->ToString();
  EXPECT_EQ(Rows(*back), Rows(*table));
}

TEST(Session, RegistersLongSlicedTables) {
  auto session = OpenSession();
  auto table = session
                   ->Query(
                       "SELECT range AS i, range % 3 = 0 AS b, CASE WHEN range % 5 > 0 THEN "
                       "range::VARCHAR END AS s, [range, NULL] AS l FROM range(10000) "
                       "ORDER BY range")
                   ->ToTable()
                   .ValueOrDie();
  auto slice = table->Slice(1234, 7001);
  session->RegisterTable("t", slice);
  EXPECT_EQ(Rows(*session, "SELECT * FROM t"), Rows(*slice));
  // Registered again, it is replaced.
  session->RegisterTable("t", table->Slice(0, 1));
  EXPECT_EQ(Cell(*session, "SELECT count(*) FROM t"), "1");
}

TEST(Session, RegistersDictionariesAndLargeTextAsText) {
  auto session = OpenSession();
  auto text = TableOf(arrow::schema({arrow::field("s", arrow::utf8())}), {R"(["a", "b", null])"});
  for (const auto& type : {arrow::dictionary(arrow::int32(), arrow::utf8()), arrow::large_utf8(),
                           arrow::utf8_view()}) {
    auto cast = arrow::compute::Cast(text->column(0), type);
    ASSERT_TRUE(cast.ok()) << cast.status().ToString();
    session->RegisterTable(
        "t", arrow::Table::Make(arrow::schema({arrow::field("s", type)}), {cast->chunked_array()}));
    EXPECT_THAT(Rows(*session, "SELECT * FROM t"), ElementsAre("\"a\"", "\"b\"", "null"));
    EXPECT_EQ(session->Query("SELECT s FROM t")->schema()->field(0)->type()->ToString(), "string");
  }
}

TEST(Session, LoadsNoExtensionBehindTheUsersBack) {
  auto session = OpenSession();
  EXPECT_THROW(session->Query("SELECT * FROM read_xlsx('x.xlsx')"), QueryError);
  EXPECT_EQ(Cell(*session,
                 "SELECT count(*) FROM duckdb_extensions() WHERE loaded AND "
                 "extension_name IN ('parquet', 'json')"),
            "2");
}

TEST(Session, ComparesTimestampsInUtc) {
  auto session = OpenSession();
  EXPECT_EQ(Cell(*session, "SELECT CAST(TIMESTAMPTZ '2024-01-01 00:00:00+02' AS VARCHAR)"),
            "\"2023-12-31 22:00:00+00\"");
  EXPECT_EQ(Cell(*session,
                 "SELECT CAST(TIMESTAMP '2024-01-01 00:00:00' AS TIMESTAMPTZ) = "
                 "TIMESTAMPTZ '2024-01-01 00:00:00+00'"),
            "true");
}

}  // namespace
}  // namespace ariadne::engine
