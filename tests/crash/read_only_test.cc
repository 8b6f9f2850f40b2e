#include <algorithm>
#include <string>
#include <vector>

#include <ariadne_delta.h>
#include <arrow/api.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "crash_lake.h"
#include "legacy_layout.h"

namespace ariadne {
namespace {

using testing::CrashLake;
using testing::MakeLegacy;

/// From its making on the stores of this process refuse every change.
class ReadOnly {
 public:
  ReadOnly() { ar_store_set_fault(/*kind=*/7, 1); }
  ~ReadOnly() { ar_store_set_fault(0, 0); }
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;
  /// Changes that were refused.
  [[nodiscard]] int64_t refused() const { return ar_store_fault_changes(); }
};

TEST(ReadOnlyCredentials, AnIndexOfEachVersionIsAnsweredAndNothingIsTried) {
  for (int version = 1; version <= 4; ++version) {
    SCOPED_TRACE("storage version " + std::to_string(version));
    CrashLake lake;
    lake.Declare(true);
    for (int i = 0; i < 5; ++i) lake.Write(i, i % 2 == 1);
    lake.lake().Update();
    lake.Write(5, true);
    MakeLegacy(&lake.lake(), version);
    const ReadOnly read_only;
    lake.CheckReader(12);
    EXPECT_FALSE(lake.Open().Stats().empty());
    EXPECT_TRUE(lake.Open().Sync({.dry_run = true}).changed.empty());
    EXPECT_FALSE(
        lake.Open().Vacuum({.retention_hours = 0, .force = true, .dry_run = true}).files.empty());
    EXPECT_EQ(read_only.refused(), 0);
  }
}

std::vector<std::vector<std::string>> FilesOfEachTag(const Index& index) {
  std::vector<std::vector<std::string>> files;
  for (int tag = 0; tag < 60; ++tag) {
    arrow::StringBuilder value;
    EXPECT_TRUE(value.Append("w-" + std::to_string(tag)).ok());
    files.push_back(index.Locate({{"tag_k", *value.Finish()}}).files);
  }
  return files;
}

/// Storage versions 1 and 2 call main index and large index by the array.
TEST(ReadOnlyCredentials, AnExplodedColumnOfAnOldVersionRulesOutWhatItDoesOnceMigrated) {
  for (int version = 1; version <= 2; ++version) {
    SCOPED_TRACE("storage version " + std::to_string(version));
    CrashLake lake;
    lake.Declare(true);
    for (int i = 0; i < 6; ++i) lake.Write(i, i % 2 == 1);
    lake.lake().Update();
    const auto expected = FilesOfEachTag(lake.Open());
    const auto statistics = lake.Open().Stats();
    MakeLegacy(&lake.lake(), version);
    {
      const ReadOnly read_only;
      EXPECT_EQ(FilesOfEachTag(lake.Open()), expected);
      EXPECT_EQ(read_only.refused(), 0);
    }
    const auto is_tag = [](const ColumnStatistics& column) { return column.column == "tag_k"; };
    const auto old_statistics = lake.Open().Stats();
    const auto old = std::find_if(old_statistics.begin(), old_statistics.end(), is_tag);
    const auto made = std::find_if(statistics.begin(), statistics.end(), is_tag);
    EXPECT_EQ(old->built_files, made->built_files);
    EXPECT_GT(old->large_files, 0);
    EXPECT_EQ(old->large_files, made->large_files);
    lake.lake().Update();
    EXPECT_EQ(FilesOfEachTag(lake.Open()), expected);
  }
}

TEST(ReadOnlyCredentials, AnUpdateIsRefusedAndChangesNothing) {
  CrashLake lake;
  lake.Declare(true);
  lake.Write(0, true);
  lake.lake().Update();
  lake.Write(1, true);
  const auto before = lake.Ended();
  {
    const ReadOnly read_only;
    EXPECT_THROW(lake.Open().Update(), StorageError);
    EXPECT_THROW(lake.Open().Delete({CrashLake::DataFile(lake.path(), 0)}), StorageError);
    EXPECT_THROW(lake.Open().Compact(), StorageError);
    EXPECT_GT(read_only.refused(), 0);
  }
  EXPECT_EQ(lake.Ended(), before);
}

}  // namespace
}  // namespace ariadne
