#include <random>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
#include "index/column_index.h"
#include "random_lake.h"
#include "source/spark_schema.h"
#include "storage/delta_table.h"
#include "storage/delta_writer.h"
#include "storage/layout.h"

namespace ariadne {
namespace {

using testing::DataFiles;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TempFolder;
using ::testing::UnorderedElementsAre;

const auto kTime = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");

/// A temporal index whose main and large tables are written row by row, as another library would.
/// Cells and entries are JSON: `[["u", 5], [null, 1]]`.
class NewestProbeTest : public ::testing::Test {
 protected:
  explicit NewestProbeTest(std::shared_ptr<arrow::DataType> time = kTime) : time_(std::move(time)) {
    index_.AddTemporal("name", "at");
    for (int i = 0; i < 4; ++i) files_.push_back(data_.Add(NoRows()));
    std::sort(files_.begin(), files_.end());
    index_.AddFiles({data_.folder.string()});
  }

  std::shared_ptr<arrow::Schema> LakeSchema() const {
    return arrow::schema({arrow::field("name", arrow::utf8()), arrow::field("at", time_),
                          arrow::field("id", arrow::int64())});
  }
  std::shared_ptr<arrow::Table> NoRows() const {
    return arrow::Table::MakeEmpty(LakeSchema()).ValueOrDie();
  }
  std::shared_ptr<arrow::DataType> Entry() const {
    return arrow::struct_({arrow::field("value", arrow::utf8()), arrow::field("max_ts", time_)});
  }

  void Append(const storage::ObjectRef& folder, const arrow::FieldVector& columns,
              const std::vector<std::pair<std::string, std::vector<std::string>>>& rows) {
    arrow::FieldVector fields = {arrow::field("filename", arrow::utf8())};
    fields.insert(fields.end(), columns.begin(), columns.end());
    const auto schema = arrow::schema(fields);
    const auto table = storage::DeltaTable::Create(folder, source::ToSparkJson(*schema));
    storage::DeltaFileWriter writer(folder, schema);
    for (const auto& [file, cells] : rows) {
      arrow::ArrayVector arrays = {*arrow::MakeArrayFromScalar(arrow::StringScalar(file), 1)};
      for (size_t i = 0; i < cells.size(); ++i) {
        arrays.push_back(
            *arrow::json::ArrayFromJSONString(columns[i]->type(), "[" + cells[i] + "]"));
      }
      writer.Write(*arrow::RecordBatch::Make(schema, 1, arrays));
    }
    storage::TableChange change;
    change.operation = "WRITE";
    change.adds = {writer.Finish()};
    table->Commit(change);
  }
  void Main(const std::vector<std::string>& cells) {
    std::vector<std::pair<std::string, std::vector<std::string>>> rows;
    for (size_t i = 0; i < cells.size(); ++i) rows.push_back({files_[i], {cells[i], "100"}});
    Append(layout_.main_index(),
           {arrow::field("name", arrow::list(arrow::field("element", Entry()))),
            arrow::field("file_size", arrow::int64())},
           rows);
  }
  void Large(const std::vector<std::pair<int, std::string>>& entries) {
    std::vector<std::pair<std::string, std::vector<std::string>>> rows;
    for (const auto& [file, entry] : entries) rows.push_back({files_[file], {entry}});
    Append(layout_.large_index("name"), {arrow::field("name", Entry())}, rows);
  }
  /// Places in `files_`.
  std::vector<int> Locate(const std::string& names) {
    std::vector<int> places;
    for (const auto& file :
         index_.Locate({{"name", *arrow::json::ArrayFromJSONString(arrow::utf8(), names)}}).files) {
      places.push_back(
          static_cast<int>(std::find(files_.begin(), files_.end(), file) - files_.begin()));
    }
    return places;
  }

