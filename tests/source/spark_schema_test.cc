#include "source/spark_schema.h"

#include <fstream>
#include <string>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"

namespace ariadne::source {
namespace {

using ::testing::HasSubstr;

std::string OneField(const std::string& type) {
  return R"({"type":"struct","fields":[{"name":"c","type":)" + type +
         R"(,"nullable":true,"metadata":{}}]})";
}

TEST(SparkSchema, SchemasThatTheJvmLibraryWroteComeBackByteForByte) {
  std::ifstream lines(std::string(ARIADNE_TEST_DATA) + "/spark_schemas.txt");
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(ToSparkJson(*FromSparkJson(line)), line);
  }
  EXPECT_GE(count, 5);
}

TEST(SparkSchema, EveryTypeHasItsNameAndComesBack) {
  const struct {
    const char* json;
    std::shared_ptr<arrow::DataType> type;
    const char* sql;
  } cases[] = {
      {R"("string")", arrow::utf8(), "string"},
      {R"("boolean")", arrow::boolean(), "boolean"},
      {R"("byte")", arrow::int8(), "tinyint"},
      {R"("short")", arrow::int16(), "smallint"},
      {R"("integer")", arrow::int32(), "int"},
      {R"("long")", arrow::int64(), "bigint"},
      {R"("float")", arrow::float32(), "float"},
      {R"("double")", arrow::float64(), "double"},
      {R"j("decimal(38,10)")j", arrow::decimal128(38, 10), "decimal(38,10)"},
      {R"("date")", arrow::date32(), "date"},
      {R"("timestamp")", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "timestamp"},
      {R"("timestamp_ntz")", arrow::timestamp(arrow::TimeUnit::MICRO), "timestamp_ntz"},
      {R"("binary")", arrow::binary(), "binary"},
      {R"("void")", arrow::null(), "void"},
      {R"({"type":"array","elementType":"string","containsNull":true})",
       arrow::list(arrow::field("element", arrow::utf8())), "array<string>"},
      {R"({"type":"array","elementType":{"type":"array","elementType":"long","containsNull":false},"containsNull":false})",
       arrow::list(arrow::field(
           "element", arrow::list(arrow::field("element", arrow::int64(), false)), false)),
       "array<array<bigint>>"},
      {R"({"type":"map","keyType":"string","valueType":"integer","valueContainsNull":false})",
       arrow::map(arrow::utf8(), arrow::field("value", arrow::int32(), false)), "map<string,int>"},
      {R"({"type":"struct","fields":[{"name":"ä b","type":"date","nullable":false,"metadata":{}}]})",
       arrow::struct_({arrow::field("ä b", arrow::date32(), false)}), "struct<ä b:date>"},
  };
  for (const auto& c : cases) {
    const auto schema = FromSparkJson(OneField(c.json));
    ASSERT_EQ(schema->num_fields(), 1) << c.json;
    EXPECT_TRUE(schema->field(0)->type()->Equals(*c.type)) << c.json;
    EXPECT_EQ(ToSparkJson(*schema), OneField(c.json));
    EXPECT_EQ(SparkTypeName(*c.type), c.sql);
  }
}

TEST(SparkSchema, MetadataOfAFieldSurvivesAndOddNamesAreEscapedAsSparkEscapesThem) {
  const std::string json =
      R"({"type":"struct","fields":[{"name":"a\"\\\n\u001F","type":"string","nullable":false,)"
      R"("metadata":{"comment":"ü \"x\"","n":{"k":[1,2.5,true,null]}}}]})";
  const auto schema = FromSparkJson(json);
  EXPECT_EQ(schema->field(0)->name(), "a\"\\\n\x1F");
  EXPECT_FALSE(schema->field(0)->nullable());
  EXPECT_EQ(ToSparkJson(*schema), json);
  EXPECT_EQ("{\"type\":\"struct\",\"fields\":[" + FieldToSparkJson(*schema->field(0)) + "]}", json);
}

TEST(SparkSchema, MetadataOfOtherKindsIsLeftOut) {
  const auto field = arrow::field("c", arrow::int32(), true,
                                  arrow::key_value_metadata({"PARQUET:field_id"}, {"7"}));
  EXPECT_EQ(ToSparkJson(arrow::Schema({field})), OneField("\"integer\""));
}

TEST(SparkSchema, ArrowTypesThatSparkLacksMapToWhatSparkReadsThemAs) {
  const struct {
    std::shared_ptr<arrow::DataType> type;
    const char* json;
  } cases[] = {
      {arrow::uint8(), R"("short")"},
      {arrow::uint16(), R"("integer")"},
      {arrow::uint32(), R"("long")"},
      {arrow::uint64(), R"j("decimal(20,0)")j"},
      {arrow::large_utf8(), R"("string")"},
      {arrow::dictionary(arrow::int32(), arrow::utf8()), R"("string")"},
      {arrow::fixed_size_binary(3), R"("binary")"},
      {arrow::large_binary(), R"("binary")"},
      {arrow::date64(), R"("date")"},
      {arrow::timestamp(arrow::TimeUnit::NANO), R"("timestamp_ntz")"},
      {arrow::timestamp(arrow::TimeUnit::MILLI, "Europe/Berlin"), R"("timestamp")"},
      {arrow::decimal64(10, 2), R"j("decimal(10,2)")j"},
      {arrow::large_list(arrow::uint8()),
       R"({"type":"array","elementType":"short","containsNull":true})"},
      {arrow::fixed_size_list(arrow::utf8(), 2),
       R"({"type":"array","elementType":"string","containsNull":true})"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ToSparkJson(arrow::Schema({arrow::field("c", c.type)})), OneField(c.json));
  }
}

