#include "query/join_plan.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"

namespace ariadne::query {
namespace {

using ::testing::ElementsAre;

const auto kLake =
    arrow::schema({arrow::field("k", arrow::int64()), arrow::field("v", arrow::utf8()),
                   arrow::field("v_right", arrow::int8())});

std::vector<std::string> Names(const JoinPlan& plan) {
  std::vector<std::string> names;
  for (const auto& field : plan.schema->fields()) names.push_back(field->name());
  return names;
}

TEST(JoinPlanTest, ARepeatedNameIsMarkedUntilItIsFree) {
  const auto keys =
      arrow::schema({arrow::field("v", arrow::utf8()), arrow::field("k", arrow::utf8()),
                     arrow::field("v_right", arrow::utf8())});
  EXPECT_THAT(Names(PlanJoin(*kLake, *keys, {.on = {"k"}})),
              ElementsAre("k", "v", "v_right", "v_right_right", "v_right_right_right"));
}

TEST(JoinPlanTest, TheJoinColumnHasTheTypeOfTheSideThatIsKept) {
  const auto keys = arrow::schema({arrow::field("k", arrow::utf8())});
  const auto type_of = [&](bool keys_left, JoinType how) {
    const auto plan = PlanJoin(*kLake, *keys, {.on = {"k"}, .how = how, .keys_left = keys_left});
    return plan.schema->field(0)->type()->ToString();
  };
  EXPECT_EQ(type_of(false, JoinType::kInner), "int64");
  EXPECT_EQ(type_of(false, JoinType::kLeftSemi), "int64");
  EXPECT_EQ(type_of(false, JoinType::kRight), "string");
  EXPECT_EQ(type_of(true, JoinType::kInner), "string");
  EXPECT_EQ(type_of(true, JoinType::kLeftAnti), "string");
}

TEST(JoinPlanTest, SelectLimitsTheLakeAloneAndKeepsTheJoinColumns) {
  const auto keys =
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("tag", arrow::int32())});
  EXPECT_THAT(Names(PlanJoin(*kLake, *keys, {.on = {"k"}, .select = {"v_right"}})),
              ElementsAre("k", "v_right", "tag"));
  EXPECT_THAT(Names(PlanJoin(*kLake, *keys, {.on = {"k"}, .select = {"k"}})),
              ElementsAre("k", "tag"));
  EXPECT_THAT(
      Names(PlanJoin(*kLake, *keys, {.on = {"k"}, .select = {"v_right", "k", "v", "v_right"}})),
      ElementsAre("k", "v_right", "v", "tag"));
  // Wrong names are told even where no column of the lake is returned.
  EXPECT_THROW(
      PlanJoin(*kLake, *keys,
               {.on = {"k"}, .how = JoinType::kLeftAnti, .keys_left = true, .select = {"nope"}}),
      ColumnNotFound);
}

}  // namespace
}  // namespace ariadne::query