  std::shared_ptr<arrow::DataType> time_;
  TempFolder folder_;
  DataFiles data_{folder_ / "data"};
  Lake lake_{(folder_ / "lake").string()};
  Index index_ = lake_.Create("t", {"parquet", LakeSchema()});
  storage::Stores stores_;
  storage::IndexLayout layout_{stores_.Resolve("file://" + (folder_ / "lake").string()), "t"};
  std::vector<std::string> files_;
};

TEST_F(NewestProbeTest, OnlyTheFileWithTheNewestVersionIsNamed) {
  Main({R"([["u", 1], ["v", 9]])", R"([["u", 3]])", R"([["u", 2], ["w", 0]])", "[]"});
  EXPECT_THAT(Locate(R"(["u"])"), ElementsAre(1));
  EXPECT_THAT(Locate(R"(["u", "v"])"), ElementsAre(0, 1));
  EXPECT_THAT(Locate(R"(["w", "x"])"), ElementsAre(2));
  EXPECT_THAT(Locate(R"(["x", null])"), IsEmpty());
}

TEST_F(NewestProbeTest, NullTimesAreTheOldestAndTiesGoToTheFirstFile) {
  Main({R"([["u", null], [null, 7]])", R"([["u", -5], ["n", null]])",
        R"([["u", -5], ["n", null], [null, 8]])", R"([["z", 1]])"});
  EXPECT_THAT(Locate(R"(["u"])"), ElementsAre(1));
  EXPECT_THAT(Locate(R"(["n"])"), ElementsAre(1));
  EXPECT_THAT(Locate("[null]"), IsEmpty());
}

TEST_F(NewestProbeTest, RowsOfTheLargeTableTakePartWhereTheCellIsNull) {
  Main({"null", R"([["u", 5]])", "null", R"([["u", 1]])"});
  Large({{0, R"(["u", 9])"}, {0, R"(["v", 1])"}, {2, R"(["v", 2])"}, {3, R"(["u", 99])"}});
  EXPECT_THAT(Locate(R"(["u"])"), ElementsAre(0));  // Not 3: its values are inline.
  EXPECT_THAT(Locate(R"(["v"])"), ElementsAre(2));
  EXPECT_THAT(Locate(R"(["x"])"), IsEmpty());
}

TEST_F(NewestProbeTest, AFileOfWhichNothingIsKnownStaysAndRulesOutNoOther) {
  Main({R"([["u", 5]])", "null", R"([["u", 1]])", R"([["v", 1]])"});
  EXPECT_THAT(Locate(R"(["u"])"), UnorderedElementsAre(0, 1));
  Large({{2, R"(["v", 2])"}});
  EXPECT_THAT(Locate(R"(["v"])"), UnorderedElementsAre(1, 3));
}

TEST_F(NewestProbeTest, AnotherColumnDoesNotBringAnOlderVersionBack) {
  index_.AddRange("id");
  Append(layout_.main_index(),
         {arrow::field("name", arrow::list(arrow::field("element", Entry()))),
          arrow::field("range_id", arrow::struct_({arrow::field("min", arrow::int64()),
                                                   arrow::field("max", arrow::int64())})),
          arrow::field("file_size", arrow::int64())},
         {{files_[0], {R"([["u", 1]])", "[1, 2]", "1"}},
          {files_[1], {R"([["u", 2]])", "[5, 6]", "1"}},
          {files_[2], {"[]", "[1, 2]", "1"}},
          {files_[3], {"[]", "[1, 2]", "1"}}});
  const auto names = *arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["u"])");
  const auto ids = *arrow::json::ArrayFromJSONString(arrow::int64(), "[1]");
  EXPECT_THAT(index_.Locate({{"name", names}, {"id", ids}}).files, IsEmpty());
}

class TextTimesTest : public NewestProbeTest {
 protected:
  TextTimesTest() : NewestProbeTest(arrow::utf8()) {}
};

TEST_F(TextTimesTest, EveryVersionStaysWhereTimesAreNotComparedHere) {
  Main({R"([["u", "2024"]])", R"([["u", "2023"]])", R"([["v", "2025"]])", "[]"});
  EXPECT_THAT(Locate(R"(["u"])"), UnorderedElementsAre(0, 1));
}

TEST_F(NewestProbeTest, RandomVersionsGiveWhatLookingAtEachGives) {
  std::mt19937 random(3);
  for (int round = 0; round < 12; ++round) {
    // Each round in tables of its own: the versions of all files, large or inline.
    TempFolder folder;
    std::vector<std::map<std::string, std::optional<int64_t>>> versions(4);
    std::vector<std::string> cells;
    std::vector<std::pair<int, std::string>> large;
    for (int file = 0; file < 4; ++file) {
      for (int name = 0; name < 6; ++name) {
        if (random() % 2 == 0) continue;
        std::optional<int64_t> time;
        if (random() % 4 != 0) time = static_cast<int64_t>(random() % 4);
        versions[file]["n" + std::to_string(name)] = time;
      }
      std::string cell;
      const bool is_large = random() % 3 == 0 && !versions[file].empty();
      for (const auto& [name, time] : versions[file]) {
        const std::string entry =
            "[\"" + name + "\", " + (time ? std::to_string(*time) : "null") + "]";
        cell += (cell.empty() ? "" : ", ") + entry;
        if (is_large) large.emplace_back(file, entry);
      }
      cells.push_back(is_large ? "null" : "[" + cell + "]");
    }
    const std::string name = "r" + std::to_string(round);
    Index index = lake_.Create(name, {"parquet", LakeSchema()});
    index.AddTemporal("name", "at");
    index.AddFiles({data_.folder.string()});
    layout_ = storage::IndexLayout(stores_.Resolve("file://" + (folder_ / "lake").string()), name);
    index_ = index;
    Main(cells);
    if (!large.empty()) Large(large);
    for (int ask = 0; ask < 5; ++ask) {
      std::set<int> expected;
      std::string asked;
      for (int key = 0; key < 7; ++key) {
        if (random() % 3 != 0) continue;
        const std::string text = "n" + std::to_string(key);
        asked += (asked.empty() ? "\"" : ", \"") + text + "\"";
        int winner = -1;
        for (int file = 0; file < 4; ++file) {
          const auto version = versions[file].find(text);
          if (version == versions[file].end()) continue;
          if (winner < 0 || version->second > versions[winner][text]) winner = file;
        }
        if (winner >= 0) expected.insert(winner);
      }
      if (asked.empty()) continue;
      EXPECT_THAT(Locate("[" + asked + "]"), ::testing::ElementsAreArray(expected));
    }
  }
}

}  // namespace
}  // namespace ariadne
