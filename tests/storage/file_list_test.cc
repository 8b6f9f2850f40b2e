#include "storage/file_list.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "temp_folder.h"

namespace ariadne::storage {
namespace {

using testing::UnorderedElementsAre;

std::vector<std::string> Names(const FileList& list) {
  std::vector<std::string> names;
  for (const auto& entry : list.Entries()) names.push_back(entry.filename);
  return names;
}

int64_t NowMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

TEST(FileList, KeepsEachSpellingOnce) {
  TempFolder folder;
  FileList list(folder.Ref("filelists/[ariadne_index] a%20b"));
  EXPECT_TRUE(list.Entries().empty());
  EXPECT_EQ(list.Add({}), 0);
  EXPECT_EQ(list.Remove({"x"}), 0);
  const int64_t before = NowMicros();
  EXPECT_EQ(list.Add({"file:///a", "file:///b%20c", "file:///a"}), 2);
  EXPECT_EQ(list.Add({"file:///a", "file:///é", "file:/a"}), 2);
  EXPECT_EQ(list.Add({"file:///a"}), 0);
  EXPECT_THAT(Names(list),
              UnorderedElementsAre("file:///a", "file:///b%20c", "file:///é", "file:/a"));
  for (const auto& entry : list.Entries()) {
    EXPECT_GE(entry.added_at_us, before);
    EXPECT_LE(entry.added_at_us, NowMicros());
  }
  EXPECT_EQ(list.Remove({"file:///a", "file:///nowhere"}), 1);
  EXPECT_THAT(Names(list), UnorderedElementsAre("file:///b%20c", "file:///é", "file:/a"));
  EXPECT_EQ(list.Remove({"file:///b%20c", "file:///é", "file:/a"}), 3);
  EXPECT_TRUE(list.Entries().empty());
  EXPECT_EQ(list.Add({"file:///a"}), 1);
}

TEST(FileList, ReadsTheJvmLibrarysListWithItsInt96Times) {
  TempFolder folder;
  std::filesystem::copy(std::filesystem::path(ARIADNE_TEST_DATA) / "jvm" / "file_list",
                        folder.path() / "l", std::filesystem::copy_options::recursive);
  FileList list(folder.Ref("l"));
  const auto entries = list.Entries();
  const std::string prefix = "file:///srv/ariadne-interop/versions/data/";
  bool met = false;
  for (const auto& entry : entries) {
    EXPECT_EQ(entry.filename.substr(0, prefix.size()), prefix);
    // 2026-11-30
    EXPECT_EQ(entry.added_at_us / 86'400'000'000, 20'787);
    if (entry.filename == prefix + "e11.parquet") {
      met = true;
      EXPECT_EQ(entry.added_at_us % 86'400'000'000,
                ((4LL * 60 + 16) * 60 + 42) * 1'000'000 + 486'279);
    }
  }
  EXPECT_TRUE(met);
  const size_t count = entries.size();
  EXPECT_EQ(list.Add({prefix + "e11.parquet", "file:///new"}), 1);
  EXPECT_EQ(list.Remove({prefix + "e11.parquet"}), 1);
  EXPECT_EQ(list.Entries().size(), count);
}

TEST(FileList, ASecondLookAtAnUnchangedListCostsTwoRequests) {
  TempFolder folder;
  FileList list(folder.Ref("l"));
  list.Add({"file:///a", "file:///b"});
  (void)list.Entries();
  const auto store = folder.Ref().store;
  FileList other(folder.Ref("l"));
  (void)other.Entries();
  const auto before = other.Entries().size();
  const int64_t requests = store->counters().requests;
  EXPECT_EQ(other.Entries().size(), before);
  // The counters belong to the folder's own store only where it is the same one.
  EXPECT_LE(store->counters().requests - requests, 2);
  list.Add({"file:///c"});
  EXPECT_EQ(other.Entries().size(), before + 1);
}

TEST(FileList, RandomAddsAndRemovesLeaveWhatASetWould) {
  std::mt19937 random(7);
  TempFolder folder;
  FileList list(folder.Ref("l"));
  std::set<std::string> expected;
  for (int step = 0; step < 40; ++step) {
    std::vector<std::string> some;
    for (unsigned n = random() % 6; n > 0; --n) {
      some.push_back("file:///f" + std::to_string(random() % 20));
    }
    int64_t changed = 0;
    if (random() % 2 == 0) {
      for (const auto& name : some) changed += expected.insert(name).second ? 1 : 0;
      ASSERT_EQ(list.Add(some), changed);
    } else {
      for (const auto& name : some) changed += static_cast<int64_t>(expected.erase(name));
      ASSERT_EQ(list.Remove(some), changed);
    }
    if (random() % 3 == 0) {
      auto names = Names(list);
      std::sort(names.begin(), names.end());
      ASSERT_EQ(names, std::vector<std::string>(expected.begin(), expected.end()));
    }
  }
}

}  // namespace
}  // namespace ariadne::storage
