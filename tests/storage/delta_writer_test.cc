#include "storage/delta_writer.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "storage/arrow_io.h"
#include "temp_folder.h"

namespace ariadne::storage {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

std::shared_ptr<arrow::Array> Strings(const std::vector<std::optional<std::string>>& values) {
  arrow::StringBuilder builder;
  for (const auto& value : values) {
    EXPECT_TRUE((value.has_value() ? builder.Append(*value) : builder.AppendNull()).ok());
  }
  return *builder.Finish();
}

template <typename Builder>
std::shared_ptr<arrow::Array> Integers(const std::shared_ptr<arrow::DataType>& type,
                                       const std::vector<std::optional<int64_t>>& values) {
  Builder builder(type, arrow::default_memory_pool());
  for (const auto& value : values) {
    EXPECT_TRUE((value.has_value()
                     ? builder.Append(static_cast<typename Builder::value_type>(*value))
                     : builder.AppendNull())
                    .ok());
  }
  return *builder.Finish();
}

nlohmann::json Stats(const ObjectRef& folder, const std::shared_ptr<arrow::Array>& column) {
  const auto schema = arrow::schema({arrow::field("c", column->type())});
  DeltaFileWriter writer(folder, schema);
  writer.Write(*arrow::RecordBatch::Make(schema, column->length(), {column}));
  return nlohmann::json::parse(writer.Finish().stats_json);
}

TEST(DeltaFileWriter, WritesOneRowGroupACallWithPageIndexAndFooterKey) {
  TempFolder folder;
  const ObjectRef table = folder.Ref("t %20 ü");
  const auto list = arrow::list(arrow::field("item", arrow::utf8(), /*nullable=*/false));
  const auto range =
      arrow::struct_({arrow::field("min", arrow::int64(), false),
                      arrow::field("max", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"))});
  const auto schema =
      arrow::schema({arrow::field("filename", arrow::utf8(), false), arrow::field("l", list),
                     arrow::field("r", range), arrow::field("n", arrow::int64())});
  DeltaFileWriter writer(table, schema);
  const auto batch = arrow::RecordBatch::Make(
      schema, 2,
      {Strings({"a", "b"}), *arrow::MakeArrayOfNull(list, 2), *arrow::MakeArrayOfNull(range, 2),
       Integers<arrow::Int64Builder>(arrow::int64(), {1, {}})});
  writer.Write(*batch);
  writer.Write(*batch->Slice(0, 0));
  writer.Write(*batch->Slice(1, 1));
  EXPECT_EQ(writer.rows(), 3);
  const DataFile file = writer.Finish();
  EXPECT_THAT(file.path, MatchesRegex("part-00000-[-0-9a-f]{36}-c000\\.snappy\\.parquet"));
  EXPECT_EQ(file.num_records, 3);
  EXPECT_EQ(file.size, std::filesystem::file_size(folder.path() / "t %20 ü" / file.path));
  EXPECT_EQ(nlohmann::json::parse(file.stats_json),
            nlohmann::json::parse(
                R"({"numRecords":3,"minValues":{"filename":"a","n":1},)"
                R"("maxValues":{"filename":"b","n":1},"nullCount":{"filename":0,"l":3,"n":2}})"));

  auto reader = parquet::ParquetFileReader::Open(OpenInput(IndexLayout::Join(table, file.path)));
  const auto metadata = reader->metadata();
  EXPECT_EQ(metadata->num_row_groups(), 2);
  EXPECT_EQ(metadata->RowGroup(0)->num_rows(), 2);
  EXPECT_EQ(*metadata->key_value_metadata()->Get("org.apache.spark.version"), "3.5.5");
  EXPECT_EQ(metadata->RowGroup(0)->ColumnChunk(0)->compression(), parquet::Compression::SNAPPY);
  EXPECT_NE(reader->GetPageIndexReader()->RowGroup(0)->GetColumnIndex(0), nullptr);
  for (int i = 0; i < metadata->schema()->num_columns(); ++i) {
    EXPECT_TRUE(metadata->schema()->GetColumnRoot(i)->is_optional()) << i;
  }
  EXPECT_EQ(metadata->schema()->Column(1)->path()->ToDotString(), "l.list.element");
  EXPECT_EQ(metadata->schema()->Column(1)->max_definition_level(), 3);
}

TEST(DeltaFileWriter, WritesTimestampsAsMicrosecondsThatReachTheEndOfTime) {
  TempFolder folder;
  const auto type = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const int64_t last = 253'402'300'799'999'999;   // 9999-12-31T23:59:59.999999Z
  const int64_t first = -62'135'596'800'000'000;  // 0001-01-01
  const auto schema = arrow::schema({arrow::field("t", type)});
  DeltaFileWriter writer(folder.Ref("t"), schema);
  writer.Write(*arrow::RecordBatch::Make(schema, 2,
                                         {Integers<arrow::TimestampBuilder>(type, {last, first})}));
  const DataFile file = writer.Finish();
  auto reader = parquet::ParquetFileReader::Open(OpenInput(folder.Ref("t/" + file.path)));
  EXPECT_EQ(reader->metadata()->schema()->Column(0)->physical_type(), parquet::Type::INT64);
  // The upper bound in milliseconds would be in the year 10000.
  EXPECT_TRUE(nlohmann::json::parse(file.stats_json)["maxValues"].empty());
}

TEST(DeltaFileWriter, BoundsAreWiderThanTheValuesNeverNarrower) {
  TempFolder folder;
  const ObjectRef table = folder.Ref("t");
  const std::string long_text = std::string(31, 'x') + "éü" + "tail";
  auto stats = Stats(table, Strings({long_text, {}}));
  EXPECT_EQ(stats["minValues"]["c"], std::string(31, 'x') + "é");
  EXPECT_EQ(stats["maxValues"]["c"], std::string(31, 'x') + "é\xEF\xBF\xBD");
  EXPECT_EQ(stats["nullCount"]["c"], 1);

  // What follows the prefix is above U+FFFD.
  const std::string emoji = std::string(32, 'x') + "😀";
  stats = Stats(table, Strings({emoji}));
  EXPECT_GE(stats["maxValues"]["c"].get<std::string>(), emoji);
  const std::string highest = std::string(32, 'x') + "\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBFz";
  stats = Stats(table, Strings({highest}));
  EXPECT_GE(stats["maxValues"]["c"].get<std::string>(), highest);

  stats = Stats(table, Strings({std::string(32, 'x')}));
  EXPECT_EQ(stats["maxValues"]["c"], std::string(32, 'x'));
  stats = Stats(table, Strings({"", "b", "Z"}));
  EXPECT_EQ(stats["minValues"]["c"], "");
  EXPECT_EQ(stats["maxValues"]["c"], "b");
  stats = Stats(table, Strings({{}, {}}));
  EXPECT_FALSE(stats["minValues"].contains("c"));

  const auto type = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  stats = Stats(table, Integers<arrow::TimestampBuilder>(type, {1'001, -1'001}));
  EXPECT_EQ(stats["minValues"]["c"], "1969-12-31T23:59:59.998Z");
  EXPECT_EQ(stats["maxValues"]["c"], "1970-01-01T00:00:00.002Z");

  stats = Stats(
      table, Integers<arrow::Int64Builder>(arrow::int64(), {std::numeric_limits<int64_t>::min(),
                                                            std::numeric_limits<int64_t>::max()}));
  EXPECT_EQ(stats["minValues"]["c"], std::numeric_limits<int64_t>::min());
  EXPECT_EQ(stats["maxValues"]["c"], std::numeric_limits<int64_t>::max());
}

TEST(DeltaFileWriter, LeavesNothingBehindWhenDropped) {
  TempFolder folder;
  const auto schema = arrow::schema({arrow::field("c", arrow::utf8())});
  {
    DeltaFileWriter writer(folder.Ref("t"), schema);
    writer.Write(*arrow::RecordBatch::Make(schema, 1, {Strings({"a"})}));
  }
  EXPECT_TRUE(folder.Ref().store->List(folder.Ref("t").path).empty());
}

TEST(DeltaFileWriter, RefusesABatchOfAnotherShape) {
  TempFolder folder;
  const auto schema = arrow::schema({arrow::field("c", arrow::utf8())});
  DeltaFileWriter writer(folder.Ref("t"), schema);
  const auto other = arrow::schema({arrow::field("c", arrow::int64())});
  const auto wrong = Integers<arrow::Int64Builder>(arrow::int64(), {1});
  EXPECT_THROW(writer.Write(*arrow::RecordBatch::Make(other, 1, {wrong})), InvalidArgument);
  const auto wide = arrow::schema({arrow::field("c", arrow::utf8()), other->field(0)});
  EXPECT_THROW(writer.Write(*arrow::RecordBatch::Make(wide, 1, {Strings({"a"}), wrong})),
               InvalidArgument);
}

}  // namespace
}  // namespace ariadne::storage
