#include "cli/values.h"

#include <arrow/array/array_binary.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"

namespace ariadne::cli {
namespace {

using namespace std::string_literals;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::string> Values(const Probe& probe) {
  std::vector<std::string> values;
  const auto& array = static_cast<const arrow::StringArray&>(*probe.values);
  for (int64_t i = 0; i < array.length(); ++i) {
    values.push_back(array.IsNull(i) ? "<NULL>" : array.GetString(i));
  }
  return values;
}

TEST(WhereTest, SplitsAtTheFirstEqualSignAndAtCommas) {
  const Probe probe = ParseWhere("city=Rome,a=b, x ");
  EXPECT_EQ(probe.column, "city");
  EXPECT_THAT(Values(probe), ElementsAre("Rome", "a=b", " x "));
}

TEST(WhereTest, DoubleQuotesKeepCommasEqualSignsAndQuotes) {
  const Probe probe = ParseWhere(R"("a=b, c"="Paris, TX",say "hi","say ""hi""")");
  EXPECT_EQ(probe.column, "a=b, c");
  EXPECT_THAT(Values(probe), ElementsAre("Paris, TX", "say \"hi\"", "say \"hi\""));
}

TEST(WhereTest, AnEmptyValueIsTheEmptyText) {
  EXPECT_THAT(Values(ParseWhere("a=")), ElementsAre(""));
  EXPECT_THAT(Values(ParseWhere("a=,")), ElementsAre("", ""));
  EXPECT_THAT(Values(ParseWhere(R"(a="")")), ElementsAre(""));
}

TEST(WhereTest, TextIsTakenByteForByte) {
  EXPECT_THAT(Values(ParseWhere("größe=Ä\\n%20,NULL")), ElementsAre("Ä\\n%20", "NULL"));
  EXPECT_EQ(ParseWhere("a,b=1").column, "a,b");
}

TEST(WhereTest, WhatIsNoConditionIsRefusedWithTheRightForm) {
  EXPECT_THAT([] { ParseWhere("abc"); }, ThrowsMessage<InvalidArgument>(HasSubstr("COL=V")));
  EXPECT_THAT([] { ParseWhere("=1"); }, ThrowsMessage<InvalidArgument>(HasSubstr("=1")));
  EXPECT_THAT([] { ParseWhere(""); }, ThrowsMessage<InvalidArgument>(HasSubstr("COL=V")));
  EXPECT_THAT([] { ParseWhere("a=\"x"); }, ThrowsMessage<InvalidArgument>(HasSubstr("closed")));
  EXPECT_THAT([] { ParseWhere("a=\"x\"y"); }, ThrowsMessage<InvalidArgument>(HasSubstr("follows")));
  EXPECT_THAT([] { ParseWhere("\"a\"b=1"); }, ThrowsMessage<InvalidArgument>(HasSubstr("follows")));
}

TEST(WhereTest, AColumnAskedTwiceIsRefused) {
  EXPECT_THAT(([] {
                ParseWheres({"a=1", "b=2", "a=3"});
              }),
              ThrowsMessage<InvalidArgument>(HasSubstr("'a' is asked twice")));
  EXPECT_EQ(ParseWheres({"a=1", "A=2"}).size(), 2U);
}

TEST(WhereJsonTest, NumbersKeepTheirDigits) {
  const auto probes = ParseWhereJson(
      R"({"n": [9007199254740993, -9223372036854775808, 99999999999999999999999, 1.10, 1e400, -0, 0.0]})");
  ASSERT_EQ(probes.size(), 1U);
  EXPECT_THAT(Values(probes[0]),
              ElementsAre("9007199254740993", "-9223372036854775808", "99999999999999999999999",
                          "1.10", "1e400", "-0", "0.0"));
}

TEST(WhereJsonTest, TextNullBooleansAndBareValuesAreTaken) {
  const auto probes = ParseWhereJson(
      R"({"a": "x, \"1\" \\", "b": [null, true, "12"], "c": 7, "d": [], "e,=": "\u00e4\u0000"})");
  ASSERT_EQ(probes.size(), 5U);
  EXPECT_THAT(Values(probes[0]), ElementsAre("x, \"1\" \\"));
  EXPECT_THAT(Values(probes[1]), ElementsAre("<NULL>", "true", "12"));
  EXPECT_THAT(Values(probes[2]), ElementsAre("7"));
  EXPECT_THAT(Values(probes[3]), ElementsAre());
  EXPECT_EQ(probes[4].column, "e,=");
  EXPECT_THAT(Values(probes[4]), ElementsAre(std::string("ä\0", 3)));
}

TEST(WhereJsonTest, WhatIsNoSuchObjectIsRefused) {
  for (const char* text :
       {"", "{", "[1]", "1", "null", "{}", R"({"a": {"b": 1}})", R"({"a": [[1]]})", R"({"a": 01})",
        R"({"a": 1.})", R"({"a": -})", R"({"a": +1})", R"({"a": NaN})", R"({"a": 1} x)",
        R"({"a": 1, "a": 2})", "{\"a\": \"\xff\"}", R"({"a": 1e5e5})", R"({1: 2})"}) {
    EXPECT_THROW(ParseWhereJson(text), InvalidArgument) << text;
  }
  EXPECT_THAT([] { ParseWhereJson("{"); }, ThrowsMessage<InvalidArgument>(HasSubstr("where-json")));
}

TEST(ListTest, ItemsMayBeQuoted) {
  EXPECT_THAT(SplitList("a,b"), ElementsAre("a", "b"));
  EXPECT_THAT(SplitList(R"(a b,"c,d","e""f")"), ElementsAre("a b", "c,d", "e\"f"));
  EXPECT_THAT(SplitList(""), ElementsAre(""));
}

TEST(SizeTest, UnitsArePowersOf1000Or1024) {
  EXPECT_EQ(ParseSize("1"), 1);
  EXPECT_EQ(ParseSize("1073741824"), 1073741824);
  EXPECT_EQ(ParseSize("512MB"), 512'000'000);
  EXPECT_EQ(ParseSize("512 mb"), 512'000'000);
  EXPECT_EQ(ParseSize("1GiB"), 1073741824);
  EXPECT_EQ(ParseSize("1.5KiB"), 1536);
  EXPECT_EQ(ParseSize("2TB"), 2'000'000'000'000);
  for (const char* text : {"", "MB", "0", "-1MB", "1 parsec", "1.2.3MB", "1e9", "0.1B", "lots",
                           "99999999999TB", "512M B x"}) {
    EXPECT_THROW(ParseSize(text), InvalidArgument) << text;
  }
}

TEST(PathMappingTest, SplitsWhereBothSidesAreAbsolute) {
  const PathMapping url = ParsePathMapping("s3a://lake/x=s3://mirror/x");
  EXPECT_EQ(url.from, "s3a://lake/x");
  EXPECT_EQ(url.to, "s3://mirror/x");
  const PathMapping hive = ParsePathMapping("/lake/dt=2024-01-01=/mnt/a=b");
  EXPECT_EQ(hive.from, "/lake/dt=2024-01-01");
  EXPECT_EQ(hive.to, "/mnt/a=b");
  EXPECT_EQ(ParsePathMapping("file:/a=/b").from, "file:/a");
  for (const char* text : {"", "x", "/a", "/a=", "=/a", "a=b", "/a=b"}) {
    EXPECT_THROW(ParsePathMapping(text), InvalidArgument) << text;
  }
}

TEST(ExplodedTest, ANameOfAColumnMayHaveDots) {
  const auto tags = arrow::field("a.b", arrow::list(arrow::utf8()));
  const auto schema = arrow::schema({tags, arrow::field("a", arrow::list(arrow::utf8()))});
  const auto split = [&](const char* text) {
    std::vector<IndexedColumn> columns = {ParseExploded(text)};
    SplitBehindColumns(&columns, *schema);
    return std::pair(columns[0].array_column, columns[0].field_path);
  };
  EXPECT_EQ(split("a.b:x"), std::pair("a.b"s, ""s));
  EXPECT_EQ(split("a.b.c.d:x"), std::pair("a.b"s, "c.d"s));
  EXPECT_EQ(split("a.c:x"), std::pair("a"s, "c"s));
  EXPECT_EQ(split("none.c:x"), std::pair("none"s, "c"s));
}

TEST(KeyValueTest, SplitsAtTheFirstEqualSign) {
  const auto [key, value] = ParseKeyValue("--storage", "aws_secret_access_key=a=b==");
  EXPECT_EQ(key, "aws_secret_access_key");
  EXPECT_EQ(value, "a=b==");
  EXPECT_EQ(ParseKeyValue("--storage", "k=").second, "");
  EXPECT_THAT([] { ParseKeyValue("--option", "k"); },
              ThrowsMessage<InvalidArgument>(HasSubstr("--option needs KEY=VALUE, got: k")));
  EXPECT_THROW(ParseKeyValue("--storage", "=v"), InvalidArgument);
}

TEST(BloomTest, ARateMayFollowTheLastColon) {
  EXPECT_EQ(ParseBloom("id").fpr, 0.01);
  EXPECT_EQ(ParseBloom("id:0.001").column, "id");
  EXPECT_EQ(ParseBloom("id:0.001").fpr, 0.001);
  EXPECT_EQ(ParseBloom("a:b").column, "a:b");
  EXPECT_EQ(ParseBloom("a:0.5:0.01").column, "a:0.5");
  EXPECT_EQ(ParseBloom("a:").column, "a:");
  EXPECT_THROW(ParseBloom(""), InvalidArgument);
  EXPECT_THROW(ParseBloom(":0.1"), InvalidArgument);
}

}  // namespace
}  // namespace ariadne::cli
