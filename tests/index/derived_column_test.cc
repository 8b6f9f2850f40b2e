#include "index/derived_column.h"

#include <string>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "index/column_index.h"
#include "sample_values.h"

namespace ariadne::index {
namespace {

using ::testing::HasSubstr;
using Kind = IndexedColumn::Kind;

const auto kTag =
    arrow::struct_({arrow::field("k", arrow::utf8()),
                    arrow::field("p", arrow::struct_({arrow::field("q", arrow::int32())}))});
const auto kMeta = arrow::struct_(
    {arrow::field("at", arrow::date32()), arrow::field("list", arrow::list(arrow::int64()))});

std::shared_ptr<arrow::Schema> Schema() {
  return arrow::schema({arrow::field("id", arrow::int64()),
                        arrow::field("tags", arrow::list(arrow::field("element", kTag))),
                        arrow::field("nums", arrow::list(arrow::field("element", arrow::int64()))),
                        arrow::field("meta", kMeta), arrow::field("a.b", arrow::utf8())});
}

IndexedColumn Exploded(const std::string& array, const std::string& path) {
  return {.kind = Kind::kExploded, .column = "x", .array_column = array, .field_path = path};
}
IndexedColumn Temporal(const std::string& timestamp) {
  return {.kind = Kind::kTemporal, .column = "id", .timestamp_column = timestamp};
}

TEST(DerivedColumn, HasTheTypeOfWhatItsPathLeadsTo) {
  const auto schema = Schema();
  const auto type = [&](const IndexedColumn& column) { return ValueType(column, *schema); };
  EXPECT_TRUE(type(Exploded("tags", "k"))->Equals(arrow::utf8()));
  EXPECT_TRUE(type(Exploded("tags", "p.q"))->Equals(arrow::int32()));
  EXPECT_TRUE(type(Exploded("nums", ""))->Equals(arrow::int64()));
  EXPECT_TRUE(type(Exploded("tags", ""))->Equals(kTag));
  EXPECT_TRUE(type(Exploded("meta.list", ""))->Equals(arrow::int64()));
  EXPECT_TRUE(type(Temporal("meta.at"))->Equals(arrow::int64()));
  EXPECT_TRUE(TimestampType(Temporal("meta.at"), *schema)->Equals(arrow::date32()));
  EXPECT_TRUE(TimestampType(Temporal("a.b"), *schema)->Equals(arrow::utf8()))
      << "a column of that very name comes first";
  EXPECT_EQ(TimestampType(Exploded("tags", "k"), *schema), nullptr);
  const IndexedColumn computed = {.kind = Kind::kComputed, .column = "c", .expression = "1"};
  EXPECT_TRUE(ValueType(computed, *schema, [](const std::string&, const arrow::Schema&) {
                return arrow::float64();
              })->Equals(arrow::float64()));
  EXPECT_THROW(ValueType(computed, *schema), UnsupportedColumn);
}

TEST(DerivedColumn, APathThatLeadsNowhereIsAnErrorThatNamesIt) {
  const auto schema = Schema();
  EXPECT_THROW(ValueType(Exploded("nope", "k"), *schema), ColumnNotFound);
  EXPECT_THROW(ValueType(Exploded("tags", "nope"), *schema), ColumnNotFound);
  EXPECT_THROW(ValueType(Exploded("tags", "k.deeper"), *schema), UnsupportedColumn);
  EXPECT_THROW(ValueType(Exploded("id", ""), *schema), UnsupportedColumn);
  EXPECT_THROW(TimestampType(Temporal("tags.k"), *schema), UnsupportedColumn);
  EXPECT_THROW(TimestampType(Temporal("meta"), *schema), UnsupportedColumn);
  EXPECT_THROW(ValueType({.kind = Kind::kRegular, .column = "meta.at"}, *schema),
               UnsupportedColumn);
  try {
    ValueType(Exploded("tags", "p.nope"), *schema);
    FAIL() << "it was not refused";
  } catch (const ColumnNotFound& error) {
    EXPECT_THAT(error.what(), HasSubstr("p.nope"));
    EXPECT_THAT(error.what(), HasSubstr("'nope'"));
  }
}

TEST(DerivedColumn, NullAndEmptyArraysGiveNothingAndANullElementGivesNull) {
  const auto tags = Json(arrow::list(arrow::field("element", kTag)),
                         R"([[{"k": "a", "p": {"q": 1}}, null, {"k": null, "p": null}], [], null,
                             [{"k": "b", "p": {"q": null}}]])");
  EXPECT_TRUE(ExplodedValues(*tags, "k")->Equals(Json(arrow::utf8(), R"(["a", null, null, "b"])")));
  EXPECT_TRUE(ExplodedValues(*tags, "p.q")->Equals(Json(arrow::int32(), "[1, null, null, null]")));
  EXPECT_TRUE(ExplodedValues(*tags->Slice(1, 2), "k")->Equals(Json(arrow::utf8(), "[]")));
  EXPECT_TRUE(ExplodedValues(*tags->Slice(3), "k")->Equals(Json(arrow::utf8(), R"(["b"])")));
}

TEST(DerivedColumn, AValueInsideANullStructIsNull) {
  const auto meta = Json(kMeta, R"([{"at": 1, "list": []}, null, {"at": null, "list": null}])");
  // What lies hidden under a NULL must not come through.
  const auto& structs = static_cast<const arrow::StructArray&>(*meta);
  const auto hidden = std::make_shared<arrow::StructArray>(
      kMeta, 3, arrow::ArrayVector{Json(arrow::date32(), "[1, 7, null]"), structs.field(1)},
      structs.null_bitmap(), structs.null_count());
  const auto rows =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("meta", kMeta)}), 3, {hidden});
  EXPECT_TRUE(AtPath(*rows, "meta.at")->Equals(Json(arrow::date32(), "[1, null, null]")));
  const auto slice = rows->Slice(1, 2);
  EXPECT_TRUE(AtPath(*slice, "meta.at")->Equals(Json(arrow::date32(), "[null, null]")));
}

}  // namespace
}  // namespace ariadne::index
