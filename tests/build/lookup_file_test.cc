#include "index/lookup_file.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <unordered_map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "temp_folder.h"

namespace ariadne::index {
namespace {

using ariadne::testing::TempFolder;

/// What a lookup file should say, by brute force: the rows of each hash, and rows of null cells.
struct Expected {
  int64_t num_rows = 0;
  std::unordered_map<uint64_t, std::set<int64_t>> rows;
  std::set<int64_t> nulls;
};

/// A writer fed with random rows: `distinct` values of which each row draws `per_row`.
Expected WriteRandom(std::mt19937_64* random, int64_t num_rows, int64_t distinct, int64_t per_row,
                     double null_share, const BuildContext& context,
                     const storage::ObjectRef& object) {
  std::vector<uint64_t> pool(distinct);
  for (uint64_t& hash : pool) hash = (*random)();
  Expected expected;
  expected.num_rows = num_rows;
  LookupWriter writer(context);
  for (int64_t row = 0; row < num_rows; ++row) {
    if (std::uniform_real_distribution<>(0, 1)(*random) < null_share) {
      writer.AddNull(row);
      expected.nulls.insert(row);
      continue;
    }
    std::vector<uint64_t> hashes;
    for (int64_t i = 0; i < per_row; ++i) {
      hashes.push_back(pool[(*random)() % pool.size()]);
      expected.rows[hashes.back()].insert(row);
    }
    writer.Add(row, hashes);
  }
  writer.Finish(object);
  return expected;
}

std::vector<uint8_t> Find(const LookupFile& file, const std::vector<uint64_t>& hashes) {
  std::vector<uint8_t> mask(file.num_rows(), 1);
  EXPECT_TRUE(file.Find(hashes, mask.data()));
  return mask;
}

std::vector<uint8_t> FindByBruteForce(const Expected& expected,
                                      const std::vector<uint64_t>& hashes) {
  std::vector<uint8_t> mask(expected.num_rows, 0);
  for (const int64_t row : expected.nulls) mask[row] = 1;
  for (const uint64_t hash : hashes) {
    const auto found = expected.rows.find(hash);
    if (found == expected.rows.end()) continue;
    for (const int64_t row : found->second) mask[row] = 1;
  }
  return mask;
}

void CheckRandomSearches(std::mt19937_64* random, const Expected& expected,
                         const LookupFile& file) {
  ASSERT_EQ(file.num_rows(), expected.num_rows);
  std::vector<uint64_t> known;
  for (const auto& [hash, rows] : expected.rows) known.push_back(hash);
  for (const int64_t count : {0, 1, 1, 1, 2, 10, 500}) {
    std::vector<uint64_t> wanted;
    for (int64_t i = 0; i < count; ++i) {
      const bool miss = known.empty() || (*random)() % 3 == 0;
      wanted.push_back(miss ? (*random)() : known[(*random)() % known.size()]);
    }
    EXPECT_EQ(Find(file, wanted), FindByBruteForce(expected, wanted)) << count << " hashes";
  }
}

TEST(LookupFile, FindsTheRowsThatABruteForceSearchFinds) {
  TempFolder folder;
  std::mt19937_64 random(1);
  struct Shape {
    int64_t rows, distinct, per_row;
    double nulls;
  };
  int number = 0;
  for (const Shape& shape :
       {Shape{1, 1, 1, 0}, Shape{3, 10, 0, 0}, Shape{40, 1000, 300, 0}, Shape{200, 20, 15, 0.1},
        Shape{2000, 5, 4, 0.5}, Shape{50, 100'000, 5000, 0.02}, Shape{20, 7, 3, 1},
        Shape{5000, 3, 2, 0}, Shape{1, 200'000, 200'000, 0}}) {
    const auto object = folder.Ref("lookup-" + std::to_string(number++));
    const Expected expected = WriteRandom(&random, shape.rows, shape.distinct, shape.per_row,
                                          shape.nulls, BuildContext(), object);
    const auto file = LookupFile::Open(object);
    ASSERT_NE(file, nullptr);
    CheckRandomSearches(&random, expected, *file);
  }
}

TEST(LookupFile, HoldsWhatSpilledToDisk) {
  TempFolder folder;
  std::mt19937_64 random(2);
  BuildContext context;
  context.memory_bytes = 1;  // As little as the writer can do with.
  context.spill_folder = folder.path().string();
  const auto object = folder.Ref("lookup");
  const Expected expected = WriteRandom(&random, 200, 200'000, 4000, 0.01, context, object);
  const auto file = LookupFile::Open(object);
  ASSERT_NE(file, nullptr);
  CheckRandomSearches(&random, expected, *file);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                          std::filesystem::directory_iterator()),
            1)
      << "temporary files stayed behind";
}

TEST(LookupFile, FindsHashesThatShareTheirUpperBits) {
  TempFolder folder;
  LookupWriter writer{BuildContext()};
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < 5000; ++i) hashes.push_back(i << 16);
  for (int64_t row = 0; row < 10; ++row) {
    writer.Add(row, std::span(hashes).subspan(row * 500, 500));
  }
  writer.Finish(folder.Ref("lookup"));
  const auto file = LookupFile::Open(folder.Ref("lookup"));
  ASSERT_NE(file, nullptr);
  for (int64_t i = 0; i < 5000; i += 7) {
    std::vector<uint8_t> mask = Find(*file, {hashes[i]});
    for (int64_t row = 0; row < 10; ++row) EXPECT_EQ(mask[row], row == i / 500 ? 1 : 0);
  }
}

TEST(LookupFile, LeavesBitsClearedThatWereClearedBefore) {
  TempFolder folder;
  LookupWriter writer{BuildContext()};
  const std::vector<uint64_t> hashes = {7ULL << 40};
  writer.Add(0, hashes);
  writer.Add(1, hashes);
  writer.Finish(folder.Ref("lookup"));
  std::vector<uint8_t> mask = {0, 1};
  ASSERT_TRUE(LookupFile::Open(folder.Ref("lookup"))->Find(hashes, mask.data()));
  EXPECT_EQ(mask, (std::vector<uint8_t>{0, 1}));
}

TEST(LookupFile, AnEmptyColumnHasAFileToo) {
  TempFolder folder;
  LookupWriter writer{BuildContext()};
  writer.Finish(folder.Ref("lookup"));
  const auto file = LookupFile::Open(folder.Ref("lookup"));
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->num_rows(), 0);
  EXPECT_TRUE(file->Find(std::vector<uint64_t>{1, 2}, nullptr));
}

