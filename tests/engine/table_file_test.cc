#include <arrow/array/array_base.h>
#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ariadne/errors.h"
#include "temp_lake.h"

namespace ariadne::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class TableFile : public ::testing::Test {
 protected:
  std::string Contents(const std::string& name) const {
    std::ifstream file(lake_.Path(name), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void Write(const std::string& name, const arrow::Table& table) const {
    arrow::TableBatchReader rows(table);
    Session::WriteTable(lake_.Url(name), rows, stores_);
  }

  TempLake lake_;
  storage::Stores stores_;
  std::unique_ptr<Session> session_ = OpenSession();
  std::shared_ptr<arrow::Schema> schema_ = arrow::schema(
      {arrow::field("id", arrow::int64()), arrow::field("a name", arrow::utf8()),
       arrow::field("x", arrow::float64()), arrow::field("m", arrow::decimal128(10, 2)),
       arrow::field("t", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
       arrow::field("n", arrow::timestamp(arrow::TimeUnit::MICRO)),
       arrow::field("d", arrow::date32()), arrow::field("l", arrow::list(arrow::int64()))});
  std::shared_ptr<arrow::Table> table_ =
      TableOf(schema_, {"[1, 2, null]", R"(["say \"hi\", ok", "", null])", "[NaN, -0.0, 100.5]",
                        R"(["1.50", "-0.05", null])", "[0, 1700000000123456, -1]",
                        "[1700000000120000, -62135596800000000, null]", "[0, 19000, null]",
                        "[[1, null], [], null]"});
};

TEST_F(TableFile, RoundTripsThroughParquet) {
  Write("out %20 'x'.parquet", *table_);
  auto back = session_->ReadTable(lake_.Url("out %20 'x'.parquet"));
  EXPECT_TRUE(back->schema()->Equals(*schema_, false)) << back->schema()->ToString();
  EXPECT_EQ(Rows(*back), Rows(*table_));
  // A plain path does as well.
  EXPECT_EQ(Rows(*session_->ReadTable(lake_.Path("out %20 'x'.parquet"))), Rows(*table_));
}

TEST_F(TableFile, WritesCsvAsRfc4180WithAHeader) {
  Write("out.csv", *table_);
  EXPECT_EQ(Contents("out.csv"),
            "id,a name,x,m,t,n,d,l\n"
            "1,\"say \"\"hi\"\", ok\",NaN,1.50,1970-01-01T00:00:00Z,2023-11-14T22:13:20.12,"
            "1970-01-01,\"[1,null]\"\n"
            "2,\"\",-0.0,-0.05,2023-11-14T22:13:20.123456Z,0001-01-01T00:00:00,2022-01-08,[]\n"
            ",,100.5,,1969-12-31T23:59:59.999999Z,,,\n");
}

TEST_F(TableFile, WritesJsonOneObjectALine) {
  Write("out.json", *table_);
  EXPECT_EQ(Contents("out.json"),
            R"({"id":1,"a name":"say \"hi\", ok","x":"NaN","m":1.50,"t":"1970-01-01T00:00:00Z",)"
            R"("n":"2023-11-14T22:13:20.12","d":"1970-01-01","l":[1,null]})"
            "\n"
            R"({"id":2,"a name":"","x":-0.0,"m":-0.05,"t":"2023-11-14T22:13:20.123456Z",)"
            R"("n":"0001-01-01T00:00:00","d":"2022-01-08","l":[]})"
            "\n"
            R"({"id":null,"a name":null,"x":100.5,"m":null,"t":"1969-12-31T23:59:59.999999Z",)"
            R"("n":null,"d":null,"l":null})"
            "\n");
  EXPECT_EQ(session_->ReadTable(lake_.Url("out.json"))->num_rows(), 3);
}

TEST_F(TableFile, WritesNestedAndBinaryValuesAsJsonText) {
  auto schema =
      arrow::schema({arrow::field("b", arrow::binary()),
                     arrow::field("s", arrow::struct_({arrow::field("x", arrow::utf8())})),
                     arrow::field("m", arrow::map(arrow::int64(), arrow::utf8()))});
  Write("out.json", *TableOf(schema, {R"(["hi\u0000"])", R"([{"x": "a\nb\u0001"}])",
                                      R"([[[7, "q"], [8, null]]])"}));
  EXPECT_EQ(Contents("out.json"), R"({"b":"aGkA","s":{"x":"a\nb\u0001"},"m":{"7":"q","8":null}})"
                                  "\n");
}

TEST_F(TableFile, WithoutRowsHasItsColumns) {
  for (const std::string name : {"empty.parquet", "empty.csv"}) {
    Write(name, *table_->Slice(0, 0));
    EXPECT_EQ(session_->ReadTable(lake_.Url(name))->ColumnNames(), schema_->field_names()) << name;
  }
}

// A result that fails after its first batch.
class BrokenRows : public arrow::RecordBatchReader {
 public:
  explicit BrokenRows(const arrow::Table& table) : rows_(table) {}
  std::shared_ptr<arrow::Schema> schema() const override { return rows_.schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    if (given_) return arrow::Status::ExecutionError("the disk is on fire");
    given_ = true;
    return rows_.ReadNext(batch);
  }

 private:
  arrow::TableBatchReader rows_;
  bool given_ = false;
};

