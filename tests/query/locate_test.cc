#include <algorithm>
#include <fstream>
#include <random>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
#include "random_lake.h"
#include "source/file_uri.h"

namespace ariadne {
namespace {

using ::testing::Contains;
using testing::DataFiles;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LakeSchema;
using testing::RandomColumn;
using testing::RandomRows;
using testing::TempFolder;
using ::testing::UnorderedElementsAreArray;

namespace fs = std::filesystem;

std::shared_ptr<arrow::Array> Longs(const std::vector<int64_t>& values) {
  arrow::Int64Builder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return *builder.Finish();
}

std::shared_ptr<arrow::Array> Texts(const std::vector<std::string>& values) {
  arrow::StringBuilder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return *builder.Finish();
}

std::shared_ptr<arrow::Table> IdTable(const std::vector<int64_t>& ids) {
  return arrow::Table::Make(arrow::schema({arrow::field("id", arrow::int64())}), {Longs(ids)});
}

/// A lake with one index `t` on column `id` over the files given by their ids.
class LocateTest : public ::testing::Test {
 protected:
  Index Make(const std::vector<std::vector<int64_t>>& files, const std::string& name = "t") {
    Index index = lake_.Create(name, {"parquet", IdTable({})->schema()});
    index.AddRegular("id");
    for (const auto& ids : files) uris_.push_back(Add(index, ids));
    return index;
  }
  std::string Add(Index& index, const std::vector<int64_t>& ids) {
    const std::string uri = data_.Add(IdTable(ids));
    index.AddFiles({data_.path_of[uri]});
    return uri;
  }
  fs::path IndexFolder() const { return folder_ / "lake" / "indexes" / "t"; }