TEST(LookupFile, RefusesRowsOutOfOrder) {
  LookupWriter writer{BuildContext()};
  writer.Add(3, {});
  EXPECT_THROW(writer.Add(3, {}), InvalidArgument);
  EXPECT_THROW(writer.AddNull(2), InvalidArgument);
}

TEST(LookupFile, AMissingOneIsNull) {
  TempFolder folder;
  EXPECT_EQ(LookupFile::Open(folder.Ref("nothing")), nullptr);
}

TEST(LookupFile, EscapesColumnNamesThatAreNoFileNames) {
  TempFolder folder;
  const auto path = [&](const std::string& column) {
    return LookupFile::Path(folder.Ref("native"), column, "part-0.parquet").path;
  };
  EXPECT_TRUE(path("user id").ends_with("/native/lookup/user id/part-0.parquet.lookup"));
  EXPECT_TRUE(path("a/b").ends_with("/lookup/a%2Fb/part-0.parquet.lookup"));
  EXPECT_TRUE(path("..").ends_with("/lookup/%2E./part-0.parquet.lookup"));
  EXPECT_NE(path("a/b"), path("a%2Fb"));
}

/// Any single damaged byte and any truncation either leaves the answer as it was or is noticed.
TEST(LookupFile, DamageNeverHidesARow) {
  TempFolder folder;
  std::mt19937_64 random(3);
  const auto object = folder.Ref("lookup");
  const Expected expected = WriteRandom(&random, 60, 12'000, 600, 0.05, BuildContext(), object);
  const std::string path = (folder.path() / "lookup").string();
  std::ifstream stream(path, std::ios::binary);
  const std::string sound((std::istreambuf_iterator<char>(stream)), {});

  std::vector<uint64_t> known;
  for (const auto& [hash, rows] : expected.rows) known.push_back(hash);
  ::testing::internal::CaptureStderr();  // Damage is said there, each time.
  int noticed = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string damaged = sound;
    if (trial % 4 == 0) {
      damaged.resize(random() % sound.size());
    } else {
      // Half of the damage lands in front, where header and directory are.
      const size_t at = random() % (trial % 2 == 0 ? sound.size() : size_t{4096});
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    const auto file = LookupFile::Open(object);
    if (file == nullptr) {
      ++noticed;
      continue;
    }
    for (int search = 0; search < 5; ++search) {
      const std::vector<uint64_t> wanted = {known[random() % known.size()],
                                            known[random() % known.size()]};
      std::vector<uint8_t> mask(file->num_rows(), 1);
      if (!file->Find(wanted, mask.data())) {
        ++noticed;
        EXPECT_EQ(mask, std::vector<uint8_t>(file->num_rows(), 1));
        continue;
      }
      EXPECT_EQ(mask, FindByBruteForce(expected, wanted));
    }
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::HasSubstr("damaged"));
  EXPECT_GT(noticed, 100);
}

TEST(LookupFile, TakesAtMostFourBytesAPair) {
  TempFolder folder;
  std::mt19937_64 random(4);
  const auto object = folder.Ref("lookup");
  const Expected expected = WriteRandom(&random, 200, 5'000, 475, 0, BuildContext(), object);
  int64_t pairs = 0;
  for (const auto& [hash, rows] : expected.rows) pairs += static_cast<int64_t>(rows.size());
  EXPECT_LE(std::filesystem::file_size(folder.path() / "lookup"), 4 * pairs);
}

TEST(LookupFile, ReadsASmallShareOfALargeFile) {
  TempFolder folder;
  std::mt19937_64 random(5);
  const auto object = folder.Ref("lookup");
  LookupWriter writer{BuildContext()};
  std::vector<uint64_t> hashes(20'000);
  for (int64_t row = 0; row < 100; ++row) {
    for (uint64_t& hash : hashes) hash = random();
    writer.Add(row, hashes);
  }
  writer.Finish(object);
  const auto before = object.store->counters();
  const auto file = LookupFile::Open(object);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(Find(*file, {hashes[17]})[99], 1);
  const auto after = object.store->counters();
  EXPECT_LE(after.requests - before.requests, 3);
  EXPECT_LE(after.bytes_read - before.bytes_read, 80 << 10);
}

}  // namespace
}  // namespace ariadne::index
