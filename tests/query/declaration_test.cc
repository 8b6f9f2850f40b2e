#include "query/declaration.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"

namespace ariadne::query {
namespace {

using Kind = IndexedColumn::Kind;
using ::testing::ElementsAre;

class DeclarationTest : public ::testing::Test {
 protected:
  bool Add(Kind kind, const std::string& column, double fpr = 0.01) {
    return Declare(metadata_, *schema_, {kind, column, fpr});
  }

  std::shared_ptr<arrow::Schema> schema_ =
      arrow::schema({arrow::field("a", arrow::int32()), arrow::field("b.c", arrow::utf8()),
                     arrow::field("A", arrow::int32()), arrow::field("filename", arrow::utf8()),
                     arrow::field("range_a", arrow::utf8()), arrow::field("Bloom_x", arrow::utf8()),
                     arrow::field("blob", arrow::binary()),
                     arrow::field("s", arrow::struct_({arrow::field("x", arrow::int32())})),
                     arrow::field("m", arrow::map(arrow::utf8(), arrow::int32()))});
  storage::IndexMetadata metadata_;
};

TEST_F(DeclarationTest, TheSameDeclarationAgainIsANoOp) {
  EXPECT_TRUE(Add(Kind::kRegular, "a"));
  EXPECT_FALSE(Add(Kind::kRegular, "a"));
  EXPECT_TRUE(Add(Kind::kBloom, "b.c", 0.2));
  EXPECT_FALSE(Add(Kind::kBloom, "b.c", 0.2));
  EXPECT_THAT(metadata_.regular, ElementsAre("a"));
  EXPECT_EQ(metadata_.bloom.size(), 1U);
}

TEST_F(DeclarationTest, AColumnCarriesOneKindInWhateverOrderTheyCome) {
  for (const Kind first : {Kind::kRegular, Kind::kBloom, Kind::kRange}) {
    for (const Kind second : {Kind::kRegular, Kind::kBloom, Kind::kRange}) {
      if (first == second) continue;
      metadata_ = {};
      Add(first, "a");
      EXPECT_THROW(Add(second, "a"), IndexTypeConflict) << ToString(first) << ToString(second);
    }
  }
}

TEST_F(DeclarationTest, KindsOfTheOtherLibraryTakeTheirNamesToo) {
  metadata_.temporal.push_back({"a", "ts"});
  EXPECT_THROW(Add(Kind::kRegular, "a"), IndexTypeConflict);
  metadata_ = {};
  metadata_.computed.emplace_back("a", "upper(b)");
  EXPECT_THROW(Add(Kind::kRange, "a"), IndexTypeConflict);
  metadata_ = {};
  metadata_.exploded.push_back({"tags", "k", "a"});
  EXPECT_THROW(Add(Kind::kBloom, "a"), IndexTypeConflict);
}

TEST_F(DeclarationTest, AnotherRateForTheSameFilterIsRefused) {
  Add(Kind::kBloom, "a", 0.01);
  EXPECT_THROW(Add(Kind::kBloom, "a", 0.02), IndexTypeConflict);
}

TEST_F(DeclarationTest, RatesThatGiveNoFilterAreRefused) {
  for (const double rate : {0.0, -1.0, 1.0, 0.7, std::nan("")}) {
    EXPECT_THROW(Add(Kind::kBloom, "a", rate), InvalidArgument) << rate;
  }
  EXPECT_NO_THROW(Add(Kind::kBloom, "a", 0.5));
}

TEST_F(DeclarationTest, NestedPathsAreRefusedButADottedColumnIsAColumn) {
  EXPECT_TRUE(Add(Kind::kRegular, "b.c"));
  EXPECT_THROW(Add(Kind::kRegular, "s.x"), UnsupportedColumn);
  EXPECT_THROW(Add(Kind::kRegular, "b.d"), ColumnNotFound);
  EXPECT_THROW(Add(Kind::kRegular, "nope"), ColumnNotFound);
  EXPECT_THROW(Add(Kind::kRegular, ""), InvalidArgument);
}

TEST_F(DeclarationTest, NamesOfTheIndexTableAreReserved) {
  for (const char* name : {"filename", "range_a", "Bloom_x"}) {
    EXPECT_THROW(Add(Kind::kRegular, name), UnsupportedColumn) << name;
  }
}

TEST_F(DeclarationTest, ColumnsThatDifferInCaseAloneCannotBothBeIndexed) {
  Add(Kind::kRegular, "a");
  EXPECT_THROW(Add(Kind::kRegular, "A"), UnsupportedColumn);
}

TEST_F(DeclarationTest, TypesThatAKindCannotHoldAreRefused) {
  EXPECT_THROW(Add(Kind::kBloom, "blob"), UnsupportedColumn);
  EXPECT_TRUE(Add(Kind::kRegular, "blob"));
  EXPECT_THROW(Add(Kind::kRegular, "m"), UnsupportedColumn);
  EXPECT_THROW(Add(Kind::kBloom, "s"), UnsupportedColumn);
}

TEST_F(DeclarationTest, ARefusedDeclarationLeavesTheMetadataAsItWas) {
  Add(Kind::kRegular, "a");
  const std::string before = metadata_.ToJson();
  EXPECT_THROW(Add(Kind::kBloom, "blob"), UnsupportedColumn);
  EXPECT_EQ(metadata_.ToJson(), before);
}

TEST(SchemaDifferenceTest, NestedTypesAreComparedByNameAndType) {
  const auto one = arrow::schema({arrow::field(
      "s",
      arrow::list(arrow::field("element", arrow::struct_({arrow::field("x", arrow::int32())}))))});
  const auto renamed_list = arrow::schema({arrow::field(
      "s",
      arrow::list(arrow::field("item", arrow::struct_({arrow::field("x", arrow::int32())}))))});
  const auto other_field = arrow::schema({arrow::field(
      "s",
      arrow::list(arrow::field("element", arrow::struct_({arrow::field("y", arrow::int32())}))))});
  EXPECT_FALSE(SchemaDifference(*one, *renamed_list));
  EXPECT_TRUE(SchemaDifference(*one, *other_field));
}

TEST(SchemaDifferenceTest, AnotherOrderIsADifference) {
  const auto ab =
      arrow::schema({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())});
  const auto ba =
      arrow::schema({arrow::field("b", arrow::utf8()), arrow::field("a", arrow::int32())});
  EXPECT_TRUE(SchemaDifference(*ab, *ba));
  EXPECT_FALSE(SchemaDifference(*ab, *ab));
}

IndexedColumn Exploded(const std::string& array, const std::string& path, const std::string& as) {
  return {.kind = Kind::kExploded, .column = as, .array_column = array, .field_path = path};
}
IndexedColumn Temporal(const std::string& column, const std::string& timestamp) {
  return {.kind = Kind::kTemporal, .column = column, .timestamp_column = timestamp};
}

/// Columns of which others can be made.
class DerivedDeclarationTest : public ::testing::Test {
 protected:
  bool Add(const IndexedColumn& column) { return Declare(metadata_, *schema_, column); }

