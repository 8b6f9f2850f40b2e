#include <string>

#include <ariadne_delta.h>
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
    EXPECT_EQ(read_only.refused(), 0);
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
