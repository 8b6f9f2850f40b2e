#include "rowgroup/index_table.h"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "rowgroup/background_load.h"
#include "rowgroup/value_collector.h"
#include "storage/delta_table.h"

namespace ariadne::rowgroup {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

class TempTable {
 public:
  TempTable() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ariadne-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempTable() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempTable(const TempTable&) = delete;
  TempTable& operator=(const TempTable&) = delete;

  /// Through a store of its own, as another process has it.
  [[nodiscard]] IndexTable Open() const {
    return IndexTable(
        IndexTable::FolderBelow(storage::Stores().Resolve("file://" + path_.string())));
  }
  [[nodiscard]] std::filesystem::path folder() const {
    return path_ / "native" / "row_group_indexes";
  }
  [[nodiscard]] std::vector<std::filesystem::path> DataFiles() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      if (entry.path().extension() == ".parquet") files.push_back(entry.path());
    }
    return files;
  }

 private:
  std::filesystem::path path_;
};

IndexKey KeyOf(int32_t row_group, Kind kind = Kind::kBloom) {
  return {.file = {.uri = "file:///l%20\xC3\xB6/a.parquet",
                   .size = int64_t{1} << 40,
                   .modified_ms = 7,
                   .etag = "\"e\""},
          .row_group = row_group,
          .target = "\"a \"\" b\":DECIMAL(18,2)",
          .kind = kind};
}

StoredIndex IndexOf(IndexKey key, int64_t value) {
  HashRooms rooms;
  // A range built by itself counts no distinct values.
  const Kinds wanted{.bloom = key.kind == Kind::kBloom, .range = key.kind == Kind::kRange};
  ValueCollector collector(Domain::kInteger, wanted, 0.01, rooms);
  collector.Add(value);
  auto index = collector.Make({&key.kind, 1}, 1).front();
  return {std::move(key), std::make_shared<const RowGroupIndex>(std::move(index))};
}

Predicate Equals(int64_t value) { return {.op = Predicate::Op::kIn, .values = {value}}; }

std::vector<std::string> Keys(const IndexTable& table) {
  std::vector<std::string> keys;
  std::ignore = table.Read([&](const IndexKey& key, const RowGroupIndex&) {
    keys.push_back(key.Text());
    return true;
  });
  return keys;
}

TEST(IndexTable, GivesBackWhatWasWritten) {
  const TempTable temp;
  EXPECT_EQ(Keys(temp.Open()).size(), 0) << "a table that is not there is empty";
  EXPECT_EQ(temp.Open().Append({IndexOf(KeyOf(0), 5), IndexOf(KeyOf(0, Kind::kRange), 5)}), 2);
  int seen = 0;
  const auto report = temp.Open().Read([&](const IndexKey& key, const RowGroupIndex& index) {
    EXPECT_EQ(key.Text(), KeyOf(0, key.kind).Text());
    EXPECT_EQ(key.kind, index.kind());
    EXPECT_EQ(index.rows, 1);
    EXPECT_EQ(index.distinct, key.kind == Kind::kBloom ? std::optional<int64_t>(1) : std::nullopt);
    EXPECT_TRUE(index.MayMatch(Equals(5)));
    EXPECT_FALSE(index.MayMatch(Equals(6)));
    ++seen;
    return true;
  });
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(report.damaged, 0);
  const auto table =
      storage::DeltaTable::Open(storage::Stores().Resolve("file://" + temp.folder().string()));
  ASSERT_NE(table, nullptr);
  EXPECT_TRUE(table->is_plain()) << "any Delta reader may look at it";
}

