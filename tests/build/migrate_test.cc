#include <cstdlib>
#include <filesystem>
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
#include "source/spark_schema.h"
#include "storage/delta_writer.h"
#include "test_lake.h"

namespace ariadne::build {
namespace {

namespace fs = std::filesystem;
using ariadne::testing::TempFolder;
using ariadne::testing::TestLake;

/// Takes `file_size` out of the main index and marks it as version 1.
void MakeVersion1(TestLake& lake) {
  const auto main = lake.Main();
  const auto rows = TestLake::Rows(*main);
  const int size = rows->schema()->GetFieldIndex("file_size");
  const auto without = rows->RemoveColumn(size).ValueOrDie();
  storage::TableChange change;
  change.operation = "WRITE";
  change.schema_json = source::ToSparkJson(*without->schema());
  storage::DeltaFileWriter writer(main->folder(), without->schema());
  writer.Write(*without->CombineChunksToBatch().ValueOrDie());
  change.adds = {writer.Finish()};
  for (const auto& file : main->files()) change.removes.push_back(file.path);
  main->Commit(change);
  auto metadata = lake.Metadata();
  metadata.storage_format_version = 1;
  metadata.total_indexed_file_size = -1;
  metadata.Write(lake.layout().metadata());
}

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
  MakeVersion1(lake);
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

  MakeVersion1(lake);
  fs::remove(lake.path() / "data" / "gone");
  lake.Update();
  EXPECT_EQ(lake.Metadata().total_indexed_file_size, -1) << "a size that nobody knows";
  const UpdateTarget target{lake.layout(), std::make_shared<storage::Stores>(), lake.options()};
  Delete(target, {gone});
  lake.Check({gone});
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

/// The JVM library's oldest index, where the folder with it is known.
TEST(Migrate, BringsTheOldestReleasesIndexToOurVersion) {
  const char* interop = std::getenv("ARIADNE_INTEROP");
  if (interop == nullptr || !fs::exists(fs::path(interop) / "alpha37")) {
    GTEST_SKIP() << "ARIADNE_INTEROP names no folder with alpha37";
  }
  const fs::path source = fs::path(interop) / "alpha37";
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
