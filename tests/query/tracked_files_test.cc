#include "query/tracked_files.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
#include "random_lake.h"
#include "source/file_uri.h"
#include "storage/file_list.h"
#include "storage/layout.h"

namespace ariadne {
namespace {

using testing::DataFiles;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TempFolder;
using ::testing::UnorderedElementsAre;

std::shared_ptr<arrow::Table> Ids(const std::vector<int64_t>& ids) {
  arrow::Int64Builder builder;
  EXPECT_TRUE(builder.AppendValues(ids).ok());
  return arrow::Table::Make(arrow::schema({arrow::field("id", arrow::int64())}),
                            {*builder.Finish()});
}

/// An index over two files whose file list is then written as another library would have written
/// it.
class TrackedFilesTest : public ::testing::Test {
 protected:
  TrackedFilesTest() {
    first_ = data_.Add(Ids({1}));
    second_ = data_.Add(Ids({2}));
    index_.AddRegular("id");
    index_.AddFiles({data_.folder.string()});
    index_.Update();
  }

  /// Replaces the file list by these spellings.
  void Track(const std::vector<std::string>& names) {
    storage::Stores stores;
    const storage::IndexLayout layout(stores.Resolve("file://" + (folder_ / "lake").string()), "t");
    storage::FileList list(layout.file_list());
    std::vector<std::string> before;
    for (const auto& entry : list.Entries()) before.push_back(entry.filename);
    list.Remove(before);
    list.Add(names);
  }

  std::vector<std::string> Locate(int64_t id, Unindexed unindexed = Unindexed::kInclude) {
    Options options;
    options.unindexed = unindexed;
    const Index index = Lake((folder_ / "lake").string(), options).Open("t");
    return index.Locate({{"id", Ids({id})->column(0)->chunk(0)}}).files;
  }

  TempFolder folder_;
  DataFiles data_{folder_ / "data"};
  Lake lake_{(folder_ / "lake").string()};
  Index index_ = lake_.Create("t", {"parquet", Ids({})->schema()});
  std::string first_, second_;
};

TEST_F(TrackedFilesTest, AnySpellingOfAFileIsThatFile) {
  Track({data_.path_of[first_], "file:" + second_.substr(7)});
  EXPECT_THAT(Locate(1), ElementsAre(first_));
  EXPECT_THAT(Locate(2), ElementsAre(second_));
  EXPECT_THAT(Locate(3), IsEmpty());
  EXPECT_EQ(lake_.Describe("t").tracked_files, 2);
  for (const auto& file : index_.Files()) EXPECT_TRUE(file.indexed) << file.uri;
}

TEST_F(TrackedFilesTest, AFolderInTheListTracksTheRowsBelowItAndItsOtherFiles) {
  Track({data_.folder.string()});
  for (const auto unindexed : {Unindexed::kInclude, Unindexed::kExclude, Unindexed::kError}) {
    EXPECT_THAT(Locate(1, unindexed), ElementsAre(first_));
    EXPECT_THAT(Locate(3, unindexed), IsEmpty());
  }
  const std::string third = data_.Add(Ids({3}));
  EXPECT_THAT(Locate(1), UnorderedElementsAre(first_, third));
}

TEST_F(TrackedFilesTest, AFolderInTheListThatHoldsTheRootTracksNoFileOfTheIndexes) {
  Track({(folder_ / "").string()});
  EXPECT_THAT(Locate(1), ElementsAre(first_));
  EXPECT_THAT(Locate(3), IsEmpty());
}

TEST_F(TrackedFilesTest, AGlobInTheListTracksTheRowsThatItNames) {
  Track({(data_.folder / "*.parquet").string()});
  EXPECT_THAT(Locate(2), ElementsAre(second_));
  EXPECT_THAT(Locate(3), IsEmpty());
}

TEST_F(TrackedFilesTest, RowsOfFilesThatAreNotTrackedAreNoAnswers) {
  Track({first_});
  EXPECT_THAT(Locate(1), ElementsAre(first_));
  EXPECT_THAT(Locate(2), IsEmpty());
}

TEST_F(TrackedFilesTest, WithoutAFileListTheRowsAreWhatIsTracked) {
  std::filesystem::remove_all(folder_ / "lake" / "filelists");
  EXPECT_THAT(Locate(1), ElementsAre(first_));
  EXPECT_THAT(Locate(3), IsEmpty());
}

TEST_F(TrackedFilesTest, OneFileUnderTwoSpellingsIsOneFile) {
  Track({first_, data_.path_of[first_], second_});
  EXPECT_EQ(lake_.Describe("t").tracked_files, 2);
  const std::string third = data_.Add(Ids({9}));
  Track({first_, second_, third, data_.path_of[third]});
  EXPECT_EQ(Locate(1).size(), 2U);
  EXPECT_EQ(lake_.Describe("t").tracked_files, 3);
}

}  // namespace
}  // namespace ariadne
