#include "source/parquet_source.h"

#include <limits>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "parquet_bytes.h"
#include "source/spark_schema.h"

namespace ariadne::source {
namespace {

using ::testing::HasSubstr;

const auto kUtc = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
const auto kNtz = arrow::timestamp(arrow::TimeUnit::MICRO);

std::set<std::string> ReadAs(const std::shared_ptr<arrow::Array>& array,
                             const std::shared_ptr<arrow::DataType>& declared,
                             bool dictionary = true) {
  const auto bytes = WriteParquet(*TableOf("c", array), 1 << 20, [&](auto* properties) {
    if (!dictionary) properties->disable_dictionary();
  });
  return Visited(*OpenBytes(bytes, "c", declared), "c", declared);
}

std::string Text(const std::shared_ptr<arrow::Scalar>& scalar) { return scalar->ToString(); }

TEST(ParquetSource, NarrowerColumnsAreReadAsDeclared) {
  const struct {
    std::shared_ptr<arrow::DataType> file;
    const char* values;
    std::shared_ptr<arrow::DataType> declared;
    const char* read;
  } cases[] = {
      {arrow::int8(), "[1, -128, null]", arrow::int64(), "[1, -128]"},
      {arrow::int16(), "[1, -32768]", arrow::int16(), "[1, -32768]"},
      {arrow::int32(), "[2147483647]", arrow::int64(), "[2147483647]"},
      {arrow::int32(), "[-2147483648]", arrow::float64(), "[-2147483648]"},
      {arrow::int16(), "[-5]", arrow::decimal128(7, 2), "[\"-5.00\"]"},
      {arrow::uint8(), "[255]", arrow::int16(), "[255]"},
      {arrow::uint16(), "[65535]", arrow::int32(), "[65535]"},
      {arrow::uint32(), "[4294967295]", arrow::int64(), "[4294967295]"},
      {arrow::uint64(), "[18446744073709551615, 0]", arrow::decimal128(20, 0),
       "[\"18446744073709551615\", \"0\"]"},
      {arrow::float32(), "[1.5, -0.0]", arrow::float64(), "[1.5, -0.0]"},
      {arrow::decimal128(5, 2), "[\"1.10\", \"-999.99\"]", arrow::decimal128(10, 3),
       "[\"1.100\", \"-999.990\"]"},
      {arrow::decimal128(38, 10), "[\"-0.0000000001\"]", arrow::decimal128(38, 10),
       "[\"-0.0000000001\"]"},
      {arrow::large_utf8(), "[\"日本\", \"\", null]", arrow::utf8(), "[\"日本\", \"\"]"},
      {arrow::binary(), "[\"a\"]", arrow::utf8(), "[\"a\"]"},
      {arrow::utf8(), "[\"a\"]", arrow::binary(), "[\"a\"]"},
      {arrow::fixed_size_binary(3), "[\"abc\", \"xyz\"]", arrow::binary(), "[\"abc\", \"xyz\"]"},
      {arrow::boolean(), "[true, null]", arrow::boolean(), "[true]"},
      {arrow::date32(), "[-719162, 2932896]", arrow::date32(), "[-719162, 2932896]"},
      {arrow::timestamp(arrow::TimeUnit::MILLI), "[1, -1]", kUtc, "[1000, -1000]"},
      {arrow::timestamp(arrow::TimeUnit::NANO), "[1000, -2000]", kNtz, "[1, -2]"},
      {arrow::timestamp(arrow::TimeUnit::MICRO, "Europe/Berlin"), "[7]", kUtc, "[7]"},
      {kUtc, "[253402300799999999]", kNtz, "[253402300799999999]"},
      {kNtz, "[-1]", kUtc, "[-1]"},
      {arrow::null(), "[null, null]", arrow::utf8(), "[]"},
  };
  for (const auto& c : cases) {
    const auto expected = KeysOf(*ArrayOf(c.declared, c.read));
    for (const bool dictionary : {true, false}) {
      EXPECT_EQ(ReadAs(ArrayOf(c.file, c.values), c.declared, dictionary), expected)
          << c.file->ToString() << " as " << c.declared->ToString();
    }
  }
}

TEST(ParquetSource, NestedColumnsAreReadAsDeclaredMemberByMember) {
  const auto file =
      arrow::struct_({arrow::field("A", arrow::int32()), arrow::field("gone", arrow::utf8()),
                      arrow::field("l", arrow::list(arrow::float32()))});
  const auto declared =
      arrow::struct_({arrow::field("l", arrow::list(arrow::float64())),
                      arrow::field("a", arrow::int64()), arrow::field("new", arrow::utf8())});
  EXPECT_EQ(
      ReadAs(ArrayOf(file,
                     R"([{"A": 1, "gone": "x", "l": [1.5, null]}, null, {"A": null, "l": null}])"),
             declared),
      KeysOf(*ArrayOf(declared, R"([{"l": [1.5, null], "a": 1, "new": null}, {"l": null}])")));

  const auto map = arrow::map(arrow::utf8(), arrow::int32());
  const auto wide = arrow::map(arrow::utf8(), arrow::int64());
  EXPECT_EQ(ReadAs(ArrayOf(map, R"([[["k", 1], ["l", null]], null, []])"), wide),
            KeysOf(*ArrayOf(wide, R"([[["k", 1], ["l", null]], []])")));
}

TEST(ParquetSource, AColumnThatDoesNotWidenIsAnInvalidFileThatNamesIt) {
  const struct {
    std::shared_ptr<arrow::DataType> file, declared;
  } cases[] = {
      {arrow::int64(), arrow::int32()},
      {arrow::utf8(), arrow::int32()},
      {arrow::float64(), arrow::float32()},
      {arrow::decimal128(10, 2), arrow::decimal128(9, 2)},
      {arrow::int32(), arrow::utf8()},
      {arrow::time64(arrow::TimeUnit::MICRO), arrow::int64()},
      {arrow::list(arrow::int64()), arrow::int64()},
  };
  for (const auto& c : cases) {
    const auto bytes = WriteParquet(*TableOf("my c", ArrayOf(c.file, "[null]")));
    const auto source = OpenBytes(bytes, "my c", c.declared, "file:///lake/a%20b.parquet");
    try {
      source->VisitDistinct("my c", [](const arrow::Array&) {});
      FAIL() << c.file->ToString();
    } catch (const InvalidFile& error) {
      EXPECT_THAT(error.what(), HasSubstr("file:///lake/a%20b.parquet"));
      EXPECT_THAT(error.what(), HasSubstr("my c"));
    }
  }
}

TEST(ParquetSource, AValueThatTheDeclaredTypeCannotHoldIsAnInvalidFile) {
  const auto nanos = ArrayOf(arrow::timestamp(arrow::TimeUnit::NANO), "[1500]");
  EXPECT_THROW(ReadAs(nanos, kUtc), InvalidFile);
  const auto millis = ArrayOf(arrow::timestamp(arrow::TimeUnit::MILLI), "[9223372036854775807]");
  EXPECT_THROW(ReadAs(millis, kUtc), InvalidFile);
  const auto bytes = WriteParquet(*TableOf("c", millis));
  EXPECT_FALSE(OpenBytes(bytes, "c", kUtc)->ExactRange("c").has_value());
}

TEST(ParquetSource, Int96IsMicrosecondsUpToTheYear9999) {
  const auto values = ArrayOf(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                              "[253402300799999999, -62135596800000000, 0, -1, null]");
  const auto bytes = WriteParquet(*TableOf("c", values), 1 << 20, {},
                                  [](auto* p) { p->enable_deprecated_int96_timestamps(); });
  for (const auto& declared : {kUtc, kNtz}) {
    const auto source = OpenBytes(bytes, "c", declared);
    EXPECT_EQ(Visited(*source, "c", declared),
              KeysOf(*ArrayOf(declared, "[253402300799999999, -62135596800000000, 0, -1]")));
    EXPECT_FALSE(source->ExactRange("c").has_value());
  }
}

TEST(ParquetSource, AMissingColumnHoldsNoValue) {
  const auto bytes = WriteParquet(*TableOf("a", ArrayOf(arrow::int32(), "[1]")));
  const auto source = OpenBytes(bytes, "b", arrow::utf8());
  EXPECT_TRUE(Visited(*source, "b", arrow::utf8()).empty());
  EXPECT_EQ(source->DistinctUpperBound("b"), 0);
  EXPECT_EQ(source->MemoryUpperBound("b"), 0);
  const auto range = source->ExactRange("b");
  ASSERT_TRUE(range.has_value());
  EXPECT_FALSE(range->min->is_valid);
  EXPECT_TRUE(range->max->type->Equals(*arrow::utf8()));
  EXPECT_THROW(source->ExactRange("c"), ColumnNotFound);
}

TEST(ParquetSource, NamesAreFoundExactlyFirstAndThenWithoutRegardToCase) {
  const auto make = [](const std::vector<std::string>& names) {
    arrow::FieldVector fields;
    arrow::ArrayVector columns;
    for (size_t i = 0; i < names.size(); ++i) {
      fields.push_back(arrow::field(names[i], arrow::int32()));
      columns.push_back(ArrayOf(arrow::int32(), "[" + std::to_string(i) + "]"));
    }
    return WriteParquet(*arrow::Table::Make(arrow::schema(fields), columns));
  };
  const auto read = [](const std::shared_ptr<arrow::Buffer>& bytes, const std::string& name) {
    return Visited(*OpenBytes(bytes, name, arrow::int32()), name, arrow::int32());
  };
  const std::set<std::string> zero = {"0"};
  const std::set<std::string> one = {"1"};
  EXPECT_EQ(read(make({"User", "user"}), "user"), one);
  EXPECT_EQ(read(make({"x", "USER Ü"}), "user ü"), one);
  EXPECT_EQ(read(make({"a.b", "a"}), "a.b"), zero);
  EXPECT_THROW(read(make({"User", "USER"}), "user"), InvalidFile);
  EXPECT_THROW(read(make({"user", "user"}), "user"), InvalidFile);
}

TEST(ParquetSource, OnlyTheDictionaryPageIsReadWhereItIsEnough) {
  arrow::StringBuilder values;
  for (int i = 0; i < 200'000; ++i) {
    ASSERT_TRUE(values.Append("value-" + std::to_string(i * 7919 % 1000)).ok());
  }
  const auto array = values.Finish().ValueOrDie();
  const auto bytes = WriteParquet(*TableOf("c", array), 100'000);
  const auto file = std::make_shared<CountingFile>(bytes);
  const ParquetSource source(file, "/e.parquet", arrow::schema({arrow::field("c", arrow::utf8())}));
  EXPECT_EQ(source.num_row_groups(), 2);
  const int64_t bytes_before = file->bytes;
  const int64_t reads_before = file->reads;
  EXPECT_EQ(Visited(source, "c", arrow::utf8()), KeysOf(*array));
  EXPECT_EQ(file->reads - reads_before, 2);
  EXPECT_LT(file->bytes - bytes_before, 30'000);
  EXPECT_LT(source.DistinctUpperBound("c"), 200'000);
}

TEST(ParquetSource, OfElementsTheDictionaryPageOfTheirFieldAloneIsRead) {
  std::string json = "[";
  for (int i = 0; i < 20'000; ++i) {
    json += (i == 0 ? "" : ",") +
            std::string(i % 5 == 0 ? "[]"
                                   : "[{\"v\": " + std::to_string(i) + ", \"k\": \"key-" +
                                         std::to_string(i % 97) + "\"}]");
  }
  const auto type = arrow::list(
      arrow::struct_({arrow::field("v", arrow::int64()), arrow::field("k", arrow::utf8())}));
  const auto bytes = WriteParquet(*TableOf("c", ArrayOf(type, json + "]")));
  const auto file = std::make_shared<CountingFile>(bytes);
  const ParquetSource source(file, "/e.parquet", arrow::schema({arrow::field("c", type)}));
  const int64_t bytes_before = file->bytes;
  std::set<std::string> keys;
  EXPECT_TRUE(source.VisitDistinctElements(
      {.column = "c", .to_value = "k"}, arrow::utf8(),
      [&keys](const arrow::Array& values) { keys.merge(KeysOf(values)); }));
  EXPECT_EQ(keys.size(), 97U);
  EXPECT_LT(file->bytes - bytes_before, 2'000);
}

TEST(ParquetSource, ValuesOfElementsThatAreNoneOfItsColumnChunksAreReadFromRows) {
  const auto pair = arrow::struct_({arrow::field("k", arrow::utf8())});
  const auto type = arrow::list(pair);
  const auto bytes = WriteParquet(*TableOf("c", ArrayOf(type, R"([[{"k": "a"}], null])")));
  const auto none = [](const arrow::Array&) { ADD_FAILURE() << "visited"; };
  const auto visit = [&](const std::string& uri, const ElementPath& path,
                         const std::shared_ptr<arrow::DataType>& value) {
    return OpenBytes(bytes, path.column, type, uri)->VisitDistinctElements(path, value, none);
  };
  EXPECT_FALSE(visit("/e.parquet", {.column = "c"}, pair)) << "a struct";
  EXPECT_FALSE(visit("/e.parquet", {.column = "c", .to_value = "absent"}, arrow::utf8()));
  EXPECT_FALSE(visit("/e.parquet", {.column = "c", .to_value = "k"}, arrow::int32()));
  EXPECT_TRUE(visit("/e.parquet", {.column = "absent", .to_value = "k"}, arrow::utf8()))
      << "no values, and none are visited";
}

TEST(ParquetSource, AChunkThatFallsBackToPlainIsOneRangedRead) {
  arrow::StringBuilder values;
  for (int i = 0; i < 50'000; ++i) {
    ASSERT_TRUE(values.Append("value-" + std::to_string(i)).ok());
  }
  const auto array = values.Finish().ValueOrDie();
  const auto bytes = WriteParquet(*TableOf("c", array), 1 << 20,
                                  [](auto* p) { p->dictionary_pagesize_limit(64 * 1024); });
  const auto file = std::make_shared<CountingFile>(bytes);
  const ParquetSource source(file, "/e.parquet", arrow::schema({arrow::field("c", arrow::utf8())}));
  const int64_t reads_before = file->reads;
  EXPECT_EQ(Visited(source, "c", arrow::utf8()), KeysOf(*array));
  EXPECT_EQ(file->reads - reads_before, 1);
}

TEST(ParquetSource, AnEmptyFileAndAFileOfNullsHaveNoRange) {
  for (const char* json : {"[]", "[null, null]"}) {
    for (const auto& type : {arrow::int32(), arrow::utf8(), arrow::float64()}) {
      const auto bytes = WriteParquet(*TableOf("c", ArrayOf(type, json)));
      const auto source = OpenBytes(bytes, "c", type);
      EXPECT_TRUE(Visited(*source, "c", type).empty());
      const auto range = source->ExactRange("c");
      if (type->id() == arrow::Type::DOUBLE && source->num_rows() > 0) continue;
      ASSERT_TRUE(range.has_value()) << json << type->ToString();
      EXPECT_FALSE(range->min->is_valid);
      EXPECT_FALSE(range->max->is_valid);
      EXPECT_TRUE(range->min->type->Equals(*type));
    }
  }
}

TEST(ParquetSource, ExactRangesComeFromTheFooterInTheDeclaredType) {
  const auto range_of = [](const std::shared_ptr<arrow::Array>& array,
                           const std::shared_ptr<arrow::DataType>& declared) {
    const auto bytes = WriteParquet(*TableOf("c", array), 2);
    return OpenBytes(bytes, "c", declared)->ExactRange("c");
  };
  const auto ints = range_of(ArrayOf(arrow::int32(), "[3, null, null, null, -7]"), arrow::int64());
  ASSERT_TRUE(ints.has_value());
  EXPECT_EQ(Text(ints->min), "-7");
  EXPECT_EQ(Text(ints->max), "3");
  EXPECT_TRUE(ints->max->type->Equals(*arrow::int64()));

  const auto big =
      range_of(ArrayOf(arrow::uint64(), "[18446744073709551615, 1]"), arrow::decimal128(20, 0));
  ASSERT_TRUE(big.has_value());
  EXPECT_EQ(Text(big->min), "1");
  EXPECT_EQ(Text(big->max), "18446744073709551615");

  const auto text = range_of(ArrayOf(arrow::utf8(), R"(["é", "z", ""])"), arrow::utf8());
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(Text(text->min), "");
  EXPECT_EQ(Text(text->max), "é");

  const auto decimal =
      range_of(ArrayOf(arrow::decimal128(20, 2), R"(["-1.50", "2.00"])"), arrow::decimal128(22, 3));
  ASSERT_TRUE(decimal.has_value());
  EXPECT_EQ(Text(decimal->min), "-1.500");

  const auto millis =
      range_of(ArrayOf(arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"), "[5, 2]"), kUtc);
  ASSERT_TRUE(millis.has_value());
  EXPECT_TRUE(millis->min->Equals(*arrow::MakeScalar(kUtc, 2000).ValueOrDie()));

  EXPECT_FALSE(range_of(ArrayOf(arrow::float64(), "[1]"), arrow::float64()).has_value());
  EXPECT_FALSE(range_of(ArrayOf(arrow::list(arrow::int32()), "[[1]]"), arrow::list(arrow::int32()))
                   .has_value());
}

TEST(ParquetSource, ABoundThatWasLeftOutOfTheFooterIsNoRange) {
  const std::string longer(5000, 'x');
  const auto array = ArrayOf(arrow::utf8(), "[\"a\", \"" + longer + "\"]");
  const auto cut = WriteParquet(*TableOf("c", array));
  EXPECT_FALSE(OpenBytes(cut, "c", arrow::utf8())->ExactRange("c").has_value());
  const auto none = WriteParquet(*TableOf("c", ArrayOf(arrow::int32(), "[1]")), 1 << 20,
                                 [](auto* p) { p->disable_statistics(); });
  EXPECT_FALSE(OpenBytes(none, "c", arrow::int32())->ExactRange("c").has_value());
}

std::shared_ptr<arrow::io::RandomAccessFile> JvmFile(const std::string& name) {
  return arrow::io::ReadableFile::Open(std::string(ARIADNE_TEST_DATA) + "/" + name).ValueOrDie();
}

TEST(ParquetSource, TextBoundsOfAWriterThatMayCutThemAreNoRange) {
  const ParquetSource source(JvmFile("jvm_file_list.parquet"), "/e.parquet",
                             arrow::schema({arrow::field("filename", arrow::utf8())}));
  EXPECT_EQ(source.num_rows(), 3);
  EXPECT_FALSE(source.ExactRange("filename").has_value());
  EXPECT_EQ(Visited(source, "filename", arrow::utf8()).size(), 3);
}

TEST(ParquetSource, FilesOfSparkAreReadInt96Included) {
  const ParquetSource list(JvmFile("jvm_file_list.parquet"), "/e.parquet",
                           arrow::schema({arrow::field("addedAt", kUtc)}));
  EXPECT_EQ(Visited(list, "addedAt", kUtc), KeysOf(*ArrayOf(kUtc, "[1796012272600061]")));
  EXPECT_FALSE(list.ExactRange("addedAt").has_value());

  const auto times = arrow::list(arrow::field("element", kUtc));
  const ParquetSource index(
      JvmFile("jvm_main_index.parquet"), "/e.parquet",
      arrow::schema({arrow::field("ts", times), arrow::field("file_size", arrow::int64())}));
  EXPECT_EQ(Visited(index, "ts", times),
            KeysOf(*ArrayOf(times, R"([[-1, 1709210096789000, 253402300799999999, 1704067200000000],
                [-2208988800000000], [], [1730611800000001, 1710037800100000, 946728000120000,
                946684799000000]])")));
  const auto sizes = index.ExactRange("file_size");
  ASSERT_TRUE(sizes.has_value());
  EXPECT_EQ(Text(sizes->max), "4087");
}

TEST(ReadParquetSchema, TakesTheSchemaThatSparkStored) {
  const auto schema = ReadParquetSchema(JvmFile("jvm_main_index.parquet"), "/e.parquet");
  EXPECT_EQ(SparkTypeName(*schema->GetFieldByName("by")->type()), "array<tinyint>");
  EXPECT_EQ(SparkTypeName(*schema->GetFieldByName("ts")->type()), "array<timestamp>");
  EXPECT_EQ(SparkTypeName(*schema->GetFieldByName("dec38")->type()), "array<decimal(38,10)>");
}

TEST(ParquetSource, AFolderGivesAConstantThatWinsOverTheFile) {
  const auto bytes = WriteParquet(*TableOf("dt", ArrayOf(arrow::utf8(), R"(["other"])")));
  const std::string uri = "file:///lake/dt=2024-02-29/n=7/x=__HIVE_DEFAULT_PARTITION__/e.parquet";
  const ParquetSource source(
      std::make_shared<arrow::io::BufferReader>(bytes), uri,
      arrow::schema({arrow::field("dt", arrow::date32()), arrow::field("N", arrow::int64()),
                     arrow::field("x", arrow::int32()), arrow::field("y", arrow::int32())}));
  EXPECT_EQ(Visited(source, "dt", arrow::date32()), KeysOf(*ArrayOf(arrow::date32(), "[19782]")));
  EXPECT_EQ(Visited(source, "N", arrow::int64()), std::set<std::string>{"7"});
  EXPECT_TRUE(Visited(source, "x", arrow::int32()).empty());
  EXPECT_EQ(Text(source.ExactRange("N")->min), "7");
  EXPECT_FALSE(source.ExactRange("x")->min->is_valid);
  EXPECT_EQ(source.DistinctUpperBound("dt"), 1);
  EXPECT_EQ(source.DistinctUpperBound("x"), 0);
}

TEST(ParquetSource, AFolderWhoseValueIsNotOfTheDeclaredTypeIsAnInvalidFile) {
  const auto bytes = WriteParquet(*TableOf("a", ArrayOf(arrow::int32(), "[1]")));
  const auto source =
      OpenBytes(bytes, "dt", arrow::date32(), "file:///lake/dt=2024-02-30/e.parquet");
  EXPECT_THROW(source->ExactRange("dt"), InvalidFile);
  EXPECT_THROW(Visited(*source, "dt", arrow::date32()), InvalidFile);
}

TEST(ParquetSource, AnEmptyFileInAPartitionFolderHoldsNoValue) {
  const auto bytes = WriteParquet(*TableOf("a", ArrayOf(arrow::int32(), "[]")));
  const auto source = OpenBytes(bytes, "p", arrow::int32(), "file:///lake/p=1/e.parquet");
  EXPECT_TRUE(Visited(*source, "p", arrow::int32()).empty());
  EXPECT_FALSE(source->ExactRange("p")->min->is_valid);
}

TEST(ParquetSource, WhatTheVisitorThrowsIsNotTheFilesFault) {
  const auto bytes = WriteParquet(*TableOf("a", ArrayOf(arrow::int32(), "[1]")));
  const auto source = OpenBytes(bytes, "a", arrow::int32());
  EXPECT_THROW(source->VisitDistinct("a", [](const arrow::Array&) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(ParquetSource, AStoreThatFailsIsNoInvalidFile) {
  const auto bytes = WriteParquet(*TableOf("a", ArrayOf(arrow::int32(), "[1]")));
  const auto file = std::make_shared<CountingFile>(bytes);
  const auto schema = arrow::schema({arrow::field("a", arrow::int32())});
  const ParquetSource source(file, "/e.parquet", schema);
  file->broken = true;
  EXPECT_THROW(source.VisitDistinct("a", [](const arrow::Array&) {}), StorageError);
  EXPECT_THROW(ParquetSource(file, "/e.parquet", schema), StorageError);
}

TEST(ReadParquetSchema, IsWhatSparkReads) {
  const auto table = arrow::Table::Make(
      arrow::schema({arrow::field("u8", arrow::uint8(), false),
                     arrow::field("u32", arrow::uint32()), arrow::field("s", arrow::large_utf8()),
                     arrow::field("t", arrow::timestamp(arrow::TimeUnit::NANO, "Europe/Berlin")),
                     arrow::field("l", arrow::list(arrow::field("item", arrow::int8(), false)))}),
      {ArrayOf(arrow::uint8(), "[]"), ArrayOf(arrow::uint32(), "[]"),
       ArrayOf(arrow::large_utf8(), "[]"),
       ArrayOf(arrow::timestamp(arrow::TimeUnit::NANO, "Europe/Berlin"), "[]"),
       ArrayOf(arrow::list(arrow::field("item", arrow::int8(), false)), "[]")});
  const auto schema = ReadParquetSchema(
      std::make_shared<arrow::io::BufferReader>(WriteParquet(*table)), "/e.parquet");
  EXPECT_EQ(
      ToSparkJson(*schema),
      R"({"type":"struct","fields":[{"name":"u8","type":"short","nullable":true,"metadata":{}},)"
      R"({"name":"u32","type":"long","nullable":true,"metadata":{}},)"
      R"({"name":"s","type":"string","nullable":true,"metadata":{}},)"
      R"({"name":"t","type":"timestamp","nullable":true,"metadata":{}},)"
      R"({"name":"l","type":{"type":"array","elementType":"byte","containsNull":true},"nullable":true,"metadata":{}}]})");
}

}  // namespace
}  // namespace ariadne::source
