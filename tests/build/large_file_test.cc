#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <arrow/builder.h>
#include <arrow/io/file.h>
#include <arrow/table.h>
#include <arrow/util/type_fwd.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include "arrow_result.h"
#include "build/update.h"
#include "kinds_lake.h"
#include "other_process.h"
#include "source/file_uri.h"
#include "source/spark_schema.h"
#include "storage/delta_table.h"
#include "storage/metadata.h"
#include "test_lake.h"

namespace ariadne::build {
namespace {

using ariadne::testing::Do;
using ariadne::testing::Get;
using ariadne::testing::StartTest;
using ariadne::testing::TestLake;

constexpr char kLakeVariable[] = "ARIADNE_TEST_LARGE_LAKE";
constexpr int64_t kMemory = 64 << 20;

std::shared_ptr<arrow::Schema> Schema() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8()),
                        arrow::field("version", arrow::int64())});
}

/// `rows` rows, every id and every name once, in an order that is no order; a group at a time.
void WriteFile(const std::filesystem::path& file, int64_t rows) {
  const auto out = Get(arrow::io::FileOutputStream::Open(file.string()));
  const auto writer =
      Get(parquet::arrow::FileWriter::Open(*Schema(), arrow::default_memory_pool(), out));
  constexpr int64_t kGroup = 500'000;
  for (int64_t begin = 0; begin < rows; begin += kGroup) {
    arrow::Int64Builder id;
    arrow::StringBuilder name;
    arrow::Int64Builder version;
    for (int64_t i = begin; i < std::min(rows, begin + kGroup); ++i) {
      // A prime that does not divide `rows` walks over all of them.
      const int64_t value = i * 1'000'003 % rows;
      Do(id.Append(value));
      Do(name.Append("name-" + std::to_string(value)));
      Do(version.Append(i));
    }
    Do(writer->WriteTable(*arrow::Table::Make(Schema(), {Get(id.Finish()), Get(name.Finish()),
                                                         Get(version.Finish())}),
                          kGroup));
  }
  Do(writer->Close());
  Do(out->Close());
}

void Declare(const TestLake& lake) {
  storage::IndexMetadata metadata;
  metadata.format = "parquet";
  metadata.schema_json = source::ToSparkJson(*Schema());
  metadata.regular = {"id"};
  metadata.temporal = {{"name", "version"}};
  metadata.Write(lake.layout().metadata());
}

TEST(LargeFileInAnotherProcess, Runs) {
  const char* folder = std::getenv(kLakeVariable);
  if (folder == nullptr) GTEST_SKIP() << "run by the test that measures it";
  TestLake lake{std::filesystem::path(folder)};
  lake.options().memory_bytes = kMemory;
  EXPECT_EQ(lake.Update().files_indexed, 1);
}

/// Updates in a process of its own and returns the most memory that it had, in bytes.
int64_t PeakOfUpdate(const TestLake& lake) {
  const pid_t child =
      StartTest("LargeFileInAnotherProcess.Runs", {{kLakeVariable, lake.path().string()}});
  int status = 0;
  rusage usage{};
  EXPECT_EQ(::wait4(child, &status, 0, &usage), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return int64_t{usage.ru_maxrss} * 1024;
}

TEST(LargeFile, NeedsMemoryForItsFiltersAndTheBudgetNotForItsValues) {
  // tests/cli/test_large_file.py indexes 50 million.
  const bool all = std::getenv("ARIADNE_LONG_TESTS") != nullptr;
  const int64_t rows = all ? 10'000'000 : 1'500'000;
  int64_t before = 0;
  {
    TestLake lake;
    Declare(lake);
    WriteFile(lake.path() / "data/small.parquet", 1000);
    lake.Track({(lake.path() / "data/small.parquet").string()});
    before = PeakOfUpdate(lake);
  }
  TestLake lake;
  Declare(lake);
  const auto file = lake.path() / "data/large.parquet";
  WriteFile(file, rows);
  lake.Track({file.string()});
  const int64_t peak = PeakOfUpdate(lake);
  std::printf("%lld values, budget %lld MB: peak %lld MB over %lld MB\n",
              static_cast<long long>(rows), static_cast<long long>(kMemory >> 20),
              static_cast<long long>((peak - before) >> 20), static_cast<long long>(before >> 20));
#ifndef __SANITIZE_ADDRESS__  // Which keeps what is freed, and shadows all.
  // Beside the budget there are the pages that Parquet reads and writes; and of filters (1.2 bytes
  // a value and column), which are one cell each, copies while one is written, that Arrow's
  // allocator gives back late or soon. The values themselves would take 40 bytes and more.
  EXPECT_LT(peak - before, 5 * kMemory / 4 + 8 * rows);
#endif

  for (const char* column : {"id", "name"}) {
    const auto table = storage::DeltaTable::Open(lake.layout().large_index(column));
    ASSERT_NE(table, nullptr);
    int64_t count = 0;
    for (const storage::DataFile& data : table->files()) count += data.num_records;
    EXPECT_EQ(count, rows);
  }
  EXPECT_EQ(lake.Metadata().auto_bloom.size(), 2u);
}

}  // namespace
}  // namespace ariadne::build
