#include "storage/metadata.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "storage/gson.h"
#include "temp_folder.h"

namespace ariadne::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string Slurp(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(IndexMetadata, EveryFileThatTheJvmLibraryWroteIsReproducedToTheByte) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(ARIADNE_TEST_DATA) / "metadata")) {
    const std::string json = Slurp(entry.path());
    EXPECT_EQ(IndexMetadata::Parse(json, "m").ToJson(), json) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 30);
}

TEST(IndexMetadata, AllPartsAreRead) {
  const auto m = IndexMetadata::Parse(
      R"({"format":"csv","schema":"{}","indexes":["a","b"],"computed_indexes":{"z":"a || b","c":"x"},)"
      R"("exploded_field_indexes":[{"array_column":"t","field_path":"p.q","as_column":"e"}],)"
      R"("bloom_indexes":[{"column":"u","fpr":0.001}],)"
      R"("temporal_indexes":[{"column":"k","timestamp_column":"ts"}],)"
      R"("read_options":{"header":"true"},"range_indexes":[{"column":"r"}],)"
      R"("auto_bloom_indexes":["a"],"total_indexed_file_size":9007199254740993,)"
      R"("batches_since_compact":3,"metadata_version":10,"storage_format_version":4})",
      "m");
  EXPECT_EQ(m.format, "csv");
  EXPECT_THAT(m.regular, ElementsAre("a", "b"));
  EXPECT_THAT(m.computed, ElementsAre(Pair("z", "a || b"), Pair("c", "x")));
  ASSERT_EQ(m.exploded.size(), 1U);
  EXPECT_EQ(m.exploded[0].field_path, "p.q");
  ASSERT_EQ(m.bloom.size(), 1U);
  EXPECT_EQ(m.bloom[0].fpr, 0.001);
  EXPECT_EQ(m.temporal.at(0).timestamp_column, "ts");
  EXPECT_THAT(m.read_options, ElementsAre(Pair("header", "true")));
  EXPECT_THAT(m.range, ElementsAre("r"));
  EXPECT_THAT(m.auto_bloom, ElementsAre("a"));
  EXPECT_EQ(m.total_indexed_file_size, 9007199254740993);
  EXPECT_EQ(m.batches_since_compact, 3);
  EXPECT_EQ(m.storage_format_version, 4);
}

TEST(IndexMetadata, MissingKeysAreThoseOfAnOlderVersion) {
  const auto m = IndexMetadata::Parse(R"({"format":"json","schema":"{}","indexes":["a"]})", "m");
  EXPECT_THAT(m.regular, ElementsAre("a"));
  EXPECT_EQ(m.total_indexed_file_size, -1);
  EXPECT_EQ(m.batches_since_compact, 0);
  EXPECT_EQ(m.storage_format_version, 1);
  EXPECT_EQ(m.ToJson(),
            R"({"format":"json","schema":"{}","indexes":["a"],"computed_indexes":{},)"
            R"("exploded_field_indexes":[],"bloom_indexes":[],"temporal_indexes":[],)"
            R"("read_options":{},"range_indexes":[],"auto_bloom_indexes":[],)"
            R"("total_indexed_file_size":-1,"batches_since_compact":0,"metadata_version":10,)"
            R"("storage_format_version":1})");
  EXPECT_TRUE(
      IndexMetadata::Parse(R"({"format":"x","schema":"{}","indexes":null})", "m").regular.empty());
}

TEST(IndexMetadata, UnknownKeysSurviveARewrite) {
  auto m = IndexMetadata::Parse(
      R"({"format":"p","schema":"{}","later":{"a":[1,2.5,null,true,"<'>"]},"other":"x"})", "m");
  m.regular.push_back("k");
  const std::string json = m.ToJson();
  EXPECT_THAT(json, HasSubstr(R"("later":{"a":[1,2.5,null,true,"\u003c\u0027\u003e"]})"));
  EXPECT_THAT(json, HasSubstr(R"("other":"x"})"));
  EXPECT_EQ(IndexMetadata::Parse(json, "m").ToJson(), json);
}

TEST(IndexMetadata, NewerVersionsAreRefusedByTheirOwnErrors) {
  try {
    (void)IndexMetadata::Parse(R"({"format":"p","schema":"{}","metadata_version":11})", "m.json");
    FAIL();
  } catch (const UnsupportedMetadataVersion& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("m.json"), HasSubstr("11")));
  }
  EXPECT_THROW(
      (void)IndexMetadata::Parse(R"({"format":"p","schema":"{}","storage_format_version":5})", "m"),
      UnsupportedStorageVersion);
  // A newer file may have changed anything else.
  EXPECT_THROW((void)IndexMetadata::Parse(R"({"metadata_version":11,"indexes":5})", "m"),
               UnsupportedMetadataVersion);
}