  TempFolder folder_;
  DataFiles data_{folder_ / "data"};
  Lake lake_{(folder_ / "lake").string()};
  std::vector<std::string> uris_;
};

TEST_F(LocateTest, AFileWithTheValueIsNamedAndTheOthersAreNot) {
  Index index = Make({{1, 2}, {2, 3}, {}});
  index.Update();
  const Located located = index.Locate({{"id", Longs({2})}});
  EXPECT_THAT(located.files, UnorderedElementsAreArray({uris_[0], uris_[1]}));
  EXPECT_THAT(index.Locate({{"id", Longs({3})}}).files, ElementsAre(uris_[1]));
  EXPECT_EQ(located.total_files, 3);
  EXPECT_GT(located.bytes, 0);
  EXPECT_GT(located.total_bytes, located.bytes);
  ASSERT_EQ(located.steps.size(), 1U);
  EXPECT_EQ(located.steps[0].kind, "regular");
  EXPECT_EQ(located.steps[0].files_before, 3);
  EXPECT_EQ(located.steps[0].files_after, 2);
  EXPECT_GT(located.requests, 0);
  EXPECT_GT(located.index_bytes_read, 0);
}

TEST_F(LocateTest, FilesThatNoUpdateHasSeenAreCandidatesUnlessExcluded) {
  Index index = Make({{1}});
  EXPECT_THAT(index.Locate({{"id", Longs({7})}}).files, ElementsAre(uris_[0]));
  index.Update();
  EXPECT_THAT(index.Locate({{"id", Longs({7})}}).files, IsEmpty());
  const std::string later = Add(index, {9});
  const Located located = index.Locate({{"id", Longs({7})}});
  EXPECT_THAT(located.files, ElementsAre(later));
  EXPECT_THAT(located.unindexed_files, ElementsAre(later));
  EXPECT_EQ(located.bytes, static_cast<int64_t>(fs::file_size(data_.path_of[later])));

  Options exclude;
  exclude.unindexed = Unindexed::kExclude;
  const Located without =
      Lake((folder_ / "lake").string(), exclude).Open("t").Locate({{"id", Longs({7})}});
  EXPECT_THAT(without.files, IsEmpty());
  EXPECT_THAT(without.unindexed_files, ElementsAre(later));

  Options error;
  error.unindexed = Unindexed::kError;
  const Index strict = Lake((folder_ / "lake").string(), error).Open("t");
  EXPECT_THROW((void)strict.Locate({{"id", Longs({7})}}), UnindexedFiles);
}

TEST_F(LocateTest, NoValueAtAllMatchesNoFileNotEvenAnUnindexedOne) {
  Index index = Make({{1}, {2}});
  EXPECT_THAT(index.Locate({{"id", Longs({})}}).files, IsEmpty());
  const auto nulls = *arrow::MakeArrayOfNull(arrow::int64(), 3);
  EXPECT_THAT(index.Locate({{"id", nulls}}).files, IsEmpty());
  EXPECT_THAT(index.Locate(std::vector<Probe>{}).files, IsEmpty());
}

TEST_F(LocateTest, AValueThatItsTypeCannotHoldMatchesNoIndexedFile) {
  // A file may be un-indexed just because it holds such a value.
  Index index = Make({{1}, {2}});
  const Probe beyond{"id", Texts({"99999999999999999999"})};
  EXPECT_EQ(index.Locate({beyond}).files.size(), 2U);
  index.Update();
  EXPECT_THAT(index.Locate({beyond}).files, IsEmpty());
}

TEST_F(LocateTest, ProbesTakeTheTypeOfTheColumn) {
  Index index = Make({{1}, {2}});
  index.Update();
  EXPECT_THAT(index.Locate({{"id", Texts({"2"})}}).files, ElementsAre(uris_[1]));
  arrow::DoubleBuilder doubles;
  ASSERT_TRUE(doubles.AppendValues({1.0, 2.5}).ok());
  EXPECT_THAT(index.Locate({{"id", *doubles.Finish()}}).files, ElementsAre(uris_[0]));
  EXPECT_THROW((void)index.Locate({{"id", Texts({"two"})}}), InvalidArgument);
}

TEST_F(LocateTest, AnUnknownColumnAndOneWithoutAnIndexAreTold) {
  Index index = lake_.Create("t", {"parquet", LakeSchema()});
  index.AddRegular("id");
  try {
    (void)index.Locate({{"amount", Longs({1})}});
    FAIL() << "no error";
  } catch (const ColumnNotFound& e) {
    EXPECT_THAT(e.what(), HasSubstr("has no index"));
    EXPECT_THAT(e.what(), HasSubstr("\"id\""));
  }
  try {
    (void)index.Locate({{"nope", Longs({1})}});
    FAIL() << "no error";
  } catch (const ColumnNotFound& e) {
    EXPECT_THAT(e.what(), HasSubstr("no column \"nope\""));
  }
}

TEST_F(LocateTest, KeysAreLookedUpByColumnName) {
  Index index = Make({{1}, {2}, {3}});
  index.Update();
  EXPECT_THAT(index.Locate(*IdTable({3, 3, 1}), {"id"}).files,
              UnorderedElementsAreArray({uris_[0], uris_[2]}));
  EXPECT_THROW((void)index.Locate(*IdTable({1}), {"other"}), ColumnNotFound);
  EXPECT_THROW((void)index.Locate(*IdTable({1}), {}), InvalidArgument);
}

TEST_F(LocateTest, AColumnDeclaredAfterTheUpdateLeavesEveryFileACandidate) {
  Index index = lake_.Create("t", {"parquet", LakeSchema()});
  index.AddRegular("id");
  std::mt19937 random(5);
  for (int i = 0; i < 3; ++i) index.AddFiles({data_.path_of[data_.Add(RandomRows(20, random))]});
  index.Update();
  for (const auto kind : {IndexedColumn::Kind::kBloom, IndexedColumn::Kind::kRange}) {
    const std::string column = kind == IndexedColumn::Kind::kBloom ? "number" : "day";
    index.AddIndex({kind, column});
    EXPECT_EQ(
        index.Locate({{column, Texts({column == "day" ? "1871-01-01" : "12345"})}}).files.size(),
        3U);
  }
  index.Update();
  EXPECT_THAT(index.Locate({{"day", Texts({"1871-01-01"})}}).files, IsEmpty());
}

TEST_F(LocateTest, AnotherHandleSeesWhatWasCommitted) {
  Index index = Make({{1}});
  const Index other = Lake((folder_ / "lake").string()).Open("t");
  EXPECT_EQ(other.Locate({{"id", Longs({5})}}).files.size(), 1U);
  index.Update();
  EXPECT_THAT(other.Locate({{"id", Longs({5})}}).files, IsEmpty());
  const std::string five = Add(index, {5});
  index.Update();
  EXPECT_THAT(other.Locate({{"id", Longs({5})}}).files, ElementsAre(five));
  EXPECT_THAT(other.Locate({{"id", Longs({1})}}).files, ElementsAre(uris_[0]));
}

TEST_F(LocateTest, LookupFilesThatAreGoneOrDamagedChangeNoAnswer) {
  Index index = Make({{1, 2}, {2, 3}, {4}});
  index.Update();
  const fs::path lookups = IndexFolder() / "native" / "lookup";
  ASSERT_TRUE(fs::exists(lookups));
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(lookups)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  ASSERT_FALSE(files.empty());
  const auto expect_right = [&] {
    const Index fresh = Lake((folder_ / "lake").string()).Open("t");
    EXPECT_THAT(fresh.Locate({{"id", Longs({2})}}).files,
                UnorderedElementsAreArray({uris_[0], uris_[1]}));
    EXPECT_THAT(fresh.Locate({{"id", Longs({5})}}).files, IsEmpty());
  };
  expect_right();
  for (const fs::path& file : files) {
    std::string bytes(fs::file_size(file), '\0');
    std::ifstream(file, std::ios::binary).read(bytes.data(), std::ssize(bytes));
    for (size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 16) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      std::ofstream(file, std::ios::binary) << damaged;
      expect_right();
    }
    std::ofstream(file, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
    expect_right();
    std::ofstream(file, std::ios::binary) << "";
    expect_right();
  }
  fs::remove_all(lookups);
  expect_right();
}

TEST_F(LocateTest, ADamagedMainIndexMeansMaybeOrIsTold) {
  Index index = Make({{1}, {2}});
  index.Update();
  for (const auto& entry : fs::directory_iterator(IndexFolder() / "index")) {
    if (entry.path().extension() == ".parquet") fs::resize_file(entry.path(), 10);
  }
  const Index fresh = Lake((folder_ / "lake").string()).Open("t");
  EXPECT_THAT(fresh.Locate({{"id", Longs({1})}}).files, Contains(uris_[0]));
  Options exclude;
  exclude.unindexed = Unindexed::kExclude;
  const Index strict = Lake((folder_ / "lake").string(), exclude).Open("t");
  EXPECT_THROW((void)strict.Locate({{"id", Longs({1})}}), StorageError);
}

TEST_F(LocateTest, AMovedLakeIsReadThroughAPathMapping) {
  Index index = Make({{1}});
  index.Update();
  const std::string later = Add(index, {2});
  fs::rename(folder_ / "data", folder_ / "moved");
  Options options;
  options.path_map = {{(folder_ / "data").string(), (folder_ / "moved").string()}};
  const Index moved = Lake((folder_ / "lake").string(), options).Open("t");
  const Located located = moved.Locate({{"id", Longs({2})}});
  EXPECT_THAT(located.files, ElementsAre(later));
  EXPECT_GT(located.bytes, 0);
}

TEST_F(LocateTest, AVanishedUnindexedFileIsStillACandidate) {
  Index index = Make({{1}});
  fs::remove(data_.path_of[uris_[0]]);
  const Located located = index.Locate({{"id", Longs({1})}});
  EXPECT_THAT(located.files, ElementsAre(uris_[0]));
  EXPECT_EQ(located.bytes, 0);
}

/// Random lakes: what a full scan finds is found, and a regular index finds nothing else.
class RandomLocateTest : public ::testing::TestWithParam<int> {};

TEST_P(RandomLocateTest, EveryFileThatHoldsAValueIsNamed) {
  std::mt19937 random(GetParam());
  TempFolder folder;
  DataFiles data(folder / "da ta");
  Options options;
  options.threads = 1 + static_cast<int>(random() % 3);
  if (random() % 2 == 0) options.staging_consolidation_threshold = 1;
  Lake lake((folder / "la%20ke").string(), options);
  Index index = lake.Create("i ndex", {"parquet", LakeSchema()});

  std::vector<IndexedColumn> columns;
  for (const auto& field : LakeSchema()->fields()) {
    auto kind = static_cast<IndexedColumn::Kind>(random() % 3);
    if (field->name() == "blob") kind = IndexedColumn::Kind::kRegular;
    columns.push_back({kind, field->name(), kind == IndexedColumn::Kind::kBloom ? 0.001 : 0.01});
  }
  std::shuffle(columns.begin(), columns.end(), random);
  size_t declared = 1 + random() % columns.size();
  for (size_t i = 0; i < declared; ++i) index.AddIndex(columns[i]);

  std::set<std::string> unindexed;
  const auto add_files = [&] {
    const int count = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < count; ++i) {
      const auto rows = static_cast<int64_t>(random() % 3 == 0 ? random() % 2 : random() % 30);
      const std::string uri = data.Add(RandomRows(rows, random));
      index.AddFiles({random() % 2 == 0 ? data.path_of[uri] : uri});
      unindexed.insert(uri);
    }
  };
  const auto update = [&] {
    const UpdateReport report = index.Update();
    EXPECT_THAT(report.files_failed, IsEmpty());
    unindexed.clear();
  };
  const auto check_answers = [&](bool all_built) {
    for (int round = 0; round < 8; ++round) {
      std::vector<Probe> probes;
      std::set<std::string> expected = data.All();
      bool exact = true;
      for (size_t n = 1 + random() % 3; n > 0; --n) {
        const IndexedColumn& column = columns[random() % declared];
        const auto type = LakeSchema()->GetFieldByName(column.column)->type();
        const auto values = RandomColumn(type, 1 + random() % 4, random);
        const auto holding = data.Holding(column.column, *values);
        std::erase_if(expected, [&](const auto& uri) { return !holding.contains(uri); });
        exact = exact && column.kind == IndexedColumn::Kind::kRegular;
        probes.push_back({column.column, values});
      }
      const Located located = index.Locate(probes);
      const std::set<std::string> files(located.files.begin(), located.files.end());
      EXPECT_EQ(files.size(), located.files.size()) << "a file is named twice";
      EXPECT_TRUE(std::includes(files.begin(), files.end(), expected.begin(), expected.end()))
          << "a file that holds the values is missing";
      if (exact && all_built) {
        for (const std::string& uri : files) {
          EXPECT_TRUE(expected.contains(uri) || unindexed.contains(uri)) << uri;
        }
      }
      EXPECT_EQ(located.total_files, static_cast<int64_t>(data.rows_of.size()));
      EXPECT_EQ(
          std::set<std::string>(located.unindexed_files.begin(), located.unindexed_files.end()),
          unindexed);
    }
  };
  const auto check = [&] { check_answers(true); };
  const auto check_no_wrong_no = [&] { check_answers(false); };

  add_files();
  check();
  update();
  check();
  add_files();
  check();
  update();
  add_files();
  check();
  // Files indexed before the rest was declared are candidates for it until the next update.
  for (; declared < columns.size(); ++declared) index.AddIndex(columns[declared]);
  check_no_wrong_no();
  update();
  check();
  if (random() % 2 == 0) fs::remove_all(folder / "la%20ke" / "indexes" / "i ndex" / "native");
  check();
  const Index fresh = Lake((folder / "la%20ke").string()).Open("i ndex");
  EXPECT_EQ(fresh.Files().size(), data.rows_of.size());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLocateTest, ::testing::Range(1, 1 + testing::RandomCases()));

}  // namespace
}  // namespace ariadne
