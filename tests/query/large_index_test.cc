#include "query/large_index.h"

#include <optional>
#include <tuple>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
#include "index/auto_bloom.h"
#include "random_lake.h"
#include "source/spark_schema.h"
#include "storage/delta_table.h"
#include "storage/delta_writer.h"
#include "storage/layout.h"
#include "storage/metadata.h"

namespace ariadne {
namespace {

using testing::DataFiles;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TempFolder;
using ::testing::UnorderedElementsAre;

const auto kMain = arrow::schema({arrow::field("filename", arrow::utf8()),
                                  arrow::field("id", arrow::list(arrow::int64())),
                                  arrow::field("file_size", arrow::int64())});
const auto kLarge =
    arrow::schema({arrow::field("filename", arrow::utf8()), arrow::field("id", arrow::int64())});

std::shared_ptr<arrow::Table> NoRows() {
  return arrow::Table::MakeEmpty(arrow::schema({arrow::field("id", arrow::int64())})).ValueOrDie();
}

/// An index whose main and large tables are written row by row, as another library would.
class LargeIndexTest : public ::testing::Test {
 protected:
  LargeIndexTest() {
    index_.AddRegular("id");
    for (int i = 0; i < 4; ++i) files_.push_back(data_.Add(NoRows()));
    index_.AddFiles({data_.folder.string()});
  }

  /// Appends rows, given as JSON of the columns after `filename`, to a table.
  void Append(const storage::ObjectRef& folder, const std::shared_ptr<arrow::Schema>& schema,
              const std::vector<std::pair<std::string, std::vector<std::string>>>& rows) {
    const auto table = storage::DeltaTable::Create(folder, source::ToSparkJson(*schema));
    storage::DeltaFileWriter writer(folder, schema);
    for (const auto& [file, cells] : rows) {
      arrow::ArrayVector columns = {*arrow::MakeArrayFromScalar(arrow::StringScalar(file), 1)};
      for (size_t i = 0; i < cells.size(); ++i) {
        columns.push_back(*arrow::json::ArrayFromJSONString(
            schema->field(static_cast<int>(i) + 1)->type(), "[" + cells[i] + "]"));
      }
      writer.Write(*arrow::RecordBatch::Make(schema, 1, columns));
    }
    storage::TableChange change;
    change.operation = "WRITE";
    change.adds = {writer.Finish()};
    table->Commit(change);
  }
  void Main(const std::vector<std::pair<std::string, std::string>>& cells) {
    std::vector<std::pair<std::string, std::vector<std::string>>> rows;
    for (const auto& [file, cell] : cells) rows.push_back({file, {cell, "100"}});
    Append(layout_.main_index(), kMain, rows);
  }
  void Large(const std::vector<std::pair<std::string, std::string>>& values) {
    std::vector<std::pair<std::string, std::vector<std::string>>> rows;
    for (const auto& [file, value] : values) rows.push_back({file, {value}});
    Append(layout_.large_index("id"), kLarge, rows);
  }
  std::vector<std::string> Locate(const std::string& ids) {
    return index_.Locate({{"id", *arrow::json::ArrayFromJSONString(arrow::int64(), ids)}}).files;
  }

  TempFolder folder_;
  DataFiles data_{folder_ / "data"};
  Lake lake_{(folder_ / "lake").string()};
  Index index_ = lake_.Create("t", {"parquet", NoRows()->schema()});
  storage::Stores stores_;
  storage::IndexLayout layout_{stores_.Resolve("file://" + (folder_ / "lake").string()), "t"};
  std::vector<std::string> files_;
};

TEST_F(LargeIndexTest, ANullCellIsDecidedByTheRowsOfItsFile) {
  Main({{files_[0], "[1]"}, {files_[1], "null"}, {files_[2], "null"}, {files_[3], "[2]"}});
  Large({{files_[1], "7"}, {files_[1], "8"}, {files_[2], "8"}});
  EXPECT_THAT(Locate("[7]"), ElementsAre(files_[1]));
  EXPECT_THAT(Locate("[8]"), UnorderedElementsAre(files_[1], files_[2]));
  EXPECT_THAT(Locate("[1, 7]"), UnorderedElementsAre(files_[0], files_[1]));
  EXPECT_THAT(Locate("[99]"), IsEmpty());
}

TEST_F(LargeIndexTest, ANullCellWithoutRowsIsMaybe) {
  Main({{files_[0], "[1]"}, {files_[1], "null"}, {files_[2], "null"}, {files_[3], "[]"}});
  EXPECT_THAT(Locate("[5]"), UnorderedElementsAre(files_[1], files_[2]));
  Large({{files_[2], "6"}});
  EXPECT_THAT(Locate("[5]"), ElementsAre(files_[1]));
  EXPECT_THAT(Locate("[6]"), UnorderedElementsAre(files_[1], files_[2]));
}

TEST_F(LargeIndexTest, RowsOfAFileWhoseValuesAreInlineDecideNothing) {
  Main({{files_[0], "[1]"}, {files_[1], "[2]"}, {files_[2], "[]"}, {files_[3], "[]"}});
  Large({{files_[0], "50"}});
  EXPECT_THAT(Locate("[1]"), ElementsAre(files_[0]));
  EXPECT_THAT(Locate("[50]"), IsEmpty());
}

TEST_F(LargeIndexTest, RowsMayLieInSeveralFilesAndAnUnreadableOneMeansMaybe) {
  Main({{files_[0], "null"}, {files_[1], "null"}, {files_[2], "[]"}, {files_[3], "[]"}});
  Large({{files_[0], "1"}});
  Large({{files_[0], "2"}, {files_[1], "null"}});
  EXPECT_THAT(Locate("[2]"), ElementsAre(files_[0]));
  EXPECT_THAT(Locate("[3]"), IsEmpty());
  for (const auto& entry :
       std::filesystem::directory_iterator("/" + layout_.large_index("id").path)) {
    if (entry.path().extension() == ".parquet") std::filesystem::resize_file(entry.path(), 20);
  }
  EXPECT_THAT(Locate("[3]"), UnorderedElementsAre(files_[0], files_[1]));
}

/// A large index whose files have filters of their values.
class AutoBloomTest : public LargeIndexTest {
 protected:
  AutoBloomTest() {
    auto metadata = *storage::IndexMetadata::Read(layout_.metadata());
    metadata.auto_bloom = {"id"};
    metadata.Write(layout_.metadata());
  }

