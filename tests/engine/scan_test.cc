#include <arrow/array/array_base.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ariadne/errors.h"
#include "temp_lake.h"

namespace ariadne::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class Scan : public ::testing::Test {
 protected:
  TempLake lake_;
  std::unique_ptr<Session> session_ = OpenSession();
};

TEST_F(Scan, GivesTheRowsOfAllFilesWithMissingColumnsAsNull) {
  auto schema =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("s", arrow::utf8())});
  lake_.WriteParquet("a b.parquet", *TableOf(schema, {"[1, 2]", R"(["x", null])"}));
  lake_.WriteParquet("100%.parquet", *TableOf(arrow::schema({schema->field(0)}), {"[3]"}));
  session_->RegisterFiles("lake", lake_.Files({"a b.parquet", "100%.parquet"}, schema));
  EXPECT_THAT(Rows(*session_, "SELECT * FROM lake"),
              ElementsAre(R"(1 | "x")", "2 | null", "3 | null"));
  EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM lake"), "3");
  EXPECT_THAT(Rows(*session_, "SELECT id FROM lake WHERE s IS NULL"), ElementsAre("2", "3"));
  EXPECT_EQ(session_->Metrics("lake").files_opened, 6);
}

TEST_F(Scan, OfNoFilesHasTheDeclaredColumns) {
  auto schema = arrow::schema({arrow::field("id", arrow::int64()),
                               arrow::field("t", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"))});
  session_->RegisterFiles("lake", lake_.Files({}, schema));
  auto rows = session_->Query("SELECT * FROM lake WHERE id > 3");
  EXPECT_TRUE(rows->schema()->Equals(*schema)) << rows->schema()->ToString();
  EXPECT_THAT(Rows(*session_, "SELECT * FROM lake"), IsEmpty());
}

TEST_F(Scan, WidensIntegersFloatsAndDecimals) {
  auto stored =
      arrow::schema({arrow::field("i", arrow::int32()), arrow::field("d", arrow::float32()),
                     arrow::field("m", arrow::decimal128(7, 2)), arrow::field("b", arrow::int8())});
  auto declared = arrow::schema(
      {arrow::field("i", arrow::int64()), arrow::field("d", arrow::float64()),
       arrow::field("m", arrow::decimal128(20, 4)), arrow::field("b", arrow::decimal128(10, 2))});
  lake_.WriteParquet("f.parquet",
                     *TableOf(stored, {"[1, null, 3]", "[0.5, null, 0.1]",
                                       R"(["1.25", null, "-3.10"])", "[7, null, -8]"}));
  session_->RegisterFiles("lake", lake_.Files({"f.parquet"}, declared));
  EXPECT_THAT(Rows(*session_, "SELECT * FROM lake"),
              ElementsAre("1 | 0.5 | 1.2500 | 7.00", "3 | 0.10000000149011612 | -3.1000 | -8.00",
                          "null | null | null | null"));
  // 0.1 is no float, and 1.2499 rounds to a stored decimal: neither may match.
  EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM lake WHERE d = 0.1::DOUBLE"), "0");
  EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM lake WHERE m = 1.2499"), "0");
  EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM lake WHERE m > 1.2499"), "1");
  EXPECT_EQ(Cell(*session_, "SELECT i FROM lake WHERE m = 1.25"), "1");
  EXPECT_EQ(Cell(*session_, "SELECT i FROM lake WHERE i > 1 AND i < 5000000000"), "3");
}

TEST_F(Scan, RefusesAColumnThatIsStoredWiderThanDeclaredAndNamesFileAndColumn) {
  lake_.WriteParquet("f.parquet",
                     *TableOf(arrow::schema({arrow::field("i", arrow::int64())}), {"[1]"}));
  session_->RegisterFiles(
      "lake", lake_.Files({"f.parquet"}, arrow::schema({arrow::field("i", arrow::int32())})));
  EXPECT_THAT([&] { Rows(*session_, "SELECT * FROM lake"); },
              ThrowsMessage<QueryError>(AllOf(HasSubstr(lake_.Url("f.parquet")), HasSubstr("\"i\""),
                                              HasSubstr("BIGINT"), HasSubstr("INTEGER"))));
}

TEST_F(Scan, LooksAtNoColumnThatIsNotRead) {
  auto declared =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("other", arrow::int32()),
                     arrow::field("two", arrow::int32())});
  auto stored =
      arrow::schema({arrow::field("other", arrow::utf8()), arrow::field("TWO", arrow::int32()),
                     arrow::field("Two", arrow::int32()), arrow::field("id", arrow::int64())});
  lake_.WriteParquet("f.parquet",
                     *TableOf(stored, {R"(["x", "y"])", "[1, 2]", "[3, 4]", "[5, 6]"}));
  session_->RegisterFiles("lake", lake_.Files({"f.parquet"}, declared));
  EXPECT_THAT(Rows(*session_, "SELECT id FROM lake"), ElementsAre("5", "6"));
  EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM lake WHERE id > 5"), "1");
  EXPECT_THAT([&] { Rows(*session_, "SELECT id FROM lake WHERE other = 1"); },
              ThrowsMessage<QueryError>(HasSubstr("\"other\" is stored as VARCHAR")));
  EXPECT_THAT([&] { Rows(*session_, "SELECT two FROM lake"); },
              ThrowsMessage<QueryError>(HasSubstr("matches two columns")));
}

TEST_F(Scan, ReadsTimestampsAsTheSameMicrosecondsWithAndWithoutUtcFlag) {
  const std::string values = "[0, 1700000000123456, -1, null]";
  auto of = [](const std::string& zone, arrow::TimeUnit::type unit = arrow::TimeUnit::MICRO) {
    return arrow::schema({arrow::field("t", arrow::timestamp(unit, zone))});
  };
  for (const std::string declared : {"", "UTC"}) {
    for (const std::string stored : {"", "UTC"}) {
      lake_.WriteParquet("f.parquet", *TableOf(of(stored), {values}));
      lake_.WriteParquet("96.parquet", *TableOf(of(stored), {values}), 100, true);
      for (const std::string file : {"f.parquet", "96.parquet"}) {
        session_->RegisterFiles("lake", lake_.Files({file}, of(declared)));
        EXPECT_THAT(Rows(*session_, "SELECT epoch_us(t) FROM lake"),
                    ElementsAre("-1", "0", "1700000000123456", "null"));
        const std::string literal = declared.empty()
                                        ? "TIMESTAMP '2023-11-14 22:13:20.123456'"
                                        : "TIMESTAMPTZ '2023-11-14 22:13:20.123456+00'";
        EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM lake WHERE t = " + literal), "1") << file;
        EXPECT_EQ(session_->Query("SELECT t FROM lake")->schema()->field(0)->type()->ToString(),
                  of(declared)->field(0)->type()->ToString());
      }
    }
  }
}

TEST_F(Scan, TakesPartitionColumnsFromTheFolders) {
  auto schema =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("dt", arrow::date32()),
                     arrow::field("Region", arrow::utf8())});
  auto stored = arrow::schema({schema->field(0)});
  lake_.WriteParquet("dt=2024-01-01/region=a b/x.parquet", *TableOf(stored, {"[1]"}));
  lake_.WriteParquet("dt=2024-01-02/region=__HIVE_DEFAULT_PARTITION__/x.parquet",
                     *TableOf(stored, {"[2]"}));
  session_->RegisterFiles("lake",
                          lake_.Files({"dt=2024-01-01/region=a b/x.parquet",
                                       "dt=2024-01-02/region=__HIVE_DEFAULT_PARTITION__/x.parquet"},
                                      schema));
  EXPECT_THAT(Rows(*session_, "SELECT * FROM lake"),
              ElementsAre(R"(1 | "2024-01-01" | "a b")", R"(2 | "2024-01-02" | null)"));
  EXPECT_EQ(Cell(*session_, "SELECT id FROM lake WHERE dt = DATE '2024-01-02'"), "2");
  EXPECT_EQ(Cell(*session_, "SELECT id FROM lake WHERE Region = 'a b'"), "1");
  EXPECT_EQ(Cell(*session_, "SELECT id FROM lake WHERE Region IS NULL"), "2");
}