TEST(IndexMetadata, WhatIsNoMetadataIsCorrupt) {
  std::string deep = R"({"format":"p","schema":"{}","x":)";
  deep += std::string(100'000, '[') + std::string(100'000, ']') + "}";
  for (const std::string& json :
       std::vector<std::string>{"",
                                "{",
                                "[]",
                                "null",
                                "5",
                                "not json",
                                R"({"schema":"{}"})",
                                R"({"format":"p"})",
                                R"({"format":5,"schema":"{}"})",
                                R"({"format":"p","schema":{}})",
                                R"({"format":"p","schema":"{}","indexes":"a"})",
                                R"({"format":"p","schema":"{}","indexes":[1]})",
                                R"({"format":"p","schema":"{}","bloom_indexes":[{"column":"a"}]})",
                                R"({"format":"p","schema":"{}","bloom_indexes":["a"]})",
                                R"({"format":"p","schema":"{}","computed_indexes":["a"]})",
                                R"({"format":"p","schema":"{}","range_indexes":{"column":"a"}})",
                                R"({"format":"p","schema":"{}","total_indexed_file_size":"1"})",
                                R"({"format":"p","schema":"{}","total_indexed_file_size":1.5})",
                                R"({"format":"p","schema":"{}","storage_format_version":0})",
                                "{\"format\":\"\xff\xfe\",\"schema\":\"{}\"}",
                                deep}) {
    try {
      (void)IndexMetadata::Parse(json, "where.json");
      ADD_FAILURE() << json.substr(0, 80);
    } catch (const MetadataCorrupt& error) {
      EXPECT_THAT(error.what(), HasSubstr("where.json"));
    }
  }
}

TEST(IndexMetadata, ReadsWhatItWroteAndNothingWhereThereIsNone) {
  TempFolder folder;
  const ObjectRef ref = folder.Ref("indexes/[x] ü/metadata.json");
  EXPECT_FALSE(IndexMetadata::Read(ref).has_value());
  IndexMetadata m;
  m.format = "parquet";
  m.schema_json = R"({"type":"struct","fields":[]})";
  m.regular = {"a'b", "<c>", "d=e&f", "line\nbreak", "日本"};
  m.Write(ref);
  EXPECT_THAT(IndexMetadata::Read(ref)->regular, testing::ElementsAreArray(m.regular));
}

TEST(Gson, DoublesLookAsJavaPrintsThem) {
  const std::vector<std::pair<double, std::string>> cases{
      {0.01, "0.01"},     {0.001, "0.001"},   {0.0001, "1.0E-4"},       {1.0, "1.0"},
      {0.5, "0.5"},       {1.0E7, "1.0E7"},   {9999999.0, "9999999.0"}, {123456.75, "123456.75"},
      {1.5E-5, "1.5E-5"}, {-0.0, "-0.0"},     {-2.5, "-2.5"},           {1.0E10, "1.0E10"},
      {100.0, "100.0"},   {0.0123, "0.0123"}, {5e-324, "5.0E-324"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(internal::ToGson(value), text);
}

TEST(Gson, EscapesWhatHtmlAndJavaScriptWouldRead) {
  EXPECT_EQ(internal::ToGson("a'<>&=\"\\/\t\n\r\b\f\x01 é\xE2\x80\xA8\xE2\x80\xA9 \x7f"),
            "\"a\\u0027\\u003c\\u003e\\u0026\\u003d\\\"\\\\/\\t\\n\\r\\b\\f\\u0001 "
            "é\\u2028\\u2029 \x7f\"");
}

TEST(IndexLayout, RefusesNamesThatAreNoFolderNames) {
  TempFolder folder;
  for (const std::string& name : {std::string(), std::string("  "), std::string("\t"),
                                  std::string("a/b"), std::string("a\\b"), std::string("a\0b", 3),
                                  std::string(".hidden"), std::string(".."), std::string(".")}) {
    EXPECT_THROW(IndexLayout(folder.Ref(), name), InvalidArgument) << name;
  }
  for (const char* name : {"a b", "per%20cent", "[x]", "q?*", "ünï", "a..b", "a."}) {
    const IndexLayout layout(folder.Ref(), name);
    EXPECT_THAT(layout.file_list().path,
                testing::EndsWith("filelists/[ariadne_index] " + std::string(name)));
    EXPECT_THAT(layout.metadata().path,
                testing::EndsWith("indexes/" + std::string(name) + "/metadata.json"));
  }
}

}  // namespace
}  // namespace ariadne::storage