TEST(SparkSchema, ATypeThatSparkCannotReadIsRefusedByTheNameOfItsColumn) {
  for (const auto& type :
       {arrow::time64(arrow::TimeUnit::MICRO), arrow::float16(), arrow::decimal256(40, 2)}) {
    const arrow::Schema schema(
        {arrow::field("outer", arrow::struct_({arrow::field("in ner", type)}))});
    try {
      ToSparkJson(schema);
      FAIL() << type->ToString();
    } catch (const UnsupportedColumn& error) {
      EXPECT_THAT(error.what(), HasSubstr("outer.in ner"));
    }
  }
  EXPECT_THROW(FromSparkJson(OneField("\"interval day to second\"")), UnsupportedColumn);
  EXPECT_THROW(FromSparkJson(OneField("\"decimal(39,1)\"")), UnsupportedColumn);
  EXPECT_THROW(FromSparkJson(OneField("\"decimal(x,1)\"")), UnsupportedColumn);
}

TEST(SparkSchema, TextThatIsNoSchemaIsASchemaMismatch) {
  for (const char* json :
       {"", "{", "[]", "7", R"({"type":"long"})", R"({"type":"struct"})",
        R"({"type":"struct","fields":7})", R"({"type":"struct","fields":[{"type":"long"}]})",
        R"({"type":"struct","fields":[{"name":"a"}]})",
        R"({"type":"struct","fields":[{"name":7,"type":"long"}]})",
        R"({"type":"struct","fields":[{"name":"a","type":{"type":"set"}}]})",
        R"({"type":"struct","fields":[{"name":"a","type":"long","nullable":1}]})"}) {
    EXPECT_THROW(FromSparkJson(json), SchemaMismatch) << json;
  }
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += R"({"type":"array","containsNull":true,"elementType":)";
  deep += "\"long\"" + std::string(5000, '}');
  EXPECT_THROW(FromSparkJson(OneField(deep)), SchemaMismatch);
}

TEST(CanReadAs, WideningIsAllowedAndNarrowingIsNot) {
  const auto us = arrow::timestamp(arrow::TimeUnit::MICRO);
  const auto utc = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const auto ints = arrow::list(arrow::int32());
  const struct {
    std::shared_ptr<arrow::DataType> file, declared;
    bool allowed;
  } cases[] = {
      {arrow::int32(), arrow::int64(), true},
      {arrow::int64(), arrow::int32(), false},
      {arrow::int8(), arrow::int16(), true},
      {arrow::uint32(), arrow::int64(), true},
      {arrow::uint32(), arrow::int32(), false},
      {arrow::uint64(), arrow::decimal128(20, 0), true},
      {arrow::uint64(), arrow::int64(), false},
      {arrow::float32(), arrow::float64(), true},
      {arrow::float64(), arrow::float32(), false},
      {arrow::int32(), arrow::float64(), true},
      {arrow::int64(), arrow::float64(), false},
      {arrow::int32(), arrow::float32(), false},
      {arrow::int32(), arrow::decimal128(10, 0), true},
      {arrow::int32(), arrow::decimal128(10, 1), false},
      {arrow::int64(), arrow::decimal128(20, 1), true},
      {arrow::decimal128(10, 2), arrow::decimal128(12, 4), true},
      {arrow::decimal128(10, 2), arrow::decimal128(12, 5), false},
      {arrow::decimal128(10, 2), arrow::decimal128(12, 1), false},
      {arrow::binary(), arrow::utf8(), true},
      {arrow::utf8(), arrow::binary(), true},
      {arrow::fixed_size_binary(4), arrow::binary(), true},
      {arrow::fixed_size_binary(4), arrow::utf8(), false},
      {arrow::utf8(), arrow::int32(), false},
      {arrow::int32(), arrow::utf8(), false},
      {arrow::date32(), arrow::int32(), false},
      {arrow::boolean(), arrow::int8(), false},
      {us, utc, true},
      {utc, us, true},
      {arrow::timestamp(arrow::TimeUnit::NANO), us, true},
      {arrow::null(), arrow::utf8(), true},
      {ints, arrow::list(arrow::int64()), true},
      {arrow::list(arrow::int64()), ints, false},
      {arrow::map(arrow::utf8(), arrow::int32()), arrow::map(arrow::utf8(), arrow::int64()), true},
      {arrow::struct_({arrow::field("A", arrow::int32())}),
       arrow::struct_({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8())}), true},
      {arrow::struct_({arrow::field("a", arrow::utf8())}),
       arrow::struct_({arrow::field("a", arrow::int64())}), false},
      {ints, arrow::int32(), false},
      {arrow::time32(arrow::TimeUnit::MILLI), arrow::int32(), false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(CanReadAs(*c.file, *c.declared), c.allowed)
        << c.file->ToString() << " as " << c.declared->ToString();
  }
}

}  // namespace
}  // namespace ariadne::source
