#include "engine/spark_sql_function.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arrow/type.h>

#include "duckdb/main/connection.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/main/materialized_query_result.hpp"
#include "engine/spark_expression.h"

namespace ariadne::engine {
namespace {

class SparkFunction : public testing::Test {
 protected:
  SparkFunction() : database_(nullptr), connection_(database_) {
    RegisterSparkExpression(*database_.instance);
  }

  // The expression over every row of a query's columns, one line a row.
  std::string Ask(const std::string& text, const arrow::Schema& schema, const std::string& rows) {
    const auto expression = SparkExpression::Compile(text, schema);
    const auto result =
        connection_.Query("SELECT " + expression->ToDuckSql() + " FROM (" + rows + ")");
    if (result->HasError()) return result->GetError();
    std::string out;
    for (const auto& row : *result) out += row.GetValue<duckdb::Value>(0).ToString() + "\n";
    return out;
  }

  duckdb::DuckDB database_;
  duckdb::Connection connection_;
};

TEST_F(SparkFunction, ComputesAnExpressionOverColumns) {
  const auto schema = arrow::schema({arrow::field("user_id", arrow::utf8())});
  EXPECT_EQ(Ask("abs(hash(user_id)) % 4", *schema,
                "SELECT * FROM (VALUES ('u1'), ('u2'), (NULL), ('ü6-ß')) t(user_id)"),
            "2\n3\n2\n1\n");
}

TEST_F(SparkFunction, HasRowsByTheHundredThousandAndFilters) {
  const auto schema = arrow::schema({arrow::field("i", arrow::int64())});
  const auto expression = SparkExpression::Compile("i % 1000 = 7", *schema);
  const auto result =
      connection_.Query("SELECT count(*) FROM range(300000) t(i) WHERE " + expression->ToDuckSql());
  ASSERT_FALSE(result->HasError()) << result->GetError();
  EXPECT_EQ(result->GetValue(0, 0).ToString(), "300");
}

TEST_F(SparkFunction, GivesEveryTypeBack) {
  const auto schema = arrow::schema(
      {arrow::field("b", arrow::boolean()), arrow::field("h", arrow::int16()),
       arrow::field("d", arrow::date32()), arrow::field("m", arrow::decimal128(10, 2)),
       arrow::field("x", arrow::float64()), arrow::field("s", arrow::utf8()),
       arrow::field("ts", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
       arrow::field("st", arrow::struct_({arrow::field("k", arrow::list(arrow::int32()))}))});
  const std::string rows =
      "SELECT true b, 3::SMALLINT h, DATE '2024-02-29' d, 12.34::DECIMAL(10,2) m, 1.5::DOUBLE x, "
      "'a,b' s, TIMESTAMPTZ '2024-01-02 03:04:05+00' ts, {'k': [1, NULL, 3]} st UNION ALL SELECT "
      "NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL";
  const auto one = [&](const std::string& text) {
    std::string all = Ask(text, *schema, rows);
    EXPECT_EQ(all.substr(all.find('\n') + 1), "NULL\n") << text;
    return all.substr(0, all.find('\n'));
  };
  EXPECT_EQ(one("not b"), "false");
  EXPECT_EQ(one("h + h"), "6");
  EXPECT_EQ(one("date_add(d, 1)"), "2024-03-01");
  EXPECT_EQ(one("m * 2"), "24.68");
  EXPECT_EQ(one("m * 10000000000000000000"), "123400000000000000000.00");
  EXPECT_EQ(one("cast(m as decimal(3,1))"), "12.3");
  EXPECT_EQ(one("cast(m as decimal(9,1))"), "12.3");
  EXPECT_EQ(one("x / 2"), "0.75");
  EXPECT_EQ(one("cast(x as float)"), "1.5");
  EXPECT_EQ(one("split(s, ',')"), "[a, b]");
  EXPECT_EQ(one("st.k"), "[1, NULL, 3]");
  EXPECT_EQ(one("st.k[2]"), "3");
  EXPECT_EQ(one("st"), "{'k': [1, NULL, 3]}");
  EXPECT_EQ(one("cast(s as binary)"), "a,b");
  EXPECT_EQ(one("cast(b as tinyint)"), "1");
  EXPECT_EQ(one("h = 3 and b"), "true");
}

TEST_F(SparkFunction, QuotesNamesAndTexts) {
  const auto schema = arrow::schema({arrow::field("it's \"x\"", arrow::utf8())});
  EXPECT_EQ(Ask("concat(`it's \"x\"`, '\\'', \"'\")", *schema, "SELECT 'a' \"it's \"\"x\"\"\""),
            "a''\n");
}

TEST_F(SparkFunction, NeedsNoColumn) {
  EXPECT_EQ(Ask("1 + 1", *arrow::schema({}), "SELECT 1"), "2\n");
}

TEST_F(SparkFunction, SaysWhyATextDoesNotCompile) {
  const auto result = connection_.Query("SELECT ariadne_spark('reverse(a)', {'a': 'x'})");
  ASSERT_TRUE(result->HasError());
  EXPECT_THAT(result->GetError(), testing::HasSubstr("the function 'reverse' is not supported"));
}

}  // namespace
}  // namespace ariadne::engine
