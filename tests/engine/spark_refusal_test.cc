#include <map>
#include <string>

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "engine/spark_expression.h"

namespace ariadne::engine {
namespace {

using testing::HasSubstr;

std::string WhyRefused(const std::string& text) {
  const auto schema =
      arrow::schema({arrow::field("s", arrow::utf8()), arrow::field("i", arrow::int32()),
                     arrow::field("ts", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
                     arrow::field("d", arrow::date32()), arrow::field("twice", arrow::utf8()),
                     arrow::field("TWICE", arrow::utf8()),
                     arrow::field("mp", arrow::map(arrow::utf8(), arrow::int32()))});
  try {
    SparkExpression::Compile(text, *schema);
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("'" + text + "'"));
    return error.what();
  }
  return "";
}

TEST(SparkRefusal, NamesTheFunctionThatIsNotSupported) {
  for (const std::string name : {"reverse",
                                 "regexp_replace",
                                 "read_csv",
                                 "getenv",
                                 "current_setting",
                                 "nextval",
                                 "version",
                                 "random",
                                 "rand",
                                 "now",
                                 "current_timestamp",
                                 "uuid",
                                 "count",
                                 "sum",
                                 "explode",
                                 "java_method",
                                 "read_text",
                                 "glob",
                                 "add_months",
                                 "duckdb_settings",
                                 "isnan",
                                 "instr",
                                 "map",
                                 "array",
                                 "date",
                                 "int",
                                 "string",
                                 "mod",
                                 "printf",
                                 "ceiling"}) {
    EXPECT_THAT(WhyRefused(name + "(s)"),
                HasSubstr("the function '" + name + "' is not supported"));
  }
  EXPECT_THAT(WhyRefused("upper(REVERSE(s))"), HasSubstr("'reverse'"));
  EXPECT_THAT(WhyRefused("main.upper(s)"), HasSubstr("'upper'"));
}

TEST(SparkRefusal, NamesTheSyntaxThatIsNotSupported) {
  const std::map<std::string, std::string> problems = {
      {"(select 1)", "sub-queries"},
      {"i in (select 1)", "sub-queries"},
      {"exists(select 1)", "sub-queries"},
      {"*", "'*'"},
      {"s.*", "'*'"},
      {"concat(*)", "'*'"},
      {"?", "parameters"},
      {":p", "parameters"},
      {"$1", "parameters"},
      {"transform(s, x -> x)", "lambda"},
      {"upper(s) over ()", "OVER"},
      {"interval 1 day", "INTERVAL"},
      {"ts + interval '1' day", "INTERVAL"},
      {"i | 1", "operator '|'"},
      {"i ^ 1", "operator '^'"},
      {"~i", "operator '~'"},
      {"s rlike 'a'", "RLIKE"},
      {"s regexp 'a'", "REGEXP"},
      {"s ilike 'a'", "ILIKE"},
      {"s like any ('a')", "LIKE ANY"},
      {"i::string", "'::'"},
      {"upper(s) as x", "AS"},
      {"upper(s) x", "'x'"},
      {"s, i", "not one expression"},
      {"upper(s", "parenthesis"},
      {"upper(s))", "')'"},
      {"'open", "string is not closed"},
      {"`open", "backquote"},
      {"/* open", "comment"},
      {"", "does not parse"},
      {"i +", "does not parse"},
      {"i = 1 = true", "parentheses"},
      {"i = 1 like s", "parentheses"},
      {"i in (1) between 1 and 2", "parentheses"},
      {"s <=> s is null", "parentheses"},
      {"upper(distinct s)", "DISTINCT"},
      {"substring(s from 1 for 2)", "FROM"},
      {"cast(s)", "cast(value AS type)"},
      {"cast(s as array<int>)", "array<int>"},
      {"cast(s as interval)", "interval"},
      {"cast(s as decimal(39,0))", "decimal(39,0)"},
      {"cast(s as decimal(5,6))", "decimal(5,6)"},
      {"cast(mp as string)", "cast of map<string,int>"},
      {"s; drop table x", "';'"},
      {"é", "backquotes"},
      {"Twice", "letter case"},
      {"mp['a']", "no array"},
      {"hash(mp)", "maps"},
      {"date '2024-02-30'", "2024-02-30"},
      {"timestamp 'now'", "now"},
      {"300Y", "tinyint"},
      {"12abc", "12abc"},
      {"upper()", "0 arguments"},
      {"upper(s, s)", "2 arguments"},
      {"unix_timestamp()", "0 arguments"},
      {"if(i, 1, 2)", "condition"},
      {"i and true", "condition"},
      {"s + d", "numbers"},
      {"d - d", "numbers"},
      {"date_format(ts, s)", "constant pattern"},
      {"split(s, s)", "constant regular expression"},
      {"round(i, i)", "not constant"},
      {R"(s like 'a\\b')", "escape"},
      {"s like 'a' escape 'xy'", "ESCAPE"},
      {"99999999999999999999999999999999999999999", "38 digits"}};
  for (const auto& [text, problem] : problems) {
    EXPECT_THAT(WhyRefused(text), HasSubstr(problem)) << text;
  }
}

TEST(SparkRefusal, NamesThePatternLetterThatIsNotSupported) {
  for (const std::string letter : {"G", "u", "Y", "w", "W", "F", "e", "c", "z", "V", "O",
                                   "X", "x", "Z", "n", "N", "A", "B", "g", "p", "v"}) {
    EXPECT_THAT(WhyRefused("date_format(ts, 'yyyy " + letter + "')"),
                HasSubstr("the letter '" + letter + "'"));
  }
  EXPECT_THAT(WhyRefused("to_date(s, 'E')"), HasSubstr("the letter 'E'"));
  EXPECT_THAT(WhyRefused("to_date(s, 'Q')"), HasSubstr("the letter 'Q'"));
  EXPECT_THAT(WhyRefused("date_format(ts, 'MMMMM')"), HasSubstr("too many 'M'"));
  EXPECT_THAT(WhyRefused("date_format(ts, '[HH]')"), HasSubstr("'['"));
  EXPECT_THAT(WhyRefused(R"(date_format(ts, "'open"))"), HasSubstr("quote is not closed"));
}

TEST(SparkRefusal, NamesWhatOnlyJavaReadsInARegularExpression) {
  const std::map<std::string, std::string> problems = {
      {"(?=a)", "'(?='"},     {"(?i)a", "'(?i'"},       {"(?<n>a)", "'(?<'"},
      {"a++", "possessive"},  {R"(\\p{L})", R"('\p')"}, {R"((a)\\1)", R"('\1')"},
      {R"(\\b)", R"('\b')"},  {"[a[b]]", "class"},      {"[a&&b]", "'&&'"},
      {"a$", "'$'"},          {"[a", "not closed"},     {"(a", "no regular"},
      {"a{", "'{'"},          {R"(\\Qa)", R"('\Q')"},   {"[]a]", "begins with"},
      {R"(a\\)", "backslash"}};
  for (const auto& [regex, problem] : problems) {
    EXPECT_THAT(WhyRefused("split(s, '" + regex + "')"), HasSubstr(problem)) << regex;
  }
}

TEST(SparkRefusal, NamesAColumnThatTheSchemaLacks) {
  const auto schema = arrow::schema({arrow::field("a", arrow::utf8())});
  try {
    SparkExpression::Compile("concat(a, missing)", *schema);
    FAIL();
  } catch (const ColumnNotFound& error) {
    EXPECT_THAT(error.what(), HasSubstr("'missing'"));
  }
}

TEST(SparkRefusal, NestsDeeplyOrSaysThatItDoesNot) {
  const auto schema = arrow::schema({arrow::field("i", arrow::int32())});
  std::string sum = "i";
  for (int n = 0; n < 300; ++n) sum += " + 1";
  EXPECT_EQ(SparkExpression::Compile(sum, *schema)->columns().size(), 1U);
  const std::string deep = std::string(100000, '(') + "i" + std::string(100000, ')');
  EXPECT_THROW(SparkExpression::Compile(deep, *schema), InvalidArgument);
  std::string unary;
  for (int n = 0; n < 100000; ++n) unary += "- ";
  EXPECT_THROW(SparkExpression::Compile(unary + "i", *schema), InvalidArgument);
}

}  // namespace
}  // namespace ariadne::engine
