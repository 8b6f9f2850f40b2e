#include "storage/object_store.h"

#include <fstream>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "temp_folder.h"

namespace ariadne::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ObjectStoreTest : public testing::Test {
 protected:
  void WriteFile(const std::string& name, const std::string& data) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << data;
  }
  [[nodiscard]] std::string Text(const std::string& name) const {
    const ObjectRef ref = folder_.Ref(name);
    return ref.store->Get(ref.path)->ToString();
  }

  TempFolder folder_;
  std::shared_ptr<ObjectStore> store_ = folder_.Ref().store;
};

TEST_F(ObjectStoreTest, NamesThatUrlsWouldChangeComeBackAsTheyAre) {
  for (const std::string name :
       {"plain", "[ariadne_index] x", "a b", "per%20cent", "50%", "q?*", "a#1", "a#b", "ünï-日本",
        "semi;colon", "a+b&c=d", "back\\slash", ".hidden", "x.crc", "tilde~", "a:b", "'quoted\""}) {
    const ObjectRef ref = folder_.Ref("d " + name + "/" + name);
    ref.store->Put(ref.path, name);
    EXPECT_EQ(ref.store->Get(ref.path)->ToString(), name);
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / ("d " + name) / name)) << name;
    const auto listed = ref.store->List(folder_.Ref("d " + name).path);
    ASSERT_EQ(listed.size(), 1U) << name;
    EXPECT_EQ(listed[0].path, ref.path);
    EXPECT_THAT(ref.store->ListNames(folder_.Ref("d " + name).path), ElementsAre(name));
    EXPECT_EQ(ref.store->Head(ref.path)->path, ref.path);
    EXPECT_EQ(ref.store->GetRange(ref.path, 0, 1)->ToString(), name.substr(0, 1));
    ref.store->Delete(ref.path);
    EXPECT_FALSE(ref.store->Head(ref.path).has_value());
  }
}

TEST_F(ObjectStoreTest, WhatIsMissingIsAbsentOrAnErrorThatNamesIt) {
  const ObjectRef ref = folder_.Ref("no/such");
  EXPECT_FALSE(ref.store->Head(ref.path).has_value());
  EXPECT_TRUE(ref.store->List(ref.path).empty());
  EXPECT_TRUE(ref.store->ListNames(ref.path).empty());
  ref.store->Delete(ref.path);
  ref.store->DeleteFolder(ref.path);
  try {
    (void)ref.store->Get(ref.path);
    FAIL();
  } catch (const ObjectNotFound& error) {
    EXPECT_THAT(error.what(), HasSubstr("file:///" + ref.path));
  }
  EXPECT_THROW((void)ref.store->GetRange(ref.path, 0, 1), ObjectNotFound);
  EXPECT_FALSE(ref.store->PutIfMatch(ref.path, "x", "\"no\""));
  WriteFile("folder/file", "x");
  EXPECT_FALSE(store_->Head(folder_.Ref("folder").path).has_value());
  EXPECT_FALSE(store_->Head(folder_.Ref("folder/file/below").path).has_value());
}

TEST_F(ObjectStoreTest, RangesEndWithTheObject) {
  WriteFile("f", "0123456789");
  const ObjectRef ref = folder_.Ref("f");
  EXPECT_EQ(ref.store->GetRange(ref.path, 2, 3)->ToString(), "234");
  EXPECT_EQ(ref.store->GetRange(ref.path, 8, 100)->ToString(), "89");
  EXPECT_EQ(ref.store->GetRange(ref.path, 10, 5)->ToString(), "");
  EXPECT_EQ(ref.store->GetRange(ref.path, 50, 5)->ToString(), "");
  EXPECT_EQ(ref.store->GetRange(ref.path, 0, 0)->ToString(), "");
  EXPECT_THROW((void)ref.store->GetRange(ref.path, -1, 5), InvalidArgument);
  WriteFile("empty", "");
  EXPECT_EQ(store_->GetRange(folder_.Ref("empty").path, 0, 5)->ToString(), "");
  EXPECT_EQ(Text("empty"), "");
}

TEST_F(ObjectStoreTest, PutIfAbsentLeavesWhatIsThere) {
  const ObjectRef ref = folder_.Ref("a/b/c");
  EXPECT_TRUE(ref.store->PutIfAbsent(ref.path, "one"));
  EXPECT_FALSE(ref.store->PutIfAbsent(ref.path, "two"));
  EXPECT_EQ(Text("a/b/c"), "one");
}

TEST_F(ObjectStoreTest, PutIfMatchNeedsWhatWasRead) {
  const ObjectRef ref = folder_.Ref("f");
  ref.store->Put(ref.path, "one");
  std::string etag;
  (void)ref.store->Get(ref.path, &etag);
  EXPECT_TRUE(ref.store->PutIfMatch(ref.path, "two", etag));
  EXPECT_FALSE(ref.store->PutIfMatch(ref.path, "three", etag));
  EXPECT_EQ(Text("f"), "two");
  (void)ref.store->Get(ref.path, &etag);
  ref.store->Delete(ref.path);
  EXPECT_FALSE(ref.store->PutIfMatch(ref.path, "three", etag));
  EXPECT_FALSE(ref.store->Head(ref.path).has_value());
}

