#include "source/glob.h"

#include <gtest/gtest.h>

namespace ariadne::source {
namespace {

bool Matches(std::string_view pattern, std::string_view path) {
  for (const std::string& each : ExpandBraces(std::string(pattern))) {
    if (MatchesPath(SplitPath(each), SplitPath(path))) return true;
  }
  return false;
}

TEST(Glob, WildcardsMatchWithinASegment) {
  EXPECT_TRUE(Matches("e[01].parquet", "e0.parquet"));
  EXPECT_FALSE(Matches("e[01].parquet", "e2.parquet"));
  EXPECT_TRUE(Matches("e[^0-4]", "e7"));
  EXPECT_FALSE(Matches("e[^0-4]", "e3"));
  EXPECT_TRUE(Matches("e[]x]", "e]"));
  EXPECT_TRUE(Matches("*", "anything"));
  EXPECT_TRUE(Matches("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(Matches("a*b*c", "aXbYbZ"));
  EXPECT_TRUE(Matches("?.parquet", "日.parquet"));
  EXPECT_TRUE(Matches("[à-ü]", "é"));
  EXPECT_FALSE(Matches("*.parquet", "sub/e.json"));
  EXPECT_TRUE(Matches("x\\*y", "x*y"));
  EXPECT_FALSE(Matches("x\\*y", "xzy"));
  EXPECT_TRUE(Matches("e[", "e["));
}

TEST(Glob, BracesAreAlternatives) {
  EXPECT_TRUE(Matches("{a,b{1,2}}.parquet", "b2.parquet"));
  EXPECT_FALSE(Matches("{a,b{1,2}}.parquet", "b3.parquet"));
  EXPECT_TRUE(Matches("y={2023,2024}/*.parquet", "y=2024/e.parquet"));
  EXPECT_TRUE(Matches("{a/b,c}/e", "a/b/e"));
  EXPECT_TRUE(Matches("e{.parquet,}", "e"));
  EXPECT_TRUE(Matches("e{", "e{"));
  EXPECT_TRUE(Matches("e\\{a,b\\}", "e{a,b}"));
}

TEST(Glob, ANamedFolderStandsForTheFilesBelowIt) {
  EXPECT_TRUE(Matches("dt=*", "dt=1/h=2/e.parquet"));
  EXPECT_TRUE(Matches("**", "a/b/c"));
  EXPECT_TRUE(Matches("**/e*.parquet", "e1.parquet"));
  EXPECT_TRUE(Matches("**/e*.parquet", "a/b/e1.parquet"));
  EXPECT_FALSE(Matches("**/e*.parquet", "a/b/f.json"));
  EXPECT_TRUE(Matches("a/**/z", "a/z"));
  EXPECT_TRUE(Matches("a/**/z", "a/1/2/z"));
  EXPECT_FALSE(Matches("a/*/z", "a/1/2/z"));
}

TEST(Glob, HiddenNamesMatchOnlyWhatNamesThem) {
  EXPECT_FALSE(Matches("*", "_SUCCESS"));
  EXPECT_FALSE(Matches("*", ".e.parquet.crc"));
  EXPECT_FALSE(Matches("**", "_delta_log/0.json"));
  EXPECT_FALSE(Matches("a*", "a1/_metadata"));
  EXPECT_TRUE(Matches("_*", "_metadata"));
  EXPECT_TRUE(Matches("*", "_p=1/e.parquet"));
}

TEST(Glob, TellsAPatternFromAName) {
  EXPECT_TRUE(IsGlob("a*"));
  EXPECT_TRUE(IsGlob("{a}"));
  EXPECT_FALSE(IsGlob("a\\*\\[b"));
  EXPECT_EQ(LiteralOf("a\\*\\[b"), "a*[b");
}

}  // namespace
}  // namespace ariadne::source