  /// A row of the main index; `values` are what the filter holds, nullopt where there is none.
  void Main(
      const std::vector<std::tuple<std::string, std::string, std::optional<std::vector<int64_t>>>>&
          rows) {
    const auto schema = arrow::schema(
        {kMain->field(0), kMain->field(1), arrow::field("auto_bloom_id", arrow::binary())});
    const auto table =
        storage::DeltaTable::Create(layout_.main_index(), source::ToSparkJson(*schema));
    storage::DeltaFileWriter writer(layout_.main_index(), schema);
    for (const auto& [file, cell, values] : rows) {
      arrow::ArrayVector columns = {
          *arrow::MakeArrayFromScalar(arrow::StringScalar(file), 1),
          *arrow::json::ArrayFromJSONString(schema->field(1)->type(), "[" + cell + "]"),
          values ? Filter(*values) : *arrow::MakeArrayOfNull(arrow::binary(), 1)};
      writer.Write(*arrow::RecordBatch::Make(schema, 1, columns));
    }
    storage::TableChange change;
    change.operation = "WRITE";
    change.adds = {writer.Finish()};
    table->Commit(change);
  }
  static std::shared_ptr<arrow::Array> Filter(const std::vector<int64_t>& values) {
    index::AutoBloom filter(arrow::int64(), 1000, 0.0001, "UTC");
    arrow::Int64Builder builder;
    EXPECT_TRUE(builder.AppendValues(values).ok());
    filter.Add(**builder.Finish());
    return filter.Finish();
  }
  void BreakLargeTable() {
    for (const auto& entry :
         std::filesystem::directory_iterator("/" + layout_.large_index("id").path)) {
      if (entry.path().extension() == ".parquet") std::filesystem::resize_file(entry.path(), 20);
    }
  }
};

TEST_F(AutoBloomTest, AnEmptyCandidateSetSkipsTheLargeTable) {
  Main({{files_[0], "null", {{1, 2}}}, {files_[1], "null", {{3}}}, {files_[2], "[4]", {{4}}}});
  Large({{files_[0], "1"}, {files_[0], "2"}, {files_[1], "3"}});
  BreakLargeTable();
  EXPECT_THAT(Locate("[99]"), Not(::testing::Contains(files_[0])));
  EXPECT_THAT(Locate("[99]"), Not(::testing::Contains(files_[1])));
  // A filter that says "maybe" needs the rows, which are gone.
  EXPECT_THAT(Locate("[3]"), ::testing::Contains(files_[1]));
  EXPECT_THAT(Locate("[3]"), Not(::testing::Contains(files_[0])));
}

TEST_F(AutoBloomTest, ANullFilterIsACandidate) {
  Main({{files_[0], "null", std::nullopt}, {files_[1], "null", {{3}}}, {files_[2], "[]", {{}}}});
  Large({{files_[0], "1"}, {files_[1], "3"}});
  EXPECT_THAT(Locate("[1]"), UnorderedElementsAre(files_[0], files_[3]));  // 3: not indexed.
  EXPECT_THAT(Locate("[3]"), UnorderedElementsAre(files_[1], files_[3]));
}

TEST_F(AutoBloomTest, AFilterCountsOnlyOnceTheMetadataNamesTheColumn) {
  auto metadata = *storage::IndexMetadata::Read(layout_.metadata());
  metadata.auto_bloom = {};
  metadata.Write(layout_.metadata());
  Main({{files_[0], "null", {{7}}}});  // Not what the file holds: a build that was cut off.
  Large({{files_[0], "1"}});
  EXPECT_THAT(Locate("[1]"), ::testing::Contains(files_[0]));
}

TEST_F(AutoBloomTest, ManyValuesAreAllAskedWithoutTheFilters) {
  Main({{files_[0], "null", {{7}}}});  // A filter that lies shows whether it was asked.
  Large({{files_[0], "1"}});
  std::string few = "[1", many = "[1";
  for (int i = 0; i < 1000; ++i) many += ", " + std::to_string(1'000'000 + i);
  EXPECT_THAT(Locate(few + "]"), Not(::testing::Contains(files_[0])));
  EXPECT_THAT(Locate(many + "]"), ::testing::Contains(files_[0]));
}

}  // namespace
}  // namespace ariadne
