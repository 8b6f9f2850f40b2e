#include "source/file_uri.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"

namespace ariadne::source {
namespace {

std::string Utf8(uint32_t c) {
  std::string out;
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | c >> 6));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | c >> 12));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | c >> 18));
    out.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
  return out;
}

TEST(CanonicalUri, EscapesEveryCharacterAsJavaDoes) {
  std::ifstream lines(std::string(ARIADNE_TEST_DATA) + "/java_uris.txt");
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const size_t blank = line.find(' ');
    const auto code_point = static_cast<uint32_t>(std::stoul(line.substr(0, blank)));
    const std::string path = "/x" + Utf8(code_point) + "y";
    EXPECT_EQ(CanonicalUri(path), line.substr(blank + 1)) << code_point;
    ++count;
  }
  EXPECT_GT(count, 350);
}

TEST(CanonicalUri, OneFileHasOneNameHoweverItIsSpelt) {
  const std::string wanted = "file:///srv/data/e0.parquet";
  for (const char* name :
       {"/srv/data/e0.parquet", "file:/srv/data/e0.parquet", "file:///srv/data/e0.parquet",
        "FILE:///srv/data/e0.parquet", "file://localhost/srv/data/e0.parquet",
        "/srv//data/./e0.parquet", "/srv/x/../data/e0.parquet", "file:///srv/data//e0.parquet",
        "file:////srv/data/e0.parquet", "file:///srv/%64ata/e0.parquet", "/../srv/data/e0.parquet",
        "/srv/data/e0.parquet/"}) {
    EXPECT_EQ(CanonicalUri(name), wanted) << name;
  }
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(CanonicalUri("a b/e.parquet"), CanonicalUri(here + "/a b/e.parquet"));
  EXPECT_EQ(CanonicalUri("./e.parquet"), CanonicalUri(here + "/e.parquet"));
  EXPECT_EQ(CanonicalUri("a:b.parquet"), CanonicalUri(here + "/a:b.parquet"));
}

TEST(CanonicalUri, APlainPathIsTakenLiterallyAndAUrlAsEscaped) {
  EXPECT_EQ(CanonicalUri("/srv/a b.parquet"), "file:///srv/a%20b.parquet");
  EXPECT_EQ(CanonicalUri("/srv/a%20b.parquet"), "file:///srv/a%2520b.parquet");
  EXPECT_EQ(CanonicalUri("file:///srv/a%20b.parquet"), "file:///srv/a%20b.parquet");
  EXPECT_EQ(CanonicalUri("file:///srv/a b.parquet"), "file:///srv/a%20b.parquet");
  EXPECT_EQ(CanonicalUri("file:///srv/a%2520b.parquet"), "file:///srv/a%2520b.parquet");
  EXPECT_EQ(CanonicalUri("file:///srv/100%.parquet"), "file:///srv/100%25.parquet");
  EXPECT_EQ(CanonicalUri("/srv/sp ace ünï.parquet"), "file:///srv/sp%20ace%20ünï.parquet");
  EXPECT_EQ(CanonicalUri("file:///srv/sp%20ace%20ünï.parquet"),
            "file:///srv/sp%20ace%20ünï.parquet");
  EXPECT_EQ(CanonicalUri("file:///srv/%C3%BCn.parquet"), "file:///srv/ün.parquet");
}

TEST(CanonicalUri, AnObjectStoreKeepsItsSchemeAndItsKey) {
  EXPECT_EQ(CanonicalUri("s3a://bucket/k.parquet"), "s3a://bucket/k.parquet");
  EXPECT_EQ(CanonicalUri("s3://bucket/a b/%41.parquet"), "s3://bucket/a%20b/A.parquet");
  EXPECT_EQ(CanonicalUri("s3://bucket/a//b"), "s3://bucket/a//b");
  EXPECT_EQ(CanonicalUri("abfss://box@account.dfs.core.windows.net/x"),
            "abfss://box@account.dfs.core.windows.net/x");
  EXPECT_EQ(DecodedUrl("s3a://bucket/a%20b"), "s3a://bucket/a b");
}

TEST(CanonicalUri, ANameThatNamesNothingIsRefused) {
  for (const char* name : {"", "file://host/x", "s3:///k", "file:///a%00b"}) {
    EXPECT_THROW(CanonicalUri(name), InvalidArgument) << name;
  }
  EXPECT_THROW(CanonicalUri(std::string_view("/a\0b", 4)), InvalidArgument);
}

