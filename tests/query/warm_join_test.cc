#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
#include "join_oracle.h"
#include "random_lake.h"

// Joins of one lake share open sessions of the engine.

namespace ariadne {
namespace {

using testing::DataFiles;
using testing::Oracle;
using testing::ReadAll;
using testing::Rows;
using testing::TempFolder;

std::shared_ptr<arrow::Array> Ids(const std::vector<int64_t>& ids) {
  arrow::Int64Builder builder;
  EXPECT_TRUE(builder.AppendValues(ids).ok());
  return *builder.Finish();
}

class WarmJoinTest : public ::testing::Test {
 protected:
  WarmJoinTest() {
    std::filesystem::create_directory(folder_ / "temporary");
    setenv("TMPDIR", (folder_ / "temporary").c_str(), 1);
    lake_.emplace((folder_ / "lake").string());
    index_.emplace(lake_->Create("t", {.schema = schema_, .columns = {{.column = "id"}}}));
    for (int file = 0; file < 6; ++file) uris_.push_back(data_.Add(RowsFrom(file * 100)));
    for (const auto& [uri, path] : data_.path_of) index_->AddFiles({path});
    index_->Update();
  }
  ~WarmJoinTest() override { unsetenv("TMPDIR"); }

  std::shared_ptr<arrow::Table> RowsFrom(int64_t first) const {
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < 100; ++i) ids.push_back(first + i);
    return arrow::Table::Make(schema_, {Ids(ids), Ids(ids)});
  }
  std::shared_ptr<arrow::Table> Keys(const std::vector<int64_t>& ids) const {
    return arrow::Table::Make(arrow::schema({schema_->field(0)}), {Ids(ids)});
  }
  void ExpectRight(const std::vector<int64_t>& ids, const JoinOptions& options) const {
    const auto keys = Keys(ids);
    EXPECT_EQ(Rows(*ReadAll(*index_->Join(keys, options).rows)),
              (Oracle{data_.Table(), keys, keys, options}.Result()));
  }
  [[nodiscard]] size_t TemporaryEntries() const {
    size_t entries = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "temporary")) {
      entries += entry.exists() ? 1 : 0;
    }
    return entries;
  }

  std::shared_ptr<arrow::Schema> schema_ =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("copy", arrow::int64())});
  TempFolder folder_;
  DataFiles data_{folder_ / "data"};
  std::vector<std::string> uris_;
  std::optional<Lake> lake_;
  std::optional<Index> index_;
};

TEST_F(WarmJoinTest, ManyAtOnceAndOneAfterTheOtherAnswerAsTheFirstDoes) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 6; ++thread) {
    threads.emplace_back([this, thread] {
      std::mt19937 random(thread);
      for (int round = 0; round < 6; ++round) {
        std::vector<int64_t> ids;
        for (int i = 0; i < 20; ++i) ids.push_back(static_cast<int64_t>(random() % 700));
        const auto& way = testing::kWays[random() % std::size(testing::kWays)];
        ExpectRight(ids, {.on = {"id"}, .how = way.how, .keys_left = way.keys_left});
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(WarmJoinTest, OneThatIsStillReadIsNotDisturbedByTheNext) {
  const auto keys = Keys({1, 101, 201, 599});
  Joined first = index_->Join(keys, {.on = {"id"}});
  ExpectRight({5, 6, 7}, {.on = {"id"}});
  index_.reset();
  lake_.reset();
  EXPECT_EQ(ReadAll(*first.rows)->num_rows(), 4);
}

TEST_F(WarmJoinTest, OneThatIsDroppedHalfReadLeavesTheEngineToTheNext) {
  for (int round = 0; round < 3; ++round) {
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < 600; ++i) ids.push_back(i);
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(index_->Join(Keys(ids), {.on = {"id"}}).rows->ReadNext(&batch).ok());
    std::filesystem::rename(data_.path_of[uris_[0]], folder_ / "aside");
    bool failed = false;
    try {
      failed = !index_->Join(Keys({1}), {.on = {"id"}}).rows->ToTable().ok();
    } catch (const FileNotFound&) {
      failed = true;
    }
    EXPECT_TRUE(failed);
    std::filesystem::rename(folder_ / "aside", data_.path_of[uris_[0]]);
    ExpectRight({1, 2, 300}, {.on = {"id"}});
  }
}

TEST_F(WarmJoinTest, ALakeThatGoesLeavesNoTemporaryFile) {
  ExpectRight({1, 2}, {.on = {"id"}});
  EXPECT_LE(TemporaryEntries(), 1U);
  index_.reset();
  lake_.reset();
  EXPECT_EQ(TemporaryEntries(), 0U);
}

TEST_F(WarmJoinTest, AFileThatIsOverwrittenIsReadAnew) {
  const std::string uri = uris_[2];
  for (int64_t round = 0; round < 4; ++round) {
    ExpectRight({200, 250, 299}, {.on = {"id"}});
    ExpectRight({200, 250, 299}, {.on = {"id"}});
    // The same size and the same keys, other rows and statistics beside them.
    std::vector<int64_t> ids;
    std::vector<int64_t> copies;
    for (int64_t i = 0; i < 100; ++i) {
      ids.push_back(200 + (i + round * 7) % 100);
      copies.push_back((round + 1) * 1000 + i);
    }
    const auto rows = arrow::Table::Make(schema_, {Ids(ids), Ids(copies)});
    testing::WriteParquet(data_.path_of[uri], *rows);
    data_.rows_of[uri] = rows;
  }
  ExpectRight({200, 250, 299}, {.on = {"id"}});
}

}  // namespace
}  // namespace ariadne
