#include <random>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
#include "random_lake.h"
#include "versioned_lake.h"

namespace ariadne {
namespace {

using ::testing::ElementsAreArray;
using testing::NewestRows;
using testing::TempFolder;
using testing::VersionedFiles;
using testing::VersionedRow;
using testing::VersionedSchema;

template <typename T>
std::shared_ptr<arrow::Array> Values(const std::set<T>& values) {
  typename arrow::CTypeTraits<T>::BuilderType builder;
  for (const T& value : values) EXPECT_TRUE(builder.Append(value).ok());
  return *builder.Finish();
}

std::set<int64_t> RandomNumbers(std::mt19937& random, int below) {
  std::set<int64_t> numbers;
  for (auto left = random() % 4; left > 0; --left) {
    numbers.insert(static_cast<int64_t>(random() % below));
  }
  return numbers;
}
std::set<std::string> RandomTexts(std::mt19937& random, const std::string& prefix, int below) {
  std::set<std::string> texts;
  for (const int64_t number : RandomNumbers(random, below)) {
    texts.insert(prefix + std::to_string(number));
  }
  return texts;
}

/// Updated indexes with few distinct values inline, so that some files are large and some are not.
class DerivedLocateTest : public ::testing::TestWithParam<int64_t> {
 protected:
  DerivedLocateTest() {
    index_.AddRegular("id");
    index_.AddExploded("tags", "k", "tag_k");
    index_.AddExploded("tags", "p.q", "tag_q");
    index_.AddExploded("numbers", "", "number");
    index_.AddTemporal("name", "at");
    index_.AddComputed("triple", "id * 3");
  }

  static Options LimitOf(int64_t limit) {
    Options options;
    options.large_index_limit = limit;
    return options;
  }
  /// Files of which a row meets `holds`.
  template <typename Holds>
  std::set<std::string> Files(const Holds& holds) const {
    std::set<std::string> names;
    for (const auto& [uri, rows] : files_.rows_of) {
      if (std::any_of(rows.begin(), rows.end(), holds)) names.insert(uri);
    }
    return names;
  }
  static std::set<std::string> Both(const std::set<std::string>& a,
                                    const std::set<std::string>& b) {
    std::set<std::string> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
    return both;
  }
  std::set<std::string> FilesWithTag(const std::set<std::string>& asked) const {
    return Files([&](const VersionedRow& row) {
      return row.tags && std::any_of(row.tags->begin(), row.tags->end(), [&](const auto& tag) {
               return tag && tag->k && asked.contains(*tag->k);
             });
    });
  }
  std::set<std::string> FilesWithNumber(const std::set<int64_t>& asked) const {
    return Files([&](const VersionedRow& row) {
      return row.numbers && std::any_of(row.numbers->begin(), row.numbers->end(),
                                        [&](const auto& n) { return n && asked.contains(*n); });
    });
  }
  std::set<std::string> FilesWithId(const std::set<int64_t>& asked) const {
    return Files([&](const VersionedRow& row) { return row.id && asked.contains(*row.id); });
  }
  std::set<std::string> FilesWithNewest(const std::set<std::string>& asked) const {
    std::set<int64_t> newest;
    for (const auto& row : NewestRows(files_.Rows(), true, false)) {
      if (row.name && asked.contains(*row.name)) newest.insert(row.v);
    }
    return Files([&](const VersionedRow& row) { return newest.contains(row.v); });
  }

  void CheckRound(std::mt19937& random) {
    const auto tags = RandomTexts(random, "k", 7);
    const auto numbers = RandomNumbers(random, 11);
    const auto ids = RandomNumbers(random, 8);
    const auto names = RandomTexts(random, "n", 9);
    const auto located = [&](const std::vector<Probe>& probes) {
      return index_.Locate(probes).files;
    };
    EXPECT_THAT(located({{"tag_k", Values(tags)}}), ElementsAreArray(FilesWithTag(tags)));
    EXPECT_THAT(located({{"number", Values(numbers)}}), ElementsAreArray(FilesWithNumber(numbers)));
    EXPECT_THAT(located({{"name", Values(names)}}), ElementsAreArray(FilesWithNewest(names)));
    EXPECT_THAT(located({{"id", Values(ids)}}), ElementsAreArray(FilesWithId(ids)));
    std::set<int64_t> triples;
    for (const int64_t id : ids) triples.insert(id * 3);
    EXPECT_THAT(located({{"triple", Values(triples)}}), ElementsAreArray(FilesWithId(ids)));
    EXPECT_THAT(located({{"name", Values(names)}, {"id", Values(ids)}}),
                ElementsAreArray(Both(FilesWithNewest(names), FilesWithId(ids))));
    EXPECT_THAT(located({{"tag_k", Values(tags)}, {"number", Values(numbers)}}),
                ElementsAreArray(Both(FilesWithTag(tags), FilesWithNumber(numbers))));
  }

  TempFolder folder_;
  VersionedFiles files_{folder_ / "data"};
  Lake lake_{(folder_ / "lake").string(), LimitOf(GetParam())};
  Index index_ = lake_.Create("t", {"parquet", VersionedSchema()});
};

TEST_P(DerivedLocateTest, FilesAreThoseThatLookingAtEveryRowGives) {
  std::mt19937 random(17);
  for (int update = 0; update < 3; ++update) {
    files_.AddRandom(random, 4, 14);
    index_.AddFiles({files_.data.folder.string()});
    const auto report = index_.Update();
    ASSERT_TRUE(report.files_failed.empty()) << report.files_failed.front().error;
    for (int round = 0; round < 12; ++round) CheckRound(random);
  }
}

INSTANTIATE_TEST_SUITE_P(ByLimit, DerivedLocateTest, ::testing::Values(500'000, 3, 1));

}  // namespace
}  // namespace ariadne
