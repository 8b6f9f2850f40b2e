#include <random>

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
#include "join_oracle.h"
#include "random_lake.h"

namespace ariadne {
namespace {

using testing::DataFiles;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kWays;
using testing::LakeSchema;
using testing::Oracle;
using testing::RandomColumn;
using testing::RandomRows;
using testing::Rows;
using testing::TempFolder;
using testing::Way;

namespace fs = std::filesystem;

std::shared_ptr<arrow::Array> Numbers(int64_t count) {
  arrow::Int32Builder builder;
  for (int64_t i = 0; i < count; ++i) EXPECT_TRUE(builder.Append(static_cast<int32_t>(i)).ok());
  return *builder.Finish();
}

std::shared_ptr<arrow::Array> Cast(const std::shared_ptr<arrow::Array>& array,
                                   const std::shared_ptr<arrow::DataType>& type) {
  EXPECT_TRUE(arrow::compute::Initialize().ok());
  const auto cast = arrow::compute::Cast(*array, type);
  EXPECT_TRUE(cast.ok()) << cast.status();
  return *cast;
}

/// A small lake of three files over `id` and `name`, and keys of which some match.
class JoinTest : public ::testing::Test {
 protected:
  JoinTest() {
    index_.AddRegular("id");
    for (int file = 0; file < 3; ++file) {
      arrow::Int64Builder ids;
      arrow::StringBuilder names;
      for (int row = 0; row < 4; ++row) {
        EXPECT_TRUE(ids.Append(file * 10 + row).ok());
        EXPECT_TRUE(names.Append("n" + std::to_string(file * 10 + row)).ok());
      }
      EXPECT_TRUE(ids.AppendNull().ok());
      EXPECT_TRUE(names.Append("nobody").ok());
      const std::string uri =
          data_.Add(arrow::Table::Make(schema_, {*ids.Finish(), *names.Finish()}));
      index_.AddFiles({data_.path_of[uri]});
    }
    index_.Update();
  }

  static std::shared_ptr<arrow::Table> Keys(const std::vector<std::optional<int64_t>>& ids) {
    arrow::Int64Builder builder;
    for (const auto& id : ids) {
      EXPECT_TRUE((id ? builder.Append(*id) : builder.AppendNull()).ok());
    }
    return arrow::Table::Make(
        arrow::schema({arrow::field("id", arrow::int64()), arrow::field("name", arrow::int32())}),
        {*builder.Finish(), Numbers(std::ssize(ids))});
  }

  std::shared_ptr<arrow::Schema> schema_ =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8())});
  TempFolder folder_;
  DataFiles data_{folder_ / "data"};
  Lake lake_{(folder_ / "lake").string()};
  Index index_ = lake_.Create("t", {"parquet", schema_});
};

TEST_F(JoinTest, EveryTypeGivesWhatAFullScanWouldGive) {
  const auto keys = Keys({1, 12, 12, 99, std::nullopt});
  for (const Way& way : kWays) {
    JoinOptions options{.on = {"id"}, .how = way.how, .keys_left = way.keys_left};
    const Joined joined = index_.Join(keys, options);
    const auto rows = testing::ReadAll(*joined.rows);
    EXPECT_EQ(Rows(*rows), (Oracle{data_.Table(), keys, keys, options}.Result()))
        << "keys_left " << way.keys_left << ", type " << static_cast<int>(way.how);
    EXPECT_EQ(joined.located.files.size(), 2U);
  }
}

TEST_F(JoinTest, AColumnWithoutAnIndexIsComparedAndPrunesNothing) {
  arrow::Int64Builder ids;
  arrow::StringBuilder names;
  ASSERT_TRUE(ids.AppendValues({1, 2, 12, 99}).ok());
  ASSERT_TRUE(names.AppendValues({"n1", "other", "n12", "n99"}).ok());
  ASSERT_TRUE(ids.Append(13).ok());
  ASSERT_TRUE(names.AppendNull().ok());
  const auto keys = arrow::Table::Make(schema_, {*ids.Finish(), *names.Finish()});
  for (const Way& way : kWays) {
    JoinOptions options{.on = {"name", "id"}, .how = way.how, .keys_left = way.keys_left};
    const Joined joined = index_.Join(keys, options);
    EXPECT_EQ(Rows(*testing::ReadAll(*joined.rows)),
              (Oracle{data_.Table(), keys, keys, options}.Result()));
    EXPECT_EQ(joined.located.files.size(), 2U);
    ASSERT_EQ(joined.located.steps.size(), 1U);
    EXPECT_EQ(joined.located.steps[0].column, "id");
  }
  EXPECT_THROW((void)index_.Join(keys, {.on = {"id", "nope"}}), ColumnNotFound);
}

