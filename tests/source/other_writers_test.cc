// Columns as Arrow's own writer does not write them, written page by page.

#include <string>
#include <vector>

#include <arrow/io/memory.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>
#include <parquet/schema.h>

#include "ariadne/errors.h"
#include "parquet_bytes.h"
#include "source/spark_schema.h"

namespace ariadne::source {
namespace {

using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::GroupNode;
using parquet::schema::PrimitiveNode;

// One row group with one optional column of byte arrays.
std::shared_ptr<arrow::Buffer> ByteArrayFile(const std::shared_ptr<const LogicalType>& logical,
                                             const std::vector<std::string>& values,
                                             bool dictionary) {
  const auto column =
      PrimitiveNode::Make("c", Repetition::OPTIONAL, logical, parquet::Type::BYTE_ARRAY);
  const auto schema = std::static_pointer_cast<GroupNode>(
      GroupNode::Make("schema", Repetition::REQUIRED, {column}));
  auto out = arrow::io::BufferOutputStream::Create().ValueOrDie();
  parquet::WriterProperties::Builder properties;
  if (!dictionary) properties.disable_dictionary();
  const auto file = parquet::ParquetFileWriter::Open(out, schema, properties.build());
  auto* writer = static_cast<parquet::ByteArrayWriter*>(file->AppendRowGroup()->NextColumn());
  std::vector<parquet::ByteArray> arrays;
  for (const std::string& value : values) arrays.emplace_back(std::string_view(value));
  const std::vector<int16_t> levels(values.size(), 1);
  writer->WriteBatch(static_cast<int64_t>(values.size()), levels.data(), nullptr, arrays.data());
  file->Close();
  return out->Finish().ValueOrDie();
}

TEST(OtherWriters, DecimalsOfVariableLengthAreRead) {
  const std::vector<std::string> values = {
      std::string("\x01", 1),                            // 0.01
      std::string("\xFF", 1),                            // -0.01
      std::string("\x00\x80", 2),                        // 1.28
      std::string(20, '\xFF') + std::string(1, '\x85'),  // -1.23, its sign repeated
      "",                                                // 0.00
  };
  const auto type = arrow::decimal128(12, 3);
  for (const bool dictionary : {true, false}) {
    const auto bytes = ByteArrayFile(LogicalType::Decimal(10, 2), values, dictionary);
    EXPECT_EQ(Visited(*OpenBytes(bytes, "c", type), "c", type),
              KeysOf(*ArrayOf(type, R"(["0.010", "-0.010", "1.280", "-1.230", "0.000"])")));
  }
  const std::vector<std::string> huge = {std::string(17, '\x7F')};
  const auto broken = ByteArrayFile(LogicalType::Decimal(38, 2), huge, false);
  const auto wide = arrow::decimal128(38, 2);
  EXPECT_THROW(Visited(*OpenBytes(broken, "c", wide), "c", wide), InvalidFile);
}

TEST(OtherWriters, TextWithoutAnAnnotationIsTextWhereItIsDeclaredSo) {
  const std::vector<std::string> values = {"ü", "a", std::string("\xFF\x00", 2)};
  const auto bytes = ByteArrayFile(LogicalType::None(), values, true);
  EXPECT_EQ(Visited(*OpenBytes(bytes, "c", arrow::binary()), "c", arrow::binary()).size(), 3);
  // No look at whether it is UTF-8: Spark has none.
  const auto source = OpenBytes(bytes, "c", arrow::utf8());
  std::set<std::string> keys;
  source->VisitDistinct("c", [&keys](const arrow::Array& array) { keys.merge(KeysOf(array)); });
  EXPECT_EQ(keys, std::set<std::string>(values.begin(), values.end()));
}

TEST(OtherWriters, EnumsAndJsonAreText) {
  for (const auto& logical : {LogicalType::Enum(), LogicalType::JSON()}) {
    const auto bytes = ByteArrayFile(logical, {"a", "b", "a"}, true);
    EXPECT_EQ(Visited(*OpenBytes(bytes, "c", arrow::utf8()), "c", arrow::utf8()),
              (std::set<std::string>{"a", "b"}));
    const auto schema =
        ReadParquetSchema(std::make_shared<arrow::io::BufferReader>(bytes), "/e.parquet");
    EXPECT_TRUE(schema->field(0)->type()->Equals(*arrow::utf8()));
  }
}

TEST(OtherWriters, AColumnBesideOneThatArrowCannotReadIsRead) {
  const auto odd = PrimitiveNode::Make("odd", Repetition::REQUIRED, LogicalType::Decimal(60, 2),
                                       parquet::Type::BYTE_ARRAY);
  const auto good =
      PrimitiveNode::Make("good", Repetition::REQUIRED, LogicalType::None(), parquet::Type::INT32);
  const auto schema = std::static_pointer_cast<GroupNode>(
      GroupNode::Make("schema", Repetition::REQUIRED, {odd, good}));
  auto out = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto file = parquet::ParquetFileWriter::Open(out, schema);
  auto* group = file->AppendRowGroup();
  const parquet::ByteArray text(std::string_view("x"));
  static_cast<parquet::ByteArrayWriter*>(group->NextColumn())
      ->WriteBatch(1, nullptr, nullptr, &text);
  const int32_t number = 7;
  static_cast<parquet::Int32Writer*>(group->NextColumn())->WriteBatch(1, nullptr, nullptr, &number);
  file->Close();
  const auto bytes = out->Finish().ValueOrDie();
  EXPECT_EQ(Visited(*OpenBytes(bytes, "good", arrow::int32()), "good", arrow::int32()),
            std::set<std::string>{"7"});
  EXPECT_THROW((void)OpenBytes(bytes, "odd", arrow::decimal128(38, 2))->DistinctUpperBound("odd"),
               InvalidFile);
  const auto spark = ReadParquetSchema(std::make_shared<arrow::io::BufferReader>(bytes), "/e");
  EXPECT_THROW(ToSparkJson(*spark), UnsupportedColumn);
}

}  // namespace
}  // namespace ariadne::source
