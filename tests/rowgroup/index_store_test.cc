#include "rowgroup/index_store.h"

#include <atomic>
#include <random>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rowgroup/row_group_build.h"

namespace ariadne::rowgroup {
namespace {

constexpr Kind kBloom[] = {Kind::kBloom};

using Op = Predicate::Op;

IndexKey KeyOf(int32_t row_group, Kind kind = Kind::kBloom) {
  return {.file = {.uri = "file:///lake/a b%.parquet", .size = 10, .modified_ms = 5, .etag = ""},
          .row_group = row_group,
          .target = "\"id\":BIGINT",
          .kind = kind};
}

Predicate Equals(int64_t value) { return {.op = Op::kIn, .values = {value}}; }

RowGroupIndex IndexOf(std::initializer_list<int64_t> values, Kind kind = Kind::kBloom) {
  HashRooms rooms;
  ValueCollector collector(Domain::kInteger, {.bloom = true, .range = true}, 0.0001, rooms);
  for (const int64_t value : values) collector.Add(value);
  return collector.Make({&kind, 1}, static_cast<int64_t>(values.size())).front();
}

void Build(IndexStore& store, const IndexKey& key, std::initializer_list<int64_t> values) {
  auto registration = store.Register(key);
  ASSERT_TRUE(registration);
  registration->Commit(IndexOf(values, key.kind));
}

int64_t Discarded(const IndexStore& store, DiscardReason reason) {
  return store.counters().discarded[static_cast<size_t>(reason)];
}

TEST(IndexKey, HasATextOfItsOwnWhateverItsPartsHold) {
  const std::string awkward[] = {"",     "a",       "a:", "1:a",    "\"",
                                 "\"\"", "a\".\"b", "'",  " bloom", "0 0"};
  std::set<std::string> texts;
  size_t keys = 0;
  for (const auto& uri : awkward) {
    for (const auto& etag : awkward) {
      for (const auto& target : awkward) {
        texts.insert(IndexKey{{uri, 1, 0, etag}, 0, target, Kind::kBloom}.Text());
        ++keys;
      }
    }
  }
  for (const int64_t size : {2, 12}) {
    for (const int64_t modified : {3, 23}) {
      for (const int32_t group : {4, 34}) {
        for (const Kind kind : {Kind::kBloom, Kind::kRange}) {
          texts.insert(IndexKey{{"u", size, modified, ""}, group, "t", kind}.Text());
          ++keys;
        }
      }
    }
  }
  EXPECT_EQ(texts.size(), keys);
}

TEST(IndexKey, TellsTargetsApartByNameTypeFunctionAndArguments) {
  const std::string dotted[] = {"a.b"};
  const std::string nested[] = {"a", "b"};
  const std::string quoted[] = {"a\".\"b"};
  const std::string column = ColumnTarget(dotted, "VARCHAR");
  const auto substring = [&](const char* from) {
    const std::string arguments[] = {column, ConstantTarget(from, "BIGINT"),
                                     ConstantTarget("4", "BIGINT")};
    return FunctionTarget("substring", arguments, "VARCHAR");
  };
  const std::string one[] = {column};
  const std::string inner[] = {substring("1")};
  const std::set<std::string> targets = {column,
                                         ColumnTarget(nested, "VARCHAR"),
                                         ColumnTarget(quoted, "VARCHAR"),
                                         ColumnTarget(dotted, "BLOB"),
                                         FieldTarget(7, "VARCHAR"),
                                         FieldTarget(8, "VARCHAR"),
                                         substring("1"),
                                         substring("2"),
                                         FunctionTarget("cast", one, "DATE"),
                                         FunctionTarget("cast", one, "TIMESTAMP"),
                                         FunctionTarget("cast", inner, "DATE"),
                                         FunctionTarget("try_cast", one, "DATE")};
  EXPECT_EQ(targets.size(), 12);
}

TEST(IndexStore, SaysMaybeOfWhatItDoesNotKnow) {
  const auto store = IndexStore::Make();
  EXPECT_TRUE(store->MayMatch(KeyOf(0), Equals(1)));
  Build(*store, KeyOf(0), {1, 2});
  EXPECT_TRUE(store->MayMatch(KeyOf(0), Equals(2)));
  EXPECT_FALSE(store->MayMatch(KeyOf(0), Equals(3)));
  EXPECT_TRUE(store->MayMatch(KeyOf(1), Equals(3)));
  EXPECT_TRUE(store->MayMatch(KeyOf(0), {Op::kLess, {Value(int64_t{0})}}));
  const auto counters = store->counters();
  EXPECT_EQ(counters.built, 1);
  EXPECT_EQ(counters.hit, 3);
  EXPECT_EQ(counters.skipped, 1);
}

TEST(IndexStore, DoesNotAnswerForAFileThatWasOverwritten) {
  const auto store = IndexStore::Make();
  Build(*store, KeyOf(0), {1});
  for (int change = 0; change < 3; ++change) {
    IndexKey other = KeyOf(0);
    if (change == 0) other.file.size = 11;
    if (change == 1) other.file.modified_ms = 6;
    if (change == 2) other.file.etag = "\"x\"";
    EXPECT_TRUE(store->MayMatch(other, Equals(3)));
  }
  EXPECT_FALSE(store->MayMatch(KeyOf(0), Equals(3)));
}

TEST(IndexStore, LetsOnlyTheTaskThatRegisteredBuild) {
  const auto store = IndexStore::Make();
  auto first = store->Register(KeyOf(0));
  ASSERT_TRUE(first);
  EXPECT_FALSE(store->Register(KeyOf(0)));
  EXPECT_TRUE(store->Register(KeyOf(0, Kind::kRange)));
  first->Commit(IndexOf({1}));
  EXPECT_FALSE(store->Register(KeyOf(0))) << "it is built already";
  EXPECT_EQ(store->counters().refused, 2);
}

TEST(IndexStore, LetsAnotherTaskBuildWhatWasNotFinished) {
  const auto store = IndexStore::Make();
  { const auto stopped = store->Register(KeyOf(0)); }
  auto failed = store->Register(KeyOf(0));
  ASSERT_TRUE(failed);
  failed->Discard(DiscardReason::kFailed);
  EXPECT_TRUE(store->MayMatch(KeyOf(0), Equals(3)));
  EXPECT_TRUE(store->Register(KeyOf(0)));
  EXPECT_EQ(Discarded(*store, DiscardReason::kStoppedEarly), 2);
  EXPECT_EQ(Discarded(*store, DiscardReason::kFailed), 1);
  EXPECT_EQ(store->counters().built, 0);
}

TEST(IndexStore, KeepsTheFirstOfTwoWritersAcrossThreads) {
  for (int round = 0; round < 50; ++round) {
    const auto store = IndexStore::Make();
    std::atomic<int> committed{0};
    std::vector<std::thread> threads;
    for (int64_t writer = 0; writer < 4; ++writer) {
      threads.emplace_back([&, writer] {
        for (int32_t group = 0; group < 20; ++group) {
          if (writer == 3) {
            store->Load(KeyOf(group), IndexOf({writer}));
          } else if (auto mine = store->Register(KeyOf(group))) {
            mine->Commit(IndexOf({writer}));
            ++committed;
          }
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(store->size().first, 20);
    EXPECT_EQ(store->counters().built + store->counters().loaded, 20);
    EXPECT_LE(store->counters().built, committed);
  }
}

TEST(IndexStore, DropsWhatWasNotAskedLongest) {
  const auto store = IndexStore::Make({.entries = 3, .bytes = 0});
  for (int32_t group = 0; group < 3; ++group) Build(*store, KeyOf(group), {1});
  EXPECT_FALSE(store->MayMatch(KeyOf(0), Equals(9)));
  Build(*store, KeyOf(3), {1});
  EXPECT_TRUE(store->Holds(KeyOf(0)));
  EXPECT_FALSE(store->Holds(KeyOf(1)));
  EXPECT_TRUE(store->MayMatch(KeyOf(1), Equals(9)));
  EXPECT_EQ(store->counters().evicted, 1);
  EXPECT_TRUE(store->Register(KeyOf(1))) << "what was dropped may be built again";
}

TEST(IndexStore, NeverHoldsMoreBytesThanItMay) {
  constexpr int64_t kLimit = 100'000;
  const auto store = IndexStore::Make({.entries = 0, .bytes = kLimit});
  std::mt19937 random(1);
  for (int32_t group = 0; group < 500; ++group) {
    HashRooms rooms;
    ValueCollector collector(Domain::kInteger, {.bloom = true}, 0.01, rooms);
    const int64_t count = random() % 3000;
    for (int64_t value = 0; value < count; ++value) collector.Add(value);
    auto registration = store->Register(KeyOf(group));
    ASSERT_TRUE(registration);
    registration->Commit(collector.Make(kBloom, count).front());
    ASSERT_LE(store->size().second, kLimit);
  }
  EXPECT_GT(store->size().first, 10);
  store->Drop([](const IndexKey&) { return true; });
  EXPECT_EQ(store->size(), (std::pair<int64_t, int64_t>(0, 0)));
}

TEST(IndexStore, GivesWhatIsUnsavedOnce) {
  const auto store = IndexStore::Make({.entries = 2, .bytes = 0});
  store->Load(KeyOf(9), IndexOf({1}));
  for (int32_t group = 0; group < 3; ++group) Build(*store, KeyOf(group), {1});
  const auto unsaved = store->TakeUnsaved();
  ASSERT_EQ(unsaved.size(), 2) << "what was dropped is gone";
  EXPECT_EQ(unsaved[0].key.row_group, 1);
  EXPECT_TRUE(store->TakeUnsaved().empty());
}

TEST(IndexStore, MayDieBeforeATaskThatBuilds) {
  auto store = IndexStore::Make();
  auto registration = store->Register(KeyOf(0));
  ASSERT_TRUE(registration);
  store.reset();
  registration->Commit(IndexOf({1}));
}

class Building : public ::testing::Test {
 protected:
  std::unique_ptr<RowGroupBuild> Start(int64_t rows, Kinds kinds = {.bloom = true, .range = true}) {
    return RowGroupBuild::Start(*store_, KeyOf(0).file, 0, KeyOf(0).target, kinds, Domain::kInteger,
                                rows, 0.001, rooms_);
  }
  std::shared_ptr<IndexStore> store_ = IndexStore::Make();
  HashRooms rooms_;
};

TEST_F(Building, CommitsWhatSawEveryRow) {
  auto build = Start(4);
  ASSERT_NE(build, nullptr);
  EXPECT_EQ(Start(4), nullptr) << "another task builds it";
  for (const int64_t value : {5, 7, 7}) build->values().Add(value);
  build->values().AddNull();
  build->Saw(3);
  build->Saw(1);
  ASSERT_TRUE(build->Seal());
  EXPECT_EQ(store_->size().first, 0) << "sealed is not committed";
  build->Commit();
  EXPECT_FALSE(store_->MayMatch(KeyOf(0), Equals(6)));
  EXPECT_TRUE(store_->MayMatch(KeyOf(0), Equals(7)));
  EXPECT_FALSE(store_->MayMatch(KeyOf(0, Kind::kRange), {Op::kGreater, {Value(int64_t{7})}}));
  EXPECT_TRUE(store_->MayMatch(KeyOf(0, Kind::kRange), {Op::kIsNull, {}}));
  for (const auto& each : store_->List()) {
    EXPECT_EQ(each.index->rows, 4);
    EXPECT_EQ(each.index->distinct, 2);
  }
}

TEST_F(Building, DiscardsWhatMissedARowOrSawOneTwice) {
  for (const int64_t seen : {0, 3, 5}) {
    auto build = Start(4);
    ASSERT_NE(build, nullptr);
    build->values().Add(int64_t{1});
    build->Saw(seen);
    EXPECT_FALSE(build->Seal());
    build->Commit();
  }
  EXPECT_EQ(store_->size().first, 0);
  EXPECT_EQ(Discarded(*store_, DiscardReason::kRowsSkipped), 6);
}

TEST_F(Building, DiscardsWhatIsDroppedBeforeItsCommit) {
  Start(1);
  auto sealed = Start(1);
  ASSERT_NE(sealed, nullptr);
  sealed->Saw(1);
  EXPECT_TRUE(sealed->Seal());
  sealed->Discard(DiscardReason::kFileChanged);
  sealed->Commit();
  EXPECT_EQ(store_->size().first, 0);
  EXPECT_EQ(Discarded(*store_, DiscardReason::kStoppedEarly), 2);
  EXPECT_EQ(Discarded(*store_, DiscardReason::kFileChanged), 2);
}

TEST_F(Building, BuildsOnlyTheKindThatIsMissing) {
  auto filter = Start(0, {.bloom = true});
  ASSERT_TRUE(filter->Seal());
  filter->Commit();
  auto range = Start(0);
  ASSERT_NE(range, nullptr);
  ASSERT_TRUE(range->Seal());
  range->Commit();
  EXPECT_EQ(store_->counters().built, 2);
  EXPECT_FALSE(store_->MayMatch(KeyOf(0), Equals(0))) << "an empty row group holds nothing";
  for (const auto& each : store_->List()) {
    EXPECT_EQ(each.index->distinct.has_value(), each.key.kind == Kind::kBloom) << "who counts";
  }
}

TEST_F(Building, CountsValuesThatRepeatInAnyOrderOnce) {
  ValueCollector collector(Domain::kInteger, {.bloom = true}, 0.01, rooms_);
  std::mt19937 random(5);
  for (int i = 0; i < 5'000'000; ++i) collector.Add(static_cast<int64_t>(random() % 50'000));
  const auto index = collector.Make(kBloom, 5'000'000).front();
  EXPECT_NEAR(static_cast<double>(index.distinct.value()), 50'000, 2'500);
  for (int64_t value = 0; value < 50'000; ++value) {
    ASSERT_TRUE(index.MayMatch(Equals(value)));
  }
  EXPECT_FALSE(collector.overflowed());
}

}  // namespace
}  // namespace ariadne::rowgroup
