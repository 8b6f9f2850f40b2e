#include <memory>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "parquet_bytes.h"
#include "source/parquet_source.h"

namespace ariadne::source {
namespace {

std::shared_ptr<arrow::Table> Collect(const ParquetSource& source,
                                      const std::vector<std::string>& columns) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  std::shared_ptr<arrow::Schema> schema;
  source.VisitRows(columns, [&](const arrow::RecordBatch& rows) {
    schema = rows.schema();
    batches.push_back(rows.Slice(0));
  });
  if (schema == nullptr) return nullptr;
  return arrow::Table::FromRecordBatches(schema, batches)
      .ValueOrDie()
      ->CombineChunks()
      .ValueOrDie();
}

TEST(VisitRows, GivesAllRowsAlignedAsDeclaredInTheOrderAskedFor) {
  const auto pair = arrow::struct_({arrow::field("x", arrow::int32())});
  const auto narrow = arrow::Table::Make(
      arrow::schema({arrow::field("id", arrow::int32()), arrow::field("Pair", pair),
                     arrow::field("left_out", arrow::utf8())}),
      {ArrayOf(arrow::int32(), "[1, null, 3, 4, 5]"),
       ArrayOf(pair, R"([{"x": 1}, null, {"x": null}, {"x": 4}, {"x": 5}])"),
       ArrayOf(arrow::utf8(), R"(["a", "b", "c", "d", "e"])")});
  const auto wide =
      arrow::struct_({arrow::field("x", arrow::int64()), arrow::field("absent", arrow::utf8())});
  const auto declared =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("pair", wide),
                     arrow::field("absent", arrow::utf8()), arrow::field("part", arrow::int32())});
  const ParquetSource source(std::make_shared<CountingFile>(WriteParquet(*narrow, 2)),
                             "file:///lake/part=7/f.parquet", declared);
  const auto rows = Collect(source, {"part", "pair", "absent", "id"});
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(rows->schema()->field_names(),
            (std::vector<std::string>{"part", "pair", "absent", "id"}));
  const auto column = [&](int i) { return rows->column(i)->chunk(0); };
  EXPECT_TRUE(column(0)->Equals(ArrayOf(arrow::int32(), "[7, 7, 7, 7, 7]")));
  EXPECT_TRUE(column(1)->Equals(
      ArrayOf(wide, R"([{"x": 1, "absent": null}, null, {"x": null, "absent": null},
                {"x": 4, "absent": null}, {"x": 5, "absent": null}])")));
  EXPECT_EQ(column(2)->null_count(), 5);
  EXPECT_TRUE(column(3)->Equals(ArrayOf(arrow::int64(), "[1, null, 3, 4, 5]")));
  EXPECT_THROW(Collect(source, {"nope"}), ColumnNotFound);
}

TEST(VisitRows, GivesRowsWithoutColumnsAndNoneOfAnEmptyFile) {
  const auto declared = arrow::schema({arrow::field("id", arrow::int64())});
  const ParquetSource source(std::make_shared<CountingFile>(WriteParquet(
                                 *TableOf("id", ArrayOf(arrow::int64(), "[1, 2, 3]")), 2)),
                             "file:///f.parquet", declared);
  int64_t rows = 0;
  source.VisitRows({}, [&rows](const arrow::RecordBatch& batch) { rows += batch.num_rows(); });
  EXPECT_EQ(rows, 3);
  const ParquetSource empty(
      std::make_shared<CountingFile>(WriteParquet(*TableOf("id", ArrayOf(arrow::int64(), "[]")))),
      "file:///f.parquet", declared);
  EXPECT_EQ(Collect(empty, {"id"}), nullptr);
}

TEST(VisitRows, WhatTheVisitorThrowsPassesThrough) {
  const ParquetSource source(
      std::make_shared<CountingFile>(WriteParquet(*TableOf("id", ArrayOf(arrow::int64(), "[1]")))),
      "file:///f.parquet", arrow::schema({arrow::field("id", arrow::int64())}));
  EXPECT_THROW(source.VisitRows({"id"}, [](const auto&) { throw std::runtime_error("mine"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace ariadne::source
