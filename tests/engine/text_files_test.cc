// SQL over sets of CSV and JSON files. What single files give is tested with `text`.

#include <fstream>
#include <sstream>

#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "temp_lake.h"

namespace ariadne::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;
using Options = std::vector<std::pair<std::string, std::string>>;

std::shared_ptr<arrow::DataType> Instant() {
  return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
}

class TextFiles : public ::testing::Test {
 protected:
  void Register(const std::vector<std::string>& names, arrow::FieldVector fields,
                const std::string& format, const Options& options = {}) {
    auto files = lake_.Files(names, arrow::schema(std::move(fields)));
    files->format = format;
    files->read_options = options;
    session_->RegisterFiles("lake", files);
  }
  void CopyFixture(const std::string& name) {
    std::ifstream in(ARIADNE_TEST_DATA "/text/" + name, std::ios::binary);
    ASSERT_TRUE(in) << name;
    std::ostringstream text;
    text << in.rdbuf();
    lake_.WriteText(name, text.str());
  }

  TempLake lake_;
  std::unique_ptr<Session> session_ = OpenSession();
};

TEST_F(TextFiles, OfTheCsvFixtureGiveTheRowsThatSparkRecorded) {
  for (const char* name : {"c0.csv", "c1.csv", "c2_headeronly.csv", "c3_baddate.csv"}) {
    CopyFixture(name);
  }
  const arrow::FieldVector fields = {
      arrow::field("id", arrow::int32()),      arrow::field("name", arrow::utf8()),
      arrow::field("price", arrow::float64()), arrow::field("day", arrow::date32()),
      arrow::field("flag", arrow::boolean()),  arrow::field("at", Instant())};
  const Options options = {{"delimiter", "|"}, {"header", "true"}};
  Register({"c0.csv", "c1.csv", "c2_headeronly.csv"}, fields, "csv", options);
  EXPECT_THAT(
      Rows(*session_, "SELECT id, name, price, day::VARCHAR, flag, epoch_us(\"at\") FROM lake"),
      ElementsAre(R"(1 | "alice" | 1.5 | "2024-01-01" | true | 1704103200000000)",
                  R"(2 | "bob" | null | "2024-01-02" | false | null)",
                  R"(3 | "pi|pe" | 1e+10 | "2024-01-03" | null | 1704240000500000)",
                  R"(4 | "jürgen" | 0.1 | "2024-02-01" | true | 1706738400000000)",
                  R"(null | "x" | null | null | null | null)",
                  R"(null | null | "NaN" | null | null | null)"));
  // Spark ends the read at this date; here it is no value, as mode PERMISSIVE says.
  Register({"c3_baddate.csv"}, fields, "csv", options);
  EXPECT_THAT(Rows(*session_, "SELECT id, name, day FROM lake"), ElementsAre(R"(7 | "q" | null)"));
}

TEST_F(TextFiles, OfTheJsonFixtureGiveNestedValues) {
  CopyFixture("j0.json");
  CopyFixture("j1.json");
  const auto item =
      arrow::struct_({arrow::field("sku", arrow::utf8()), arrow::field("qty", arrow::int32()),
                      arrow::field("dim", arrow::struct_({arrow::field("w", arrow::float64())}))});
  Register({"j0.json", "j1.json"},
           {arrow::field("order", arrow::int64()), arrow::field("customer", arrow::utf8()),
            arrow::field("items", arrow::list(item))},
           "json", {{"multiLine", "true"}});
  EXPECT_THAT(Rows(*session_,
                   "SELECT \"order\", i.sku, i.qty, i.dim.w FROM "
                   "(SELECT \"order\", unnest(items) AS i FROM lake) WHERE \"order\" = 1"),
              ElementsAre(R"(1 | "A" | 1 | 1.5)", R"(1 | "B" | 2 | 2.5)"));
}

TEST_F(TextFiles, CanBeCountedFilteredAndJoined) {
  lake_.WriteText("a.csv", "1,x\n2,y\n,z\n");
  lake_.WriteText("b b%.csv", "3,x\n");
  lake_.WriteText("empty.csv", "");
  Register({"a.csv", "b b%.csv", "empty.csv"},
           {arrow::field("n", arrow::int64()), arrow::field("t", arrow::utf8())}, "csv");
  EXPECT_EQ(Cell(*session_, "SELECT count(*) FROM lake"), "4");
  EXPECT_EQ(session_->Metrics("lake").files_opened, 3);
  EXPECT_EQ(session_->Metrics("lake").rows_read, 4);
  EXPECT_THAT(Rows(*session_, "SELECT t FROM lake WHERE n >= 2"), ElementsAre(R"("x")", R"("y")"));
  EXPECT_THAT(Rows(*session_, "SELECT t, n, t AS again FROM lake WHERE n IS NULL"),
              ElementsAre(R"("z" | null | "z")"));
  EXPECT_THAT(Rows(*session_, "SELECT l.n FROM lake l JOIN (VALUES ('x')) v(t) USING (t)"),
              ElementsAre("1", "3"));
}

TEST_F(TextFiles, OfOneSetMayLackFieldsAndGiveFolderColumns) {
  lake_.WriteText("day=2024-01-01/a.json", "{\"a\":1,\"b\":\"x\"}\n");
  lake_.WriteText("day=2024-01-02/b.json", "{\"b\":\"y\",\"c\":true}\n");
  Register({"day=2024-01-01/a.json", "day=2024-01-02/b.json"},
           {arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8()),
            arrow::field("day", arrow::date32())},
           "json");
  EXPECT_THAT(Rows(*session_, "SELECT a, b, day::VARCHAR FROM lake"),
              ElementsAre(R"(1 | "x" | "2024-01-01")", R"(null | "y" | "2024-01-02")"));
  EXPECT_THAT(Rows(*session_, "SELECT b FROM lake WHERE day > DATE '2024-01-01'"),
              ElementsAre(R"("y")"));
}