TEST_F(Scan, MatchesAnExactNameFirstAndElseTheOnlyOneWithoutCase) {
  auto stored =
      arrow::schema({arrow::field("ID", arrow::int64()), arrow::field("id", arrow::int64()),
                     arrow::field("Name", arrow::utf8())});
  lake_.WriteParquet("f.parquet", *TableOf(stored, {"[1]", "[2]", R"(["x"])"}));
  auto read = [&](const std::string& a, const std::string& b) {
    session_->RegisterFiles(
        "lake", lake_.Files({"f.parquet"}, arrow::schema({arrow::field(a, arrow::int64()),
                                                          arrow::field(b, arrow::utf8())})));
    return Cell(*session_, "SELECT * FROM lake");
  };
  EXPECT_EQ(read("id", "name"), R"(2 | "x")");
  EXPECT_EQ(read("ID", "NAME"), R"(1 | "x")");
  EXPECT_THAT([&] { read("Id", "name"); },
              ThrowsMessage<QueryError>(AllOf(HasSubstr("f.parquet"), HasSubstr("\"Id\""))));
}

TEST_F(Scan, NamesAMissingAndATruncatedFile) {
  auto schema = arrow::schema({arrow::field("id", arrow::int64())});
  session_->RegisterFiles("gone", lake_.Files({"gone file.parquet"}, schema));
  EXPECT_THAT([&] { Rows(*session_, "SELECT * FROM gone"); },
              ThrowsMessage<FileNotFound>(HasSubstr("gone file.parquet")));

  lake_.WriteParquet("f.parquet", *TableOf(schema, {"[1, 2, 3]"}));
  const auto size = std::filesystem::file_size(lake_.Path("f.parquet"));
  for (const auto left : {size - 1, size / 2, size_t{3}, size_t{0}}) {
    lake_.WriteParquet("f.parquet", *TableOf(schema, {"[1, 2, 3]"}));
    std::filesystem::resize_file(lake_.Path("f.parquet"), left);
    session_->RegisterFiles("cut", lake_.Files({"f.parquet"}, schema));
    EXPECT_THAT([&] { Rows(*session_, "SELECT * FROM cut"); },
                ThrowsMessage<QueryError>(HasSubstr("f.parquet")));
  }
  // The database lives on.
  EXPECT_EQ(Cell(*session_, "SELECT 1"), "1");
}

