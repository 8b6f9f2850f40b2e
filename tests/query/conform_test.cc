#include "query/conform.h"

#include <arrow/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

namespace ariadne::query {
namespace {

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const std::string& json) {
  return *arrow::json::ArrayFromJSONString(type, json);
}

TEST(ConformTest, ListsKeepTheirValuesWhateverTheElementIsCalled) {
  const auto named = arrow::list(arrow::field("element", arrow::int32()));
  const auto array = FromJson(named, "[[1, 2], null, [], [null]]");
  const auto conformed = *Conform(array->Slice(1), arrow::list(arrow::int32()));
  EXPECT_TRUE(conformed->Equals(FromJson(arrow::list(arrow::int32()), "[null, [], [null]]")));
  EXPECT_TRUE(conformed->ValidateFull().ok());
}

TEST(ConformTest, StructFieldsGoByNameAndMissingOnesAreNull) {
  const auto from =
      arrow::struct_({arrow::field("b", arrow::int32()), arrow::field("a", arrow::utf8())});
  const auto to =
      arrow::struct_({arrow::field("a", arrow::utf8()), arrow::field("c", arrow::int8()),
                      arrow::field("b", arrow::int64())});
  const auto array = FromJson(from, R"([{"b": 9, "a": "z"}, {"b": 1, "a": "x"}, null])");
  const auto conformed = *Conform(array->Slice(1), to);
  EXPECT_TRUE(conformed->ValidateFull().ok());
  EXPECT_TRUE(conformed->Equals(FromJson(to, R"([{"a": "x", "c": null, "b": 1}, null])")));
}

TEST(ConformTest, ATimestampTakesTheZoneAndKeepsItsInstant) {
  const auto utc = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const auto array = FromJson(arrow::timestamp(arrow::TimeUnit::MICRO), "[1, null]");
  const auto conformed = *Conform(array, utc);
  EXPECT_TRUE(conformed->type()->Equals(*utc));
  EXPECT_EQ(static_cast<const arrow::TimestampArray&>(*conformed).Value(0), 1);
  const auto nanos = FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[1999, null]");
  const auto cut = *Conform(nanos, utc);
  EXPECT_EQ(static_cast<const arrow::TimestampArray&>(*cut).Value(0), 1);
}

TEST(ConformTest, MapEntriesGoByPlace) {
  const auto from = std::make_shared<arrow::MapType>(arrow::field("k", arrow::utf8(), false),
                                                     arrow::field("v", arrow::int32()));
  const auto to = arrow::map(arrow::utf8(), arrow::int64());
  const auto conformed = *Conform(FromJson(from, R"([[["a", 1]], null, []])"), to);
  EXPECT_TRUE(conformed->ValidateFull().ok());
  EXPECT_TRUE(conformed->Equals(FromJson(to, R"([[["a", 1]], null, []])")));
}

TEST(ConformTest, WhatCannotBeTheTypeIsAnError) {
  EXPECT_FALSE(Conform(FromJson(arrow::utf8(), R"(["x"])"), arrow::list(arrow::int32())).ok());
}

}  // namespace
}  // namespace ariadne::query