TEST_F(JoinTest, ColumnsComeInSparksOrderAndRepeatedNamesAreMarked) {
  const auto keys = Keys({1});
  const auto names = [&](bool keys_left, JoinType how, std::vector<std::string> select = {}) {
    JoinOptions options{
        .on = {"id"}, .how = how, .keys_left = keys_left, .select = std::move(select)};
    const Joined joined = index_.Join(keys, options);
    EXPECT_TRUE(testing::ReadAll(*joined.rows)->schema()->Equals(*joined.rows->schema()));
    std::vector<std::string> fields;
    for (const auto& field : joined.rows->schema()->fields()) {
      fields.push_back(field->name() + ":" + field->type()->ToString());
    }
    return fields;
  };
  EXPECT_THAT(names(false, JoinType::kInner),
              ElementsAre("id:int64", "name:string", "name_right:int32"));
  EXPECT_THAT(names(true, JoinType::kInner),
              ElementsAre("id:int64", "name:int32", "name_right:string"));
  EXPECT_THAT(names(false, JoinType::kLeftSemi), ElementsAre("id:int64", "name:string"));
  EXPECT_THAT(names(true, JoinType::kLeftAnti), ElementsAre("id:int64", "name:int32"));
  EXPECT_THAT(names(false, JoinType::kRight, {"id"}), ElementsAre("id:int64", "name:int32"));
}

TEST_F(JoinTest, AResultWithoutRowsHasTheSameSchema) {
  for (const Way& way : kWays) {
    JoinOptions options{.on = {"id"}, .how = way.how, .keys_left = way.keys_left};
    const Joined some = index_.Join(Keys({1}), options);
    for (const auto& keys : {Keys({77}), Keys({std::nullopt}), Keys({})}) {
      const Joined none = index_.Join(keys, options);
      EXPECT_TRUE(none.rows->schema()->Equals(*some.rows->schema()));
      EXPECT_THAT(none.located.files, IsEmpty());
      EXPECT_EQ(Rows(*testing::ReadAll(*none.rows)),
                (Oracle{data_.Table(), keys, keys, options}.Result()));
    }
  }
}

TEST_F(JoinTest, TypesThatNeedUnreadRowsAreRefusedWithTheReason) {
  for (const Way& way : {Way{false, JoinType::kLeft}, Way{false, JoinType::kLeftAnti},
                         Way{true, JoinType::kRight}}) {
    JoinOptions options{.on = {"id"}, .how = way.how, .keys_left = way.keys_left};
    try {
      (void)index_.Join(Keys({1}), options);
      FAIL() << "no error";
    } catch (const UnsupportedJoin& e) {
      EXPECT_THAT(e.what(), HasSubstr("match no key"));
    }
  }
}

TEST_F(JoinTest, WrongColumnsAreTold) {
  const auto keys = Keys({1});
  EXPECT_THROW((void)index_.Join(keys, {.on = {}}), InvalidArgument);
  EXPECT_THROW((void)index_.Join(keys, {.on = {"id", "id"}}), InvalidArgument);
  EXPECT_THROW((void)index_.Join(keys, {.on = {"nope"}}), ColumnNotFound);
  EXPECT_THROW((void)index_.Join(keys, {.on = {"name"}}), ColumnNotFound);
  EXPECT_THROW((void)index_.Join(keys, {.on = {"id"}, .select = {"nope"}}), ColumnNotFound);
  EXPECT_THROW((void)index_.Join(nullptr, {.on = {"id"}}), InvalidArgument);
}

TEST_F(JoinTest, AKeyThatTheLakeTypeCannotHoldMatchesNothingAndIsKept) {
  arrow::DoubleBuilder ids;
  ASSERT_TRUE(ids.AppendValues({1.0, 1.5, 1e300, std::nan("")}).ok());
  const auto keys =
      arrow::Table::Make(arrow::schema({arrow::field("id", arrow::float64())}), {*ids.Finish()});
  const Joined right =
      index_.Join(keys, {.on = {"id"}, .how = JoinType::kRight, .select = {"name"}});
  EXPECT_THAT(
      Rows(*testing::ReadAll(*right.rows)),
      ElementsAre("0x1.7e43c8800759cp+996|null|", "0x1.8p+0|null|", "0x1p+0|'n1'|", "NaN|null|"));
  const Joined anti =
      index_.Join(keys, {.on = {"id"}, .how = JoinType::kLeftAnti, .keys_left = true});
  EXPECT_EQ(testing::ReadAll(*anti.rows)->num_rows(), 3);
}

TEST_F(JoinTest, UnindexedFilesAreJoinedToo) {
  arrow::Int64Builder ids;
  arrow::StringBuilder names;
  ASSERT_TRUE(ids.Append(1).ok() && names.Append("again").ok());
  const std::string uri = data_.Add(arrow::Table::Make(schema_, {*ids.Finish(), *names.Finish()}));
  index_.AddFiles({data_.path_of[uri]});
  const Joined joined = index_.Join(Keys({1}), {.on = {"id"}});
  EXPECT_EQ(testing::ReadAll(*joined.rows)->num_rows(), 2);
  EXPECT_THAT(joined.located.unindexed_files, ElementsAre(uri));
}

