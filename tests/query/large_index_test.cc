#include "query/large_index.h"

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
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

}  // namespace
}  // namespace ariadne
