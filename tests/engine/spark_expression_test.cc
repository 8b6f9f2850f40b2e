#include "engine/spark_expression.h"

#include <cstdlib>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/compare.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "source/spark_schema.h"
#include "spark_answers.h"

namespace ariadne::engine {
namespace {

const SparkAnswers& Answers() {
  static const SparkAnswers kAnswers =
      ReadSparkAnswers(std::string(ARIADNE_TEST_DATA) + "/spark_expressions.jsonl.gz");
  return kAnswers;
}

const arrow::RecordBatch& RowsOf(const std::string& table) {
  for (const auto& known : Answers().tables) {
    if (known.name == table) return *known.rows;
  }
  throw std::runtime_error("no table " + table);
}

std::string RowText(const arrow::RecordBatch& rows, const std::vector<std::string>& columns,
                    int64_t row) {
  std::string text;
  for (const auto& column : columns) {
    text += " " + column + "=" + AnswerOf(*rows.GetColumnByName(column), row).dump();
  }
  return text;
}

// Refused here though Spark has an answer, see docs/expressions.md: text that Spark takes apart
// otherwise than the parser, operators, letters and types that are not supported.
const std::set<std::string>& Refused() {
  static const std::set<std::string> kRefused = {
      "i > 0 = z",
      "i & 1",
      "date_format(ts, 'F')",
      "date_format(ts, 'w')",
      "date_format(ts, 'u')",
      "date_format(ts, 'G')",
      "date_format(ts, 'z')",
      "date_format(ts, 'X')",
      "concat(words, arr)",
      "arr = arr",
      "st = st",
      "st['a']",
      "split(s, '\\\\Qx')",
      "split(r, t || '*')",
      "s rlike 'a'",
      "like(s, 'a%')",
      "cast(c as varchar(3))",
      "cast(c as char(3))",
      "cast(i as binary)",
      "date_format(u, 'x')",
      "date_format(u, 'VV')",
      "date_format(u, '[HH]')",
      "tags[0]['k']",
      "to_date(x)",
      "unix_timestamp()",
  };
  return kRefused;
}

// A time of day alone is today's in Spark; here it is no timestamp.
bool IsTimeOfDayAlone(const nlohmann::json& text) {
  return text == "03:04:05" || text == "12:30" || text == "T03:04";
}

void CompareTable(const std::string& table) {
  const auto& rows = RowsOf(table);
  size_t cases = 0;
  for (const auto& answer : Answers().answers) {
    if (answer.table != table || !answer.error.empty()) continue;
    std::shared_ptr<const SparkExpression> expression;
    try {
      expression = SparkExpression::Compile(answer.expression, *rows.schema());
    } catch (const Error& error) {
      EXPECT_TRUE(Refused().count(answer.expression) != 0) << error.what();
      continue;
    }
    EXPECT_EQ(Refused().count(answer.expression), 0U) << answer.expression;
    const std::string type = expression->type()->id() == arrow::Type::NA
                                 ? "void"
                                 : source::SparkTypeName(*expression->type());
    EXPECT_EQ(type, answer.type) << answer.expression;
    const auto values = expression->Evaluate(rows);
    ASSERT_EQ(values->length(), rows.num_rows());
    int shown = 0;
    for (int64_t row = 0; row < rows.num_rows() && shown < 4; ++row) {
      ++cases;
      const auto& want = answer.values[row];
      if (want.is_object()) continue;  // Spark throws
      const auto have = AnswerOf(*values, row);
      if (have == want) continue;
      if (table == "casts" && have.is_null() &&
          IsTimeOfDayAlone(AnswerOf(*rows.GetColumnByName("c"), row))) {
        continue;
      }
      ++shown;
      ADD_FAILURE() << answer.expression << " of" << RowText(rows, expression->columns(), row)
                    << " is " << have.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
                    << ", in Spark " << want.dump();
    }
  }
  EXPECT_GT(cases, 0U);
}

TEST(SparkExpression, TextFunctionsEqualSpark) { CompareTable("strings"); }
TEST(SparkExpression, CastsAndReadingOfTextEqualSpark) { CompareTable("casts"); }
TEST(SparkExpression, NumbersEqualSpark) { CompareTable("numbers"); }
TEST(SparkExpression, DatesAndTimestampsEqualSpark) { CompareTable("times"); }
TEST(SparkExpression, NestedColumnsEqualSpark) { CompareTable("nested"); }
TEST(SparkExpression, JsonPathsEqualSpark) { CompareTable("json"); }

TEST(SparkExpression, SaysWhichColumnsItReads) {
  const auto schema =
      arrow::schema({arrow::field("A", arrow::utf8()), arrow::field("b c", arrow::int8()),
                     arrow::field("unused", arrow::utf8())});
  const auto expression = SparkExpression::Compile("concat(`b c`, a, upper(A))", *schema);
  EXPECT_EQ(expression->columns(), (std::vector<std::string>{"b c", "A"}));
  EXPECT_EQ(expression->ToDuckSql(),
            "ariadne_spark('concat(`b c`, a, upper(A))', {'b c': \"b c\", 'A': \"A\"})");
}

std::shared_ptr<arrow::RecordBatch> Batch(const std::string& name,
                                          const std::shared_ptr<arrow::Array>& column) {
  return arrow::RecordBatch::Make(arrow::schema({arrow::field(name, column->type())}),
                                  column->length(), {column});
}

TEST(SparkExpression, TakesAColumnThatAFileLacksAsNull) {
  const auto schema = arrow::schema({arrow::field("a", arrow::utf8())});
  const auto expression = SparkExpression::Compile("coalesce(upper(a), 'none')", *schema);
  arrow::Int32Builder other;
  ASSERT_TRUE(other.AppendValues({1, 2}).ok());
  const auto values = expression->Evaluate(*Batch("other", *other.Finish()));
  ASSERT_EQ(values->length(), 2);
  EXPECT_EQ(AnswerOf(*values, 1), "none");
}

TEST(SparkExpression, ReadsAFileWithANarrowerType) {
  const auto schema = arrow::schema({arrow::field("a", arrow::int64())});
  const auto expression = SparkExpression::Compile("hash(a)", *schema);
  arrow::Int32Builder narrow;
  arrow::Int64Builder wide;
  ASSERT_TRUE(narrow.AppendValues({7, -7}).ok());
  ASSERT_TRUE(wide.AppendValues({7, -7}).ok());
  EXPECT_TRUE(expression->Evaluate(*Batch("a", *narrow.Finish()))
                  ->Equals(expression->Evaluate(*Batch("a", *wide.Finish()))));
  arrow::StringBuilder text;
  ASSERT_TRUE(text.Append("x").ok());
  EXPECT_THROW(expression->Evaluate(*Batch("a", *text.Finish())), InvalidFile);
}

TEST(SparkExpression, GivesAnEmptyColumnForAnEmptyBatch) {
  for (const auto& answer : Answers().answers) {
    if (!answer.error.empty() || Refused().count(answer.expression) != 0) continue;
    const auto rows = RowsOf(answer.table).Slice(0, 0);
    const auto expression = SparkExpression::Compile(answer.expression, *rows->schema());
    const auto values = expression->Evaluate(*rows);
    EXPECT_EQ(values->length(), 0);
    EXPECT_TRUE(values->type()->Equals(*expression->type())) << answer.expression;
  }
}

// What is computed at once, and from which offset, must not show.
TEST(SparkExpression, ComputesTheSameInSlicesAndInLargeBatches) {
  for (const auto& answer : Answers().answers) {
    if (!answer.error.empty() || Refused().count(answer.expression) != 0) continue;
    const auto& rows = RowsOf(answer.table);
    const auto expression = SparkExpression::Compile(answer.expression, *rows.schema());
    const auto whole = expression->Evaluate(rows);
    const int64_t middle = rows.num_rows() / 3;
    const auto part = expression->Evaluate(*rows.Slice(middle, 13));
    EXPECT_TRUE(part->Equals(whole->Slice(middle, 13), arrow::EqualOptions().nans_equal(true)))
        << answer.expression;
    // Binary that is cast to a string need not be UTF-8.
    if (answer.expression.find("bin") != std::string::npos) continue;
    ASSERT_TRUE(part->ValidateFull().ok())
        << answer.expression << ": " << part->ValidateFull().ToString();
  }
  arrow::Int64Builder many;
  for (int64_t i = 0; i < 20000; ++i) ASSERT_TRUE(many.Append(i).ok());
  const auto schema = arrow::schema({arrow::field("a", arrow::int64())});
  const auto values =
      SparkExpression::Compile("a % 10 = 3", *schema)->Evaluate(*Batch("a", *many.Finish()));
  ASSERT_EQ(values->length(), 20000);
  for (int64_t i = 0; i < 20000; ++i) ASSERT_EQ(AnswerOf(*values, i), i % 10 == 3) << i;
}

TEST(SparkExpression, WritesATimeAfterOthersAsItWritesItAlone) {
  const auto utc = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  std::mt19937_64 random(20261130);
  arrow::TimestampBuilder builder(utc, arrow::default_memory_pool());
  constexpr int64_t kSteps[] = {0,       1,          999,           60'000,
                                999'999, 59'000'000, 1'800'000'000, 40'000'000'000};
  int64_t time = -3'000'000'000'000;  // Crosses 1970.
  for (int i = 0; i < 700; ++i) {
    const int64_t step = kSteps[random() % std::size(kSteps)];
    time += random() % 9 == 0 ? -step : step;
    ASSERT_TRUE((i % 50 == 7 ? builder.AppendNull() : builder.Append(time)).ok());
  }
  const auto rows = Batch("ts", *builder.Finish());
  for (const char* pattern :
       {"yyyy", "MMM yy", "yyyy-MM-dd", "D", "EEE", "Q", "QQQ", "a", "hh a", "H", "K k", "HH:mm",
        "mm", "s", "ss.S", "SSS", "SSSSSS", "SSSSSSSSS"}) {
    const auto expression = SparkExpression::Compile(
        "date_format(ts, '" + std::string(pattern) + "')", *rows->schema());
    const auto together = expression->Evaluate(*rows);
    for (int64_t i = 0; i < rows->num_rows(); ++i) {
      ASSERT_TRUE(expression->Evaluate(*rows->Slice(i, 1))->Equals(together->Slice(i, 1)))
          << pattern << " of row " << i << ": " << AnswerOf(*together, i);
    }
  }
}

// The JVM library's own example, with the values that it recorded.
TEST(SparkExpression, ComputesWhatTheFixtureRecorded) {
  const auto schema = arrow::schema({arrow::field("user_id", arrow::utf8())});
  const auto hash = SparkExpression::Compile("hash(user_id)", *schema);
  const auto bucket = SparkExpression::Compile("abs(hash(user_id)) % 4", *schema);
  arrow::StringBuilder users;
  ASSERT_TRUE(users.AppendValues({"o'neil,\"x\"", "u1", "u2", "u3", "u4", "u5", "ü6-ß"}).ok());
  ASSERT_TRUE(users.AppendNull().ok());
  const auto batch = Batch("user_id", *users.Finish());
  const std::vector<int64_t> hashes = {-1111110992, -1748189086, 289666587,  1023856017,
                                       1856856058,  1006017858,  1651906829, 42};
  const std::vector<int64_t> buckets = {0, 2, 3, 1, 2, 2, 1, 2};
  const auto h = hash->Evaluate(*batch);
  const auto b = bucket->Evaluate(*batch);
  for (int64_t row = 0; row < batch->num_rows(); ++row) {
    EXPECT_EQ(AnswerOf(*h, row), hashes[row]);
    EXPECT_EQ(AnswerOf(*b, row), buckets[row]);
  }
}

}  // namespace
}  // namespace ariadne::engine