TEST_F(JoinTest, KeysKeepTypesThatTheEngineDoesNotHave) {
  arrow::StringDictionaryBuilder words;
  ASSERT_TRUE(words.Append("one").ok() && words.Append("two").ok() && words.AppendNull().ok());
  arrow::Int64Builder ids;
  ASSERT_TRUE(ids.AppendValues({1, 2, 77}).ok());
  const auto dictionary = *words.Finish();
  const auto keys = arrow::Table::Make(
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("word", dictionary->type())}),
      {*ids.Finish(), dictionary});
  const Joined joined =
      index_.Join(keys, {.on = {"id"}, .how = JoinType::kLeft, .keys_left = true});
  const auto rows = testing::ReadAll(*joined.rows);
  EXPECT_TRUE(rows->schema()->field(1)->type()->Equals(*dictionary->type()));
  EXPECT_THAT(Rows(*rows), ElementsAre("1|'one'|'n1'|", "2|'two'|'n2'|", "77|null|null|"));
}

TEST_F(JoinTest, AStopRequestEndsTheStream) {
  std::stop_source stop;
  stop.request_stop();
  try {
    const Joined joined = index_.Join(Keys({1}), {.on = {"id"}, .stop = stop.get_token()});
    EXPECT_FALSE(joined.rows->ToTable().ok());
  } catch (const Cancelled&) {
    SUCCEED();
  }
}

/// Keys as users have them: of the lake's type, or of one whose values convert.
std::shared_ptr<arrow::Array> Presented(const std::shared_ptr<arrow::Array>& typed,
                                        std::mt19937& random) {
  if (random() % 2 == 0) return typed;
  switch (typed->type_id()) {
    case arrow::Type::INT8:
      return Cast(typed, arrow::int64());
    case arrow::Type::INT32:
      return Cast(typed, random() % 2 == 0 ? arrow::float64() : arrow::utf8());
    case arrow::Type::INT64:
      return Cast(typed, random() % 2 == 0 ? arrow::utf8() : arrow::decimal128(25, 3));
    case arrow::Type::STRING:
      return Cast(typed, random() % 2 == 0 ? arrow::large_utf8()
                                           : arrow::dictionary(arrow::int32(), arrow::utf8()));
    case arrow::Type::FLOAT:
      return Cast(typed, arrow::float64());
    case arrow::Type::DECIMAL128:
      return Cast(typed, random() % 2 == 0 ? arrow::utf8() : arrow::decimal128(20, 5));
    case arrow::Type::DATE32:
      return Cast(typed, arrow::date64());
    default:
      return typed;
  }
}

class RandomJoinTest : public ::testing::TestWithParam<int> {};

TEST_P(RandomJoinTest, RowsEqualThoseOfAFullScan) {
  std::mt19937 random(GetParam());
  TempFolder folder;
  DataFiles data(folder / "da ta");
  Lake lake((folder / "lake").string());
  Index index = lake.Create("t", {"parquet", LakeSchema()});
  for (const auto& field : LakeSchema()->fields()) {
    const auto kind = field->name() == "blob" ? IndexedColumn::Kind::kRegular
                                              : static_cast<IndexedColumn::Kind>(random() % 3);
    index.AddIndex({kind, field->name()});
  }
  for (int i = 0; i < 4; ++i) {
    const std::string uri = data.Add(RandomRows(static_cast<int64_t>(random() % 25), random));
    index.AddFiles({data.path_of[uri]});
    if (i == 2) index.Update();
  }
  const auto table = data.Table();
  for (int round = 0; round < 8; ++round) {
    std::set<std::string> on;
    for (size_t n = random() % 4 == 0 ? 2 : 1; n > 0; --n) {
      on.insert(LakeSchema()->field(static_cast<int>(random() % 12))->name());
    }
    const auto count = static_cast<int64_t>(random() % 12);
    arrow::FieldVector typed_fields, fields;
    arrow::ArrayVector typed_columns, columns;
    for (const std::string& column : on) {
      const auto type = LakeSchema()->GetFieldByName(column)->type();
      typed_columns.push_back(RandomColumn(type, count, random));
      typed_fields.push_back(arrow::field(column, type));
      columns.push_back(Presented(typed_columns.back(), random));
      fields.push_back(arrow::field(column, columns.back()->type()));
    }
    fields.push_back(arrow::field("tag", arrow::int32()));
    columns.push_back(Numbers(count));
    const auto keys = arrow::Table::Make(arrow::schema(fields), columns, count);
    const auto typed = arrow::Table::Make(arrow::schema(typed_fields), typed_columns, count);

    const Way& way = kWays[random() % std::size(kWays)];
    JoinOptions options{.on = {on.begin(), on.end()}, .how = way.how, .keys_left = way.keys_left};
    if (random() % 3 == 0) options.select = {"na me", "ts"};
    const Joined joined = index.Join(keys, options);
    const auto rows = testing::ReadAll(*joined.rows);
    EXPECT_EQ(Rows(*rows), (Oracle{table, keys, typed, options}.Result()))
        << "on " << *on.begin() << ", keys_left " << way.keys_left << ", type "
        << static_cast<int>(way.how);
    EXPECT_TRUE(rows->schema()->Equals(*joined.rows->schema()));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomJoinTest, ::testing::Range(1, 1 + testing::RandomCases()));

}  // namespace
}  // namespace ariadne