TEST_F(TextFiles, OfNoFilesHaveTheDeclaredColumns) {
  Register({}, {arrow::field("id", arrow::int64()), arrow::field("t", Instant())}, "csv");
  const auto rows = session_->Query("SELECT * FROM lake");
  EXPECT_EQ(rows->schema()->ToString(),
            arrow::schema({arrow::field("id", arrow::int64()), arrow::field("t", Instant())})
                ->ToString());
  EXPECT_THAT(Rows(*session_, "SELECT * FROM lake"), IsEmpty());
}

TEST_F(TextFiles, GiveEveryTypeAsDeclared) {
  lake_.WriteText("t.csv", "1,2,3,4,0.5,0.25,1.10,true,2024-01-02,2024-01-02T03:04:05Z,x\n");
  const arrow::FieldVector fields = {arrow::field("i8", arrow::int8()),
                                     arrow::field("i16", arrow::int16()),
                                     arrow::field("i32", arrow::int32()),
                                     arrow::field("i64", arrow::int64()),
                                     arrow::field("f", arrow::float32()),
                                     arrow::field("d", arrow::float64()),
                                     arrow::field("m", arrow::decimal128(10, 2)),
                                     arrow::field("b", arrow::boolean()),
                                     arrow::field("day", arrow::date32()),
                                     arrow::field("at", Instant()),
                                     arrow::field("s", arrow::utf8())};
  Register({"t.csv"}, fields, "csv");
  auto table = session_->Query("SELECT * FROM lake")->ToTable();
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->schema()->ToString(), arrow::schema(fields)->ToString());
}

TEST_F(TextFiles, OfAHundredThousandRowsStreamAcrossFiles) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i) + ",text " + std::to_string(i) + "\n";
  lake_.WriteText("1.csv", text);
  lake_.WriteText("2.csv", text);
  Register({"1.csv", "2.csv"},
           {arrow::field("n", arrow::int64()), arrow::field("t", arrow::utf8())}, "csv");
  EXPECT_EQ(Cell(*session_, "SELECT sum(n) FROM lake WHERE t = 'text ' || n"), "2499950000");
  EXPECT_EQ(Cell(*session_, "SELECT count(DISTINCT t) FROM lake"), "50000");
}

TEST_F(TextFiles, GiveThePlacesOfTheirRowsWhateverElseIsAskedFor) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i) + ",x\n";
  lake_.WriteText("1.csv", text);
  lake_.WriteText("2.csv", "");
  lake_.WriteText("3.csv", "7,y\nbad,y\n9,z\n");
  Register({"1.csv", "2.csv", "3.csv"},
           {arrow::field("n", arrow::int64()), arrow::field("t", arrow::utf8())}, "csv",
           {{"mode", "DROPMALFORMED"}});
  const std::string scan = Session::ScanOf("lake");
  EXPECT_THAT(Rows(*session_, "SELECT t, file_row_number, n, file_index FROM " + scan +
                                  " WHERE file_index = 2"),
              ElementsAre(R"("y" | 0 | 7 | 2)", R"("z" | 1 | 9 | 2)"));
  EXPECT_EQ(Cell(*session_,
                 "SELECT count(*) FROM " + scan + " WHERE file_index = 0 AND file_row_number = n"),
            "5000");
  EXPECT_EQ(Cell(*session_, "SELECT sum(file_row_number) FROM " + scan), "12497501");
  EXPECT_THAT(Rows(*session_, "SELECT * FROM " + scan + " WHERE t = 'z'"),
              ElementsAre(R"(9 | "z")"));
}

TEST_F(TextFiles, FailWithFileAndLineInModeFailFast) {
  lake_.WriteText("bad.csv", "1\nx\n");
  Register({"bad.csv"}, {arrow::field("n", arrow::int32())}, "csv", {{"mode", "FAILFAST"}});
  EXPECT_THAT([&] { Rows(*session_, "SELECT n FROM lake"); },
              ThrowsMessage<QueryError>(AllOf(HasSubstr("bad.csv"), HasSubstr("line 2"))));
  // The session goes on.
  EXPECT_EQ(Cell(*session_, "SELECT 1"), "1");
}

TEST_F(TextFiles, OfAMissingFileAreAnErrorThatNamesIt) {
  Register({"missing.csv"}, {arrow::field("n", arrow::int32())}, "csv");
  EXPECT_THAT([&] { Rows(*session_, "SELECT n FROM lake"); },
              ThrowsMessage<FileNotFound>(HasSubstr("missing.csv")));
}

TEST_F(TextFiles, AreRefusedByFormatOptionAndColumnWhenRegistered) {
  const arrow::FieldVector fields = {arrow::field("n", arrow::int32())};
  EXPECT_THAT([&] { Register({}, fields, "orc"); },
              ThrowsMessage<InvalidArgument>(AllOf(HasSubstr("orc"), HasSubstr("csv"))));
  EXPECT_THAT(
      [&] {
        Register({}, fields, "csv", {{"wat", "1"}});
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("'wat'")));
  EXPECT_THAT([&] { Register({}, {arrow::field("l", arrow::list(arrow::int32()))}, "csv"); },
              ThrowsMessage<UnsupportedColumn>(HasSubstr("'l'")));
}

}  // namespace
}  // namespace ariadne::engine