TEST(CanonicalUri, BytesThatAreNoUtf8AreEscaped) {
  EXPECT_EQ(CanonicalUri("/x\xFFy"), "file:///x%FFy");
  EXPECT_EQ(DecodedUrl("file:///x%FFy"), "file:///x\xFFy");
  EXPECT_EQ(CanonicalUri("/x\xC3"), "file:///x%C3");
  EXPECT_EQ(CanonicalUri("/x\xED\xA0\x80y"), "file:///x%ED%A0%80y");
}

TEST(CanonicalUri, RandomNamesComeBackAndDecodeToThemselves) {
  std::mt19937 random(20261130);
  const std::string alphabet = "ab/%.25 ?#[]{}^\\\"'+&=;:@~\t\x7F\xC3\xBC\xE6\x97\xA5\xFF\xC2\xA0";
  for (int i = 0; i < 20'000; ++i) {
    std::string name = "/r";
    for (size_t n = random() % 20; n > 0; --n) name += alphabet[random() % alphabet.size()];
    const std::string uri = CanonicalUri(name);
    EXPECT_EQ(CanonicalUri(uri), uri) << name;
    EXPECT_EQ(CanonicalUri(DecodedUrl(uri).substr(7)), uri) << name;
    EXPECT_EQ(DecodedUrl(uri), DecodedUrl(name)) << name;
    EXPECT_TRUE(uri.starts_with("file:///")) << uri;
  }
}

TEST(MapPath, TheFirstMappingOfAFolderWins) {
  const std::vector<PathMapping> mappings = {
      {"file:///srv/ariadne-interop/paths/data/", "/tmp/here/"},
      {"/srv/ariadne-interop", "file:///elsewhere"},
      {"s3://bucket/a b", "/disk"},
  };
  EXPECT_EQ(MapPath("file:///srv/ariadne-interop/paths/data/sp%20ace.parquet", mappings),
            "file:///tmp/here/sp ace.parquet");
  EXPECT_EQ(MapPath("/srv/ariadne-interop/x/e.parquet", mappings), "file:///elsewhere/x/e.parquet");
  EXPECT_EQ(MapPath("s3a://bucket/a%20b/c", mappings), "file:///disk/c");
  EXPECT_EQ(MapPath("s3a://bucket/a%20bc/c", mappings), "s3a://bucket/a bc/c");
  EXPECT_EQ(MapPath("file:///srv/ariadne-interop2/e", mappings), "file:///srv/ariadne-interop2/e");
  EXPECT_EQ(MapPath("file:///srv/ariadne-interop", mappings), "file:///elsewhere");
}

TEST(PartitionValues, AreReadFromTheFoldersAboveTheFile) {
  const auto values = PartitionValues(
      "file:///lake/dt=2024-01-01/h%C3%BCh=a%20b/ts=10%253A00/z=__HIVE_DEFAULT_PARTITION__/"
      "e=.parquet");
  ASSERT_EQ(values.size(), 4);
  EXPECT_EQ(values[0].column, "dt");
  EXPECT_EQ(values[0].value, "2024-01-01");
  EXPECT_EQ(values[1].column, "hüh");
  EXPECT_EQ(values[1].value, "a b");
  EXPECT_EQ(values[2].value, "10:00");
  EXPECT_FALSE(values[2].is_null);
  EXPECT_TRUE(values[3].is_null);
}

TEST(PartitionValues, EndAtAFolderThatIsNoPartitionAsInSpark) {
  const auto values = PartitionValues("/lake/a=1/sub/b=2/c=x=y/deep/e.parquet");
  ASSERT_EQ(values.size(), 2);
  EXPECT_EQ(values[0].column, "b");
  EXPECT_EQ(values[1].column, "c");
  EXPECT_EQ(values[1].value, "x=y");
  EXPECT_TRUE(PartitionValues("/lake/=1/e.parquet").empty());
  EXPECT_TRUE(PartitionValues("/lake/a=1").empty());
  EXPECT_TRUE(PartitionValues("/lake/e.parquet").empty());
}

}  // namespace
}  // namespace ariadne::source