TEST_F(ObjectStoreTest, ReplacingAFileRemovesItsHadoopChecksum) {
  for (const char* how : {"put", "match", "absent", "delete"}) {
    WriteFile(".f.crc", "checksum");
    WriteFile("other", "x");
    const ObjectRef ref = folder_.Ref("f");
    std::string etag;
    if (how != std::string("absent")) WriteFile("f", "old");
    if (how == std::string("put")) ref.store->Put(ref.path, "new");
    if (how == std::string("match")) {
      (void)ref.store->Get(ref.path, &etag);
      EXPECT_TRUE(ref.store->PutIfMatch(ref.path, "new", etag));
    }
    if (how == std::string("absent")) {
      ref.store->Delete(ref.path);
      WriteFile(".f.crc", "checksum");
      EXPECT_TRUE(ref.store->PutIfAbsent(ref.path, "new"));
    }
    if (how == std::string("delete")) ref.store->Delete(ref.path);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / ".f.crc")) << how;
  }
}

TEST_F(ObjectStoreTest, AListingIsSortedAndGoesToAnyDepth) {
  for (const char* name : {"t/b", "t/a/z", "t/a/b/c", "t/a.x", "t2/no"}) WriteFile(name, "1");
  std::filesystem::create_directories(folder_.path() / "t" / "empty" / "nested");
  std::vector<std::string> below;
  const std::string root = folder_.Ref("t").path;
  for (const auto& meta : store_->List(root)) {
    below.push_back(meta.path.substr(root.size() + 1));
    EXPECT_EQ(meta.size, 1);
    EXPECT_GT(meta.modified_ms, 1'600'000'000'000);
  }
  EXPECT_THAT(below, ElementsAre("a.x", "a/b/c", "a/z", "b"));
  EXPECT_THAT(store_->ListNames(root), ElementsAre("a/", "empty/", "a.x", "b"));
}

TEST_F(ObjectStoreTest, LinksAreFollowedAndLoopsEnd) {
  WriteFile("real/file", "x");
  std::filesystem::create_directory_symlink(folder_.path() / "real", folder_.path() / "link");
  std::filesystem::create_directory_symlink(folder_.path(), folder_.path() / "real" / "up");
  std::filesystem::create_symlink("nowhere", folder_.path() / "dangling");
  std::set<std::string> found;
  for (const auto& meta : store_->List(folder_.Ref().path)) found.insert(meta.path);
  EXPECT_TRUE(found.count(folder_.Ref("real/file").path));
  EXPECT_TRUE(found.count(folder_.Ref("link/file").path));
  EXPECT_FALSE(found.count(folder_.Ref("dangling").path));
}

TEST_F(ObjectStoreTest, DeletingAFolderLeavesItsNeighbours) {
  for (const char* name : {"t/b", "t/a/z", "t2/yes"}) WriteFile(name, "1");
  store_->DeleteFolder(folder_.Ref("t").path);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "t"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "t2" / "yes"));
}

TEST_F(ObjectStoreTest, CountersSayWhatWasDone) {
  const IoCounters before = store_->counters();
  const ObjectRef ref = folder_.Ref("f");
  ref.store->Put(ref.path, "0123456789");
  (void)ref.store->GetRange(ref.path, 0, 4);
  (void)ref.store->Get(ref.path);
  const IoCounters after = store_->counters();
  EXPECT_EQ(after.requests - before.requests, 3);
  EXPECT_EQ(after.bytes_written - before.bytes_written, 10);
  EXPECT_EQ(after.bytes_read - before.bytes_read, 14);
}

TEST_F(ObjectStoreTest, ManyThreadsIncrementANumberWithoutLosingOne) {
  const ObjectRef ref = folder_.Ref("number");
  ref.store->Put(ref.path, "0");
  constexpr int kThreads = 4;
  constexpr int kEach = 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([ref] {
      for (int done = 0; done < kEach;) {
        std::string etag;
        const int value = std::stoi(ref.store->Get(ref.path, &etag)->ToString());
        if (ref.store->PutIfMatch(ref.path, std::to_string(value + 1), etag)) ++done;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(Text("number"), std::to_string(kThreads * kEach));
}

TEST_F(ObjectStoreTest, OfManyThreadsOneCreates) {
  for (int round = 0; round < 30; ++round) {
    const ObjectRef ref = folder_.Ref("r" + std::to_string(round));
    std::atomic<int> created = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        if (ref.store->PutIfAbsent(ref.path, std::to_string(t))) ++created;
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(created, 1);
  }
}

TEST(Stores, ShareOneStoreForEachAuthority) {
  Stores stores;
  const ObjectRef a = stores.Resolve("file:///srv/a b.parquet");
  EXPECT_EQ(a.path, "srv/a b.parquet");
  EXPECT_EQ(a.store->base_url(), "file:///");
  EXPECT_TRUE(a.store->is_local());
  EXPECT_EQ(stores.Resolve("file:/x/y").store, a.store);
  EXPECT_EQ(stores.Resolve("file:/x/y").path, "x/y");
  const ObjectRef s3 = stores.Resolve("s3a://bucket/k/a%20b.parquet");
  EXPECT_EQ(s3.path, "k/a%20b.parquet");
  EXPECT_EQ(s3.store->base_url(), "s3://bucket/");
  EXPECT_EQ(stores.Resolve("s3://bucket/other").store, s3.store);
  EXPECT_NE(stores.Resolve("s3://bucket2/other").store, s3.store);
  EXPECT_EQ(stores.Resolve("s3://bucket").path, "");
}

TEST(Stores, RefuseWhatNoStoreServes) {
  Stores stores;
  for (const char* url : {"relative/path", "ftp://host/x", "s3:///x", "hdfs://nn/x", "s3:x", ""}) {
    EXPECT_THROW((void)stores.Resolve(url), InvalidArgument) << url;
  }
}

}  // namespace
}  // namespace ariadne::storage