TEST_F(TableFile, AppearsWholeOrNotAtAll) {
  for (const std::string name : {"out.parquet", "out.csv", "out.json"}) {
    BrokenRows broken(*table_);
    EXPECT_THAT([&] { Session::WriteTable(lake_.Url(name), broken, stores_); },
                ThrowsMessage<QueryError>(HasSubstr("on fire")));
    EXPECT_FALSE(std::filesystem::exists(lake_.Path(name)));
    Write(name, *table_);
    const std::string before = Contents(name);
    BrokenRows again(*table_);
    EXPECT_THROW(Session::WriteTable(lake_.Url(name), again, stores_), QueryError);
    EXPECT_EQ(Contents(name), before);
  }
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(lake_.Path(""))) {
    files += entry.exists();
  }
  EXPECT_EQ(files, 3U) << "something temporary was left behind";
}

TEST_F(TableFile, WithAnotherSuffixIsRefusedWithTheSuffixesThatThereAre) {
  lake_.WriteText("keys.xlsx", "x");
  EXPECT_THAT([&] { session_->ReadTable(lake_.Url("keys.xlsx")); },
              ThrowsMessage<InvalidArgument>(HasSubstr(".parquet")));
  EXPECT_THROW(Write("out.txt", *table_), InvalidArgument);
  EXPECT_THROW(Write("out.csv.gz", *table_), InvalidArgument);
}

TEST_F(TableFile, ThatIsMissingOrDamagedIsNamed) {
  EXPECT_THAT([&] { session_->ReadTable(lake_.Url("no such.csv")); },
              ThrowsMessage<FileNotFound>(HasSubstr("no such.csv")));
  lake_.WriteText("bad.parquet", "this is no Parquet file at all");
  EXPECT_THAT([&] { session_->ReadTable(lake_.Url("bad.parquet")); },
              ThrowsMessage<InvalidFile>(HasSubstr("bad.parquet")));
  lake_.WriteText("bad.json", "{\"a\": 1}\n{\"a\": ");
  EXPECT_THAT([&] { session_->ReadTable(lake_.Url("bad.json")); },
              ThrowsMessage<InvalidFile>(HasSubstr("bad.json")));
}

TEST_F(TableFile, InCsvHasAHeaderAndTypesFromAllRows) {
  std::string text = "id,name,zip,x\n";
  for (int i = 0; i < 30000; ++i) text += std::to_string(i) + ",n,12345,1\n";
  text += "30000,\"a,b\",01234,1.5\n30001,,,\n";
  lake_.WriteText("keys.csv", text);
  auto table = session_->ReadTable(lake_.Url("keys.csv"));
  EXPECT_EQ(table->num_rows(), 30002);
  EXPECT_EQ(table->schema()->ToString(), "id: int64\nname: string\nzip: string\nx: double");
  EXPECT_EQ(table->GetColumnByName("zip")->GetScalar(30000).ValueOrDie()->ToString(), "01234");
}

TEST_F(TableFile, InCsvWithTextOnlyStillHasItsHeader) {
  lake_.WriteText("keys.csv", "name\nalice\nbob\n");
  EXPECT_THAT(Rows(*session_->ReadTable(lake_.Url("keys.csv"))),
              ElementsAre("\"alice\"", "\"bob\""));
}

TEST_F(TableFile, CompressedOrWithGlobCharactersIsRead) {
  const std::string text = "id,name\n1,x\n2,y\n";
  lake_.WriteText("k[1]*?.csv", text);
  EXPECT_EQ(session_->ReadTable(lake_.Url("k[1]*?.csv"))->num_rows(), 2);

  auto codec = arrow::util::Codec::Create(arrow::Compression::GZIP).ValueOrDie();
  auto file = arrow::io::FileOutputStream::Open(lake_.Path("k.csv.gz")).ValueOrDie();
  auto gzip = arrow::io::CompressedOutputStream::Make(codec.get(), file).ValueOrDie();
  ASSERT_TRUE(gzip->Write(text).ok());
  ASSERT_TRUE(gzip->Close().ok());
  EXPECT_EQ(session_->ReadTable(lake_.Url("k.csv.gz"))->num_rows(), 2);
}

TEST_F(TableFile, InJsonIsAnArrayOrLines) {
  lake_.WriteText("a.json", R"([{"id": 1, "s": "x"}, {"id": 2, "s": null}])");
  EXPECT_THAT(Rows(*session_->ReadTable(lake_.Url("a.json"))),
              ElementsAre("1 | \"x\"", "2 | null"));
  for (const std::string name : {"l.json", "l.ndjson", "l.jsonl"}) {
    lake_.WriteText(name, "{\"id\": 1, \"s\": \"x\"}\n{\"id\": 2, \"s\": null}\n");
    EXPECT_THAT(Rows(*session_->ReadTable(lake_.Url(name))), ElementsAre("1 | \"x\"", "2 | null"));
  }
}

TEST_F(TableFile, ThatChangesIsReadAnew) {
  lake_.WriteText("k.csv", "id\n1\n");
  EXPECT_THAT(Rows(*session_->ReadTable(lake_.Url("k.csv"))), ElementsAre("1"));
  lake_.WriteText("k.csv", "id\n2\n");
  EXPECT_THAT(Rows(*session_->ReadTable(lake_.Url("k.csv"))), ElementsAre("2"));
  auto schema = arrow::schema({arrow::field("id", arrow::int64())});
  lake_.WriteParquet("f.parquet", *TableOf(schema, {"[1]"}));
  session_->RegisterFiles("lake", lake_.Files({"f.parquet"}, schema));
  EXPECT_EQ(Cell(*session_, "SELECT id FROM lake"), "1");
  lake_.WriteParquet("f.parquet", *TableOf(schema, {"[2, 3, 4]"}));
  EXPECT_EQ(Cell(*session_, "SELECT sum(id) FROM lake"), "9");
}

}  // namespace
}  // namespace ariadne::engine