TEST(IndexTable, KeepsTheFirstOfTwoWriters) {
  const TempTable temp;
  EXPECT_EQ(temp.Open().Append({IndexOf(KeyOf(0), 5)}), 1);
  EXPECT_EQ(temp.Open().Append({IndexOf(KeyOf(0), 6), IndexOf(KeyOf(1), 6)}), 1);
  EXPECT_EQ(temp.Open().Append({IndexOf(KeyOf(0), 7)}), 0);
  const auto store = IndexStore::Make();
  const BackgroundLoad load(temp.Open(), store, milliseconds(60'000));
  EXPECT_TRUE(load.Wait(milliseconds(60'000)));
  EXPECT_EQ(load.warning(), "");
  EXPECT_EQ(store->counters().loaded, 2);
  EXPECT_TRUE(store->MayMatch(KeyOf(0), Equals(5)));
  EXPECT_FALSE(store->MayMatch(KeyOf(0), Equals(6)));
}

TEST(IndexTable, TakesEachIndexOfConcurrentWritersOnce) {
  const TempTable temp;
  std::vector<std::thread> writers;
  for (int64_t writer = 0; writer < 3; ++writer) {
    writers.emplace_back([&, writer] {
      for (int32_t group = 0; group < 8; ++group) {
        temp.Open().Append({IndexOf(KeyOf(group), writer), IndexOf(KeyOf(group + 1), writer)});
      }
    });
  }
  for (auto& writer : writers) writer.join();
  const auto keys = Keys(temp.Open());
  EXPECT_EQ(keys.size(), 9);
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), 9);
}

TEST(IndexTable, MergesItsFilesBeforeTheyAreMany) {
  const TempTable temp;
  for (int32_t group = 0; group < 70; ++group) temp.Open().Append({IndexOf(KeyOf(group), group)});
  const auto table =
      storage::DeltaTable::Open(storage::Stores().Resolve("file://" + temp.folder().string()));
  EXPECT_LE(table->files().size(), 32);
  EXPECT_EQ(Keys(temp.Open()).size(), 70);
}

TEST(IndexTable, ForgetsWhatIsDropped) {
  const TempTable temp;
  EXPECT_EQ(temp.Open().Drop([](const IndexKey&) { return true; }), 0);
  temp.Open().Append({IndexOf(KeyOf(0), 5), IndexOf(KeyOf(1), 5), IndexOf(KeyOf(2), 5)});
  EXPECT_EQ(temp.Open().Drop([](const IndexKey& key) { return key.row_group != 1; }), 2);
  EXPECT_THAT(Keys(temp.Open()), ::testing::ElementsAre(KeyOf(1).Text()));
  EXPECT_EQ(temp.Open().Drop([](const IndexKey&) { return false; }), 0);
  EXPECT_EQ(temp.Open().Append({IndexOf(KeyOf(0), 6)}), 1);
}

std::string FailureOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(IndexTable, NamesADamagedFileAndIsDroppedAllTheSame) {
  for (const bool gone : {false, true}) {
    const TempTable temp;
    temp.Open().Append({IndexOf(KeyOf(0), 5), IndexOf(KeyOf(1), 5)});
    const auto file = temp.DataFiles().at(0);
    if (gone) {
      std::filesystem::remove(file);
    } else {
      std::filesystem::resize_file(file, 100);
    }
    const auto named = AllOf(HasSubstr(file.string()), HasSubstr("ariadne rowgroups drop --all"));
    EXPECT_THAT(FailureOf([&] { Keys(temp.Open()); }), named);
    EXPECT_THAT(FailureOf([&] { temp.Open().Append({IndexOf(KeyOf(2), 5)}); }), named);
    EXPECT_THAT(FailureOf([&] { temp.Open().Drop([](const IndexKey&) { return true; }); }), named);
    EXPECT_EQ(temp.Open().DropAll(), 2);
    EXPECT_EQ(temp.Open().DropAll(), 0);
    EXPECT_EQ(temp.Open().Append({IndexOf(KeyOf(0), 5)}), 1);
  }
}

TEST(IndexTable, GoesWithItsFolderWhereItsLogIsDamaged) {
  const TempTable temp;
  temp.Open().Append({IndexOf(KeyOf(0), 5)});
  std::ofstream(temp.folder() / "_delta_log" / "00000000000000000001.json") << "garbage\n";
  EXPECT_THAT(
      FailureOf([&] { Keys(temp.Open()); }),
      AllOf(HasSubstr("of the row-group indexes"), HasSubstr("ariadne rowgroups drop --all")));
  EXPECT_EQ(temp.Open().DropAll(), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(temp.folder()));
  EXPECT_EQ(temp.Open().Append({IndexOf(KeyOf(0), 5)}), 1);
}

TEST(IndexTable, LeavesAFileInItsPlaceAloneAndSaysSo) {
  const TempTable temp;
  EXPECT_EQ(temp.Open().DropAll(), 0);
  std::filesystem::create_directories(temp.folder().parent_path());
  std::ofstream(temp.folder()) << "mine";
  EXPECT_THAT(FailureOf([&] { Keys(temp.Open()); }), HasSubstr("is a file"));
  EXPECT_THAT(FailureOf([&] { temp.Open().DropAll(); }), HasSubstr("is a file"));
  EXPECT_TRUE(std::filesystem::is_regular_file(temp.folder()));
}

TEST(BackgroundLoad, LeavesOutDamagedRowsAndSaysSo) {
  // Any byte of a data file may have been flipped: what comes out is what was written, or nothing.
  std::mt19937 random(1);
  int warned = 0;
  for (int round = 0; round < 60; ++round) {
    const TempTable temp;
    std::vector<StoredIndex> written;
    for (int32_t group = 0; group < 20; ++group) {
      written.push_back(IndexOf(KeyOf(group, static_cast<Kind>(group % 2)), 1000 + group));
    }
    temp.Open().Append(written);
    const auto file = temp.DataFiles().at(0);
    std::string bytes;
    {
      std::ifstream in(file, std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    if (round % 10 == 9) {
      bytes.resize(random() % bytes.size());
    } else {
      for (int flips = 0; flips < 3; ++flips) bytes[random() % bytes.size()] ^= 1 << random() % 8;
    }
    std::ofstream(file, std::ios::binary) << bytes;

    const auto store = IndexStore::Make();
    const BackgroundLoad load(temp.Open(), store, milliseconds(60'000));
    ASSERT_TRUE(load.Wait(milliseconds(60'000)));
    for (int32_t group = 0; group < 20; ++group) {
      ASSERT_TRUE(
          store->MayMatch(KeyOf(group, static_cast<Kind>(group % 2)), Equals(1000 + group)));
    }
    if (store->counters().loaded < 20) {
      EXPECT_THAT(load.warning(), HasSubstr(temp.folder().string()));
      ++warned;
    }
  }
  EXPECT_GT(warned, 20);
}

TEST(BackgroundLoad, WarnsOfAFolderThatIsNoTable) {
  const TempTable temp;
  std::filesystem::create_directories(temp.folder());
  std::ofstream(temp.folder() / "notes.txt") << "mine";
  const auto store = IndexStore::Make();
  const BackgroundLoad load(temp.Open(), store, milliseconds(60'000));
  ASSERT_TRUE(load.Wait(milliseconds(60'000)));
  EXPECT_THAT(load.warning(),
              AllOf(HasSubstr("cannot be loaded"), HasSubstr(temp.folder().string())));
  EXPECT_EQ(store->size().first, 0);
}

TEST(BackgroundLoad, IsGivenUpWhenAReadHangs) {
  const TempTable temp;
  temp.Open().Append({IndexOf(KeyOf(0), 5)});
  const auto file = temp.DataFiles().at(0);
  std::filesystem::remove(file);
  // Opening a pipe that nobody writes to blocks.
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  const auto store = IndexStore::Make();
  const auto begin = std::chrono::steady_clock::now();
  {
    const BackgroundLoad load(temp.Open(), store, milliseconds(50));
    EXPECT_FALSE(load.Wait(milliseconds(60'000)));
    EXPECT_THAT(load.warning(), HasSubstr("not loaded yet"));
    EXPECT_TRUE(store->MayMatch(KeyOf(0), Equals(6)));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  // Lets the reader go, so that the thread ends.
  std::ofstream(file) << "";
}

TEST(BackgroundLoad, WithNoTimeLoadsNothingAndSaysSo) {
  const TempTable temp;
  temp.Open().Append({IndexOf(KeyOf(0), 5)});
  const auto store = IndexStore::Make();
  const BackgroundLoad load(temp.Open(), store, milliseconds(0));
  load.Wait(milliseconds(60'000));
  EXPECT_FALSE(load.warning().empty());
  EXPECT_TRUE(store->MayMatch(KeyOf(0), Equals(6)));
}

}  // namespace
}  // namespace ariadne::rowgroup
