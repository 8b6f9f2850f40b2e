#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "build/delete.h"
#include "build/locked_index.h"
#include "build/migrate.h"
#include "kinds_lake.h"
#include "legacy_layout.h"
#include "test_lake.h"

namespace ariadne::build {
namespace {

namespace fs = std::filesystem;
using ariadne::testing::CheckKinds;
using ariadne::testing::Computed;
using ariadne::testing::DeclareKinds;
using ariadne::testing::Exploded;
using ariadne::testing::MakeLegacy;
using ariadne::testing::RandomKinds;
using ariadne::testing::Regular;
using ariadne::testing::TempFolder;
using ariadne::testing::Temporal;
using ariadne::testing::TestLake;

TEST(Migrate, GivesTheFirstStorageVersionItsFileSizes) {
  std::mt19937 random(61);
  TestLake lake;
  lake.Declare({"s"}, {"id"}, {"d"});
  std::vector<std::string> uris;
  for (int i = 0; i < 6; ++i) {
    uris.push_back(lake.Write("f" + std::to_string(i), TestLake::RandomRows(&random, 100)));
  }
  lake.Track(uris);
  lake.Update();
  const auto dump = lake.Dump();
  MakeLegacy(&lake, 1);
  ASSERT_NE(lake.Dump(), dump);
  lake.Update();
  EXPECT_EQ(lake.Dump(), dump);
  EXPECT_EQ(lake.Metadata().storage_format_version, storage::IndexMetadata::kStorageVersion);
  lake.Check();
  const auto version = lake.Main()->version();
  lake.Update();
  EXPECT_EQ(lake.Main()->version(), version) << "a migration happens once";
}

TEST(Migrate, GoesOnWhereItWasCutOffBeforeTheVersionWasWritten) {
  std::mt19937 random(62);
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  const std::string gone = lake.Write("gone", TestLake::RandomRows(&random, 10));
  const std::string here = lake.Write("here", TestLake::RandomRows(&random, 10));
  lake.Track({gone, here});
  lake.Update();
  auto metadata = lake.Metadata();
  metadata.storage_format_version = 1;
  metadata.Write(lake.layout().metadata());
  lake.Update();
  EXPECT_EQ(lake.Metadata().storage_format_version, storage::IndexMetadata::kStorageVersion);
  lake.Check();

  MakeLegacy(&lake, 1);
  fs::remove(lake.path() / "data" / "gone");
  lake.Update();
  EXPECT_EQ(lake.Metadata().total_indexed_file_size, -1) << "a size that nobody knows";
  const UpdateTarget target{lake.layout(), std::make_shared<storage::Stores>(), lake.options()};
  Delete(target, {gone});
  lake.Check({gone});
}

/// Every shape that a version had becomes the index that we build of the same files.
TEST(Migrate, BringsEachVersionWithLargeIndexesToWhatWeBuild) {
  constexpr int64_t kLimit = 30;
  for (int version = 1; version <= 4; ++version) {
    SCOPED_TRACE(version);
    std::mt19937 random(64);
    TestLake lake;
    lake.options().large_index_limit = kLimit;
    DeclareKinds(&lake, {Regular("s"), Regular("bin"), Computed("loud"),
                         Exploded("tag_k", "tags", "k"), Temporal("key", "ver")});
    std::map<std::string, std::shared_ptr<arrow::Table>> files;
    for (int i = 0; i < 4; ++i) {
      const auto rows = RandomKinds(&random, 60, i < 2 ? 20 : 70);
      const std::string uri = lake.Write("f" + std::to_string(i), rows);
      files[uri] = rows;
      lake.Track({uri});
    }
    lake.Update();
    const auto dump = lake.Dump();
    CheckKinds(lake, files, kLimit);
    MakeLegacy(&lake, version);
    if (version < 4) {
      ASSERT_NE(lake.Dump(), dump);
    }
    lake.Update();
    EXPECT_EQ(lake.Metadata().storage_format_version, std::max(version, 3));
    EXPECT_EQ(lake.Dump(), dump);
    CheckKinds(lake, files, kLimit);
    const auto main = lake.Main()->version();
    const auto large = storage::DeltaTable::Open(lake.layout().large_index("s"))->version();
    lake.Update();
    EXPECT_EQ(lake.Main()->version(), main) << "a migration happens once";
    EXPECT_EQ(storage::DeltaTable::Open(lake.layout().large_index("s"))->version(), large);
  }
}

/// What a version 1 writes below the array's name can only be of the first column; where the array
/// itself is indexed it may be of either.
TEST(Migrate, KnowsWhichExplodedColumnAnArrayNames) {
  storage::IndexMetadata metadata;
  metadata.exploded = {{.array_column = "tags", .field_path = "k", .as_column = "tag_k"},
                       {.array_column = "tags", .field_path = "q", .as_column = "tag_q"},
                       {.array_column = "nums", .field_path = "", .as_column = "num"},
                       {.array_column = "own", .field_path = "", .as_column = "o"}};
  metadata.regular = {"own"};
  metadata.storage_format_version = 2;
  EXPECT_EQ(ExplodedNamedByArray(metadata),
            (std::map<std::string, std::string>{{"tag_k", "tags"}, {"num", "nums"}}));
  metadata.storage_format_version = 3;
  EXPECT_TRUE(ExplodedNamedByArray(metadata).empty());
}

TEST(Migrate, LeavesANewerVersionAsItIs) {
  std::mt19937 random(63);
  TestLake lake;
  lake.Declare({"s"}, {}, {});
  lake.Track({lake.Write("f", TestLake::RandomRows(&random, 10))});
  lake.Update();
  auto metadata = lake.Metadata();
  metadata.storage_format_version = 4;
  metadata.Write(lake.layout().metadata());
  lake.Update();
  EXPECT_EQ(lake.Metadata().storage_format_version, 4);
}

/// The JVM library's oldest index is not ours to copy: it lies beside the checkout, or where
/// ARIADNE_INTEROP says.
fs::path Alpha37() {
  if (const char* interop = std::getenv("ARIADNE_INTEROP")) return fs::path(interop) / "alpha37";
  const fs::path checkout = fs::path(ARIADNE_TEST_DATA).parent_path().parent_path().parent_path();
  return checkout.parent_path() / "shared" / "interop" / "alpha37";
}

TEST(Migrate, BringsTheOldestReleasesIndexToOurVersion) {
  const fs::path source = Alpha37();
  if (!fs::exists(source)) {
    GTEST_SKIP() << "no " << source << ": set ARIADNE_INTEROP to the folder that holds alpha37";
  }
  TempFolder folder;
  const fs::path root = folder.path() / "root";
  fs::create_directories(root / "indexes");
  fs::create_directories(root / "filelists");
  fs::copy(source / "index-root", root / "indexes" / "old", fs::copy_options::recursive);
  fs::copy(source / "filelist", root / "filelists" / "[ariadne_index] old",
           fs::copy_options::recursive);
  fs::create_directories(folder.path() / "data");
  fs::copy(source / "source.json", folder.path() / "data" / "ariadne-alpha37-source.json");

  const auto stores = std::make_shared<storage::Stores>();
  UpdateTarget target{
      .layout = storage::IndexLayout(stores->Resolve("file://" + root.string()), "old"),
      .stores = stores,
      .options = {}};
  target.options.path_map = {{"file:///tmp", "file://" + (folder.path() / "data").string()}};
  ASSERT_EQ(ReadMetadataOf(target.layout).storage_format_version, 1);
  for (int round = 0; round < 2; ++round) {
    LockedIndex index(target, {});
    EXPECT_EQ(index.metadata().storage_format_version, storage::IndexMetadata::kStorageVersion);
    const auto rows = TestLake::Rows(*storage::DeltaTable::Open(target.layout.main_index()));
    ASSERT_EQ(rows->num_rows(), 1);
    EXPECT_EQ(rows->GetColumnByName("users"), nullptr);
    const auto ids = rows->GetColumnByName("user_id");
    ASSERT_NE(ids, nullptr);
    const auto cell = ids->GetScalar(0).ValueOrDie();
    EXPECT_EQ(static_cast<const arrow::ListScalar&>(*cell).value->length(), 3);
    EXPECT_EQ(rows->GetColumnByName("file_size")->GetScalar(0).ValueOrDie()->ToString(),
              std::to_string(fs::file_size(source / "source.json")));
    EXPECT_EQ(index.metadata().total_indexed_file_size,
              static_cast<int64_t>(fs::file_size(source / "source.json")));
  }
}

}  // namespace
}  // namespace ariadne::build