  std::shared_ptr<arrow::DataType> time_ = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  std::shared_ptr<arrow::DataType> tag_ =
      arrow::struct_({arrow::field("k", arrow::utf8()),
                      arrow::field("p", arrow::struct_({arrow::field("q", arrow::int32())})),
                      arrow::field("m", arrow::map(arrow::utf8(), arrow::int32()))});
  std::shared_ptr<arrow::Schema> schema_ = arrow::schema(
      {arrow::field("a", arrow::int32()), arrow::field("ts", time_), arrow::field("b", time_),
       arrow::field("meta", arrow::struct_({arrow::field("at", time_)})),
       arrow::field("tags", arrow::list(tag_)), arrow::field("ids", arrow::list(arrow::int64())),
       arrow::field("filename", arrow::int32())});
  storage::IndexMetadata metadata_;
};

TEST_F(DerivedDeclarationTest, TheSameDeclarationAgainIsANoOpAndAnotherOneIsRefused) {
  EXPECT_TRUE(Add(Exploded("tags", "k", "tag")));
  EXPECT_FALSE(Add(Exploded("tags", "k", "tag")));
  EXPECT_THROW(Add(Exploded("tags", "p.q", "tag")), IndexTypeConflict);
  EXPECT_THROW(Add(Exploded("ids", "", "tag")), IndexTypeConflict);
  EXPECT_TRUE(Add(Temporal("a", "ts")));
  EXPECT_FALSE(Add(Temporal("a", "ts")));
  EXPECT_THROW(Add(Temporal("a", "meta.at")), IndexTypeConflict);
  EXPECT_EQ(metadata_.exploded.size(), 1U);
  EXPECT_EQ(metadata_.temporal.size(), 1U);
}

TEST_F(DerivedDeclarationTest, ANameStandsForOneThingInEveryDirection) {
  Add(Exploded("tags", "k", "tag"));
  Add(Temporal("a", "ts"));
  EXPECT_THROW(Add({.kind = Kind::kRegular, .column = "tag"}), IndexTypeConflict);
  EXPECT_THROW(Add({.kind = Kind::kRegular, .column = "a"}), IndexTypeConflict);
  EXPECT_THROW(Add(Temporal("tag", "ts")), IndexTypeConflict);
  EXPECT_THROW(Add({.kind = Kind::kComputed, .column = "tag", .expression = "a"}),
               IndexTypeConflict);
  // Nor may it be a column of the data, in whatever case.
  EXPECT_THROW(Add(Exploded("tags", "k", "ids")), IndexTypeConflict);
  EXPECT_THROW(Add(Exploded("tags", "k", "TS")), IndexTypeConflict);
  EXPECT_THROW(Add({.kind = Kind::kComputed, .column = "b", .expression = "a"}), IndexTypeConflict);
  EXPECT_THROW(Add(Exploded("ids", "", "Tag")), UnsupportedColumn);
}

TEST_F(DerivedDeclarationTest, NamesThatTheIndexCannotStoreAreRefused) {
  EXPECT_THROW(Add(Exploded("tags", "k", "bloom_k")), UnsupportedColumn);
  EXPECT_THROW(Add(Exploded("tags", "k", "Auto_Bloom_k")), UnsupportedColumn);
  EXPECT_THROW(Add(Exploded("tags", "k", "file_size")), UnsupportedColumn);
  for (const char* name : {"", " ", "a/b", "..", "tag.k", "a\\b"}) {
    EXPECT_THROW(Add(Exploded("tags", "k", name)), InvalidArgument) << name;
  }
}

TEST_F(DerivedDeclarationTest, WhatAnIndexIsMadeOfMustBeThereAndFit) {
  EXPECT_TRUE(Add(Exploded("ids", "", "id")));
  EXPECT_TRUE(Add(Exploded("tags", "p.q", "q")));
  EXPECT_TRUE(Add(Exploded("tags", "p", "p")));
  EXPECT_THROW(Add(Exploded("a", "", "x")), UnsupportedColumn);
  EXPECT_THROW(Add(Exploded("nope", "", "x")), ColumnNotFound);
  EXPECT_THROW(Add(Exploded("", "k", "x")), InvalidArgument);
  EXPECT_THROW(Add(Exploded("tags", "nope", "x")), ColumnNotFound);
  EXPECT_THROW(Add(Exploded("tags", "k.z", "x")), UnsupportedColumn);
  EXPECT_THROW(Add(Exploded("tags", "m", "x")), UnsupportedColumn);
  EXPECT_TRUE(Add(Temporal("b", "meta.at")));
  EXPECT_THROW(Add(Temporal("a", "meta")), UnsupportedColumn);
  EXPECT_THROW(Add(Temporal("a", "meta.nope")), ColumnNotFound);
  EXPECT_THROW(Add(Temporal("a", "nope")), ColumnNotFound);
  EXPECT_THROW(Add(Temporal("a", "")), InvalidArgument);
  EXPECT_THROW(Add(Temporal("meta.at", "ts")), UnsupportedColumn);
  EXPECT_THROW(Add(Temporal("tags", "ts")), UnsupportedColumn);
  EXPECT_THROW(Add({.kind = Kind::kComputed, .column = "x"}), InvalidArgument);
  EXPECT_THROW(Add({.kind = Kind::kComputed, .column = "x", .expression = "no_such_thing(a)"}),
               Error);
  EXPECT_TRUE(metadata_.computed.empty());
}

}  // namespace
}  // namespace ariadne::query