TEST_F(Scan, SkipsRowGroupsByStatisticsAndByTheKeysOfAJoin) {
  auto schema =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("v", arrow::int64())});
  std::string ids = "[", values = "[";
  for (int i = 0; i < 1000; ++i) {
    ids += (i ? "," : "") + std::to_string(i);
    values += (i ? "," : "") + std::to_string(i * 7 % 13);
  }
  lake_.WriteParquet("f.parquet", *TableOf(schema, {ids + "]", values + "]"}), 100);
  auto files = lake_.Files({"f.parquet"}, schema);
  session_->RegisterFiles("constant", files);
  EXPECT_EQ(Cell(*session_, "SELECT v FROM constant WHERE id = 250"), std::to_string(250 * 7 % 13));
  EXPECT_EQ(session_->Metrics("constant").row_groups_read, 1);
  EXPECT_EQ(session_->Metrics("constant").row_groups_skipped, 9);
  EXPECT_EQ(session_->Metrics("constant").rows_read, 100);

  session_->RegisterTable("keys", TableOf(arrow::schema({arrow::field("k", arrow::int64())}),
                                          {"[250, 251, 777, 778, 779]"}));
  session_->RegisterFiles("joined", files);
  EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM joined JOIN keys ON id = k"), "5");
  EXPECT_EQ(session_->Metrics("joined").row_groups_read, 2);
  EXPECT_EQ(session_->Metrics("joined").row_groups_skipped, 8);
}

TEST_F(Scan, SkipsRowGroupsWithoutANullWhereOneIsAskedFor) {
  auto stored =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("v", arrow::int32())});
  lake_.WriteParquet("f.parquet",
                     *TableOf(stored, {"[1, 2, 3, null, 5, 6]", "[1, 2, 3, 4, null, 6]"}), 2);
  lake_.WriteParquet("no v.parquet", *TableOf(arrow::schema({stored->field(0)}), {"[7, 8, null]"}),
                     2);
  auto schema =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("v", arrow::int64())});
  const auto files = lake_.Files({"f.parquet", "no v.parquet"}, schema);
  int count = 0;
  const auto expect = [&](const std::string& condition, const std::string& rows, int read) {
    SCOPED_TRACE(condition);
    const std::string name = "nulls" + std::to_string(count++);
    session_->RegisterFiles(name, files);
    EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM " + name + " WHERE " + condition), rows);
    EXPECT_EQ(session_->Metrics(name).row_groups_read, read);
  };
  expect("id IS NULL", "2", 2);
  // What is read as another type, or is not there, may be NULL for all that statistics say.
  expect("v IS NULL", "4", 5);
  expect("id IS NULL AND v IS NULL", "1", 2);
  expect("id IS NULL OR v IS NULL", "5", 5);
  expect("NOT (id IS NOT NULL)", "2", 5);
  expect("id IS NULL AND id = 3", "0", 1);
}

