#include "build/row_merge.h"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "source/spark_schema.h"
#include "storage/delta_writer.h"
#include "temp_folder.h"

namespace ariadne::build {
namespace {

const auto kSchema = arrow::schema({arrow::field("filename", arrow::utf8())});

/// A table with one data file for each list of names, and the inputs that take all of its rows.
class NamesTable {
 public:
  explicit NamesTable(const std::vector<std::vector<std::string>>& files) {
    const storage::ObjectRef folder = folder_.Ref("table");
    const std::string schema_json = source::ToSparkJson(*kSchema);
    table_ = storage::DeltaTable::Create(folder, schema_json);
    storage::TableChange change;
    change.operation = "WRITE";
    std::map<std::string, const std::vector<std::string>*> names;
    for (const auto& file : files) {
      storage::DeltaFileWriter writer(folder, kSchema);
      arrow::StringBuilder builder;
      if (!builder.AppendValues(file).ok()) throw std::bad_alloc();
      const auto array = builder.Finish().ValueOrDie();
      writer.Write(*arrow::RecordBatch::Make(kSchema, array->length(), {array}));
      change.adds.push_back(writer.Finish());
      names[change.adds.back().path] = &file;
    }
    table_ = table_->Commit(change);
    for (size_t i = 0; i < table_->files().size(); ++i) {
      const auto& file = *names.at(table_->files()[i].path);
      inputs.push_back({table_.get(), static_cast<int32_t>(i), std::vector<bool>(file.size(), true),
                        file.front()});
      names_.push_back(file);
    }
  }
  [[nodiscard]] const std::vector<std::string>& names(size_t input) const { return names_[input]; }

  std::vector<MergeInput> inputs;

 private:
  ariadne::testing::TempFolder folder_;
  std::shared_ptr<storage::DeltaTable> table_;
  std::vector<std::vector<std::string>> names_;
};

/// Names as merged, one list a group.
std::vector<std::vector<std::string>> Merged(const std::vector<MergeInput>& inputs, size_t fan_in) {
  std::vector<std::vector<std::string>> groups(1);
  MergeRows(
      inputs, kSchema, fan_in,
      [&](const std::shared_ptr<arrow::RecordBatch>& rows) {
        const auto& names = static_cast<const arrow::StringArray&>(*rows->column(0));
        for (int64_t i = 0; i < names.length(); ++i) groups.back().push_back(names.GetString(i));
      },
      [&] { groups.emplace_back(); });
  return groups;
}

TEST(RowMerge, GivesEachKeptRowOnceAndInOrderWhateverOverlaps) {
  for (const uint32_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<std::vector<std::string>> files(1 + random() % 7);
    for (auto& file : files) {
      const int begin = static_cast<int>(random() % 60);
      for (size_t i = 1 + random() % 9; i > 0; --i) {
        file.push_back("f" + std::to_string(100 + begin + random() % 15));
      }
      std::sort(file.begin(), file.end());
    }
    NamesTable table(files);
    std::vector<std::string> expected;
    for (size_t i = 0; i < table.inputs.size(); ++i) {
      MergeInput& input = table.inputs[i];
      std::optional<std::string> first;
      for (size_t row = 0; row < input.keep.size(); ++row) {
        input.keep[row] = random() % 4 != 0;
        if (!input.keep[row]) continue;
        if (!first) first = table.names(i)[row];
        expected.push_back(table.names(i)[row]);
      }
      // The first name of an input is that of any of its rows, or none where no row is kept.
      if (random() % 2 == 0) input.first_name = first.value_or("");
    }
    std::sort(expected.begin(), expected.end());
    for (size_t fan_in = 1; fan_in <= table.inputs.size(); ++fan_in) {
      SCOPED_TRACE(fan_in);
      std::vector<std::string> all;
      const auto groups = Merged(table.inputs, fan_in);
      for (const auto& group : groups) {
        EXPECT_TRUE(std::is_sorted(group.begin(), group.end()));
        all.insert(all.end(), group.begin(), group.end());
      }
      if (fan_in == table.inputs.size()) {
        EXPECT_EQ(groups.size(), 1u);
      }
      std::sort(all.begin(), all.end());
      EXPECT_EQ(all, expected);
    }
  }
}

TEST(RowMerge, InputsThatFollowEachOtherAreOneGroupHoweverManyTheyAre) {
  std::vector<std::vector<std::string>> files;
  for (int i = 0; i < 9; ++i) {
    files.push_back({"f" + std::to_string(i) + "a", "f" + std::to_string(i) + "b"});
  }
  const NamesTable table(files);
  const auto groups = Merged(table.inputs, 1);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].size(), 18u);
  EXPECT_TRUE(std::is_sorted(groups[0].begin(), groups[0].end()));
}

TEST(RowMerge, NoInputIsNoRowAndNoGroup) {
  EXPECT_EQ(Merged({}, 2), (std::vector<std::vector<std::string>>(1)));
}

}  // namespace
}  // namespace ariadne::build