TEST_F(Scan, IsNotMisledByBloomFiltersOfEqualValuesWithOtherBytes) {
  // The engine writes bloom filters for columns of few distinct values.
  auto session = OpenSession();
  session
      ->Query(
          "COPY (SELECT CASE WHEN range % 2 = 0 THEN -0.0::DOUBLE ELSE 1.5 END AS x, "
          "CASE WHEN range % 2 = 0 THEN encode('é') ELSE 'a'::BLOB END AS b, "
          "(range % 3)::TINYINT AS i, CASE WHEN range % 3 = 0 THEN 'é' ELSE 'z' END AS s, "
          "{'x': CASE WHEN range % 2 = 0 THEN 'nan'::FLOAT ELSE 1 END} AS st "
          "FROM range(5000)) TO " +
          Session::Literal(lake_.Path("f.parquet")) + " (FORMAT parquet)")
      ->ToTable()
      .ValueOrDie();
  auto schema =
      arrow::schema({arrow::field("x", arrow::float64()), arrow::field("b", arrow::binary()),
                     arrow::field("i", arrow::int32()), arrow::field("s", arrow::utf8()),
                     arrow::field("st", arrow::struct_({arrow::field("x", arrow::float32())}))});
  session_->RegisterFiles("lake", lake_.Files({"f.parquet"}, schema));
  auto count = [&](const std::string& predicate) {
    return Cell(*session_, "SELECT count(*) FROM lake WHERE " + predicate);
  };
  EXPECT_EQ(count("x = 0.0"), "2500");
  EXPECT_EQ(count("x IN (0.0, 7)"), "2500");
  EXPECT_EQ(count("b = encode('é')"), "2500");
  EXPECT_EQ(count("i = 1"), "1667");
  EXPECT_EQ(count("s = 'é'"), "1667");
  EXPECT_EQ(count("s = 'm'"), "0");
  EXPECT_EQ(count("st.x > 5"), "2500");
  EXPECT_EQ(count("st.x = 'nan'::FLOAT"), "2500");
}

TEST_F(Scan, ReadsUnmarkedBytesAsTextAndTextAsBytes) {
  auto text = arrow::schema({arrow::field("s", arrow::utf8())});
  auto bytes = arrow::schema({arrow::field("s", arrow::binary())});
  const std::string values = R"(["a", "\\x41", "é", null])";
  lake_.WriteParquet("text.parquet", *TableOf(text, {values}));
  lake_.WriteParquet("bytes.parquet", *TableOf(bytes, {values}));
  session_->RegisterFiles("as_text", lake_.Files({"text.parquet", "bytes.parquet"}, text));
  session_->RegisterFiles("as_bytes", lake_.Files({"text.parquet", "bytes.parquet"}, bytes));
  EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM as_text WHERE s = 'é'"), "2");
  EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM as_bytes WHERE s = encode('é')"), "2");
  EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM as_text WHERE s = '\\x41'"), "2");
  EXPECT_EQ(Cell(*session_, "SELECT count(DISTINCT s) FROM as_bytes"), "3");
}

TEST_F(Scan, OfALargeJoinStreamsWithinItsMemory) {
  auto session = OpenSession(96 << 20);
  auto schema =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("s", arrow::utf8())});
  lake_.WriteParquet("f.parquet",
                     *session->Query("SELECT range AS id, repeat('x', 200) AS s FROM range(100000)")
                          ->ToTable()
                          .ValueOrDie(),
                     10000);
  session->RegisterFiles("lake", lake_.Files({"f.parquet"}, schema));
  auto rows = session->Query("SELECT l.*, r.range FROM lake l, range(10) r");
  std::shared_ptr<arrow::RecordBatch> batch;
  int64_t count = 0;
  while (true) {
    ThrowIfFailed(rows->ReadNext(&batch));
    if (!batch) break;
    count += batch->num_rows();
  }
  EXPECT_EQ(count, 1000000);
}

}  // namespace
}  // namespace ariadne::engine
