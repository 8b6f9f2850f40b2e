#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "build/built_cells.h"
#include "build/update.h"
#include "source/spark_schema.h"
#include "storage/delta_table.h"
#include "temp_folder.h"
#include "test_lake.h"

namespace ariadne::build {
namespace {

using ariadne::testing::TempFolder;
using ariadne::testing::TestLake;

/// An index that the JVM library wrote, unpacked, with its data.
class JvmIndex {
 public:
  /// `index`: its name; empty: the only one of the fixture.
  explicit JvmIndex(const std::string& name, const std::string& index = "")
      : target_{.layout = Unpack(name, index), .stores = stores_, .options = {}} {
    target_.options.path_map = {
        {"file:///srv/ariadne-interop/" + name, "file://" + (folder_.path() / name).string()}};
  }

  UpdateReport Update() { return build::Update(target_, {}); }
  [[nodiscard]] storage::IndexMetadata Metadata() const {
    return storage::IndexMetadata::Read(target_.layout.metadata()).value();
  }
  [[nodiscard]] std::shared_ptr<storage::DeltaTable> Main() const {
    return storage::DeltaTable::Open(target_.layout.main_index());
  }
  [[nodiscard]] const storage::IndexLayout& layout() const { return target_.layout; }
  Options& options() { return target_.options; }
  /// Takes away the main index and, unless they are to stay as a crash would leave them, the large
  /// tables.
  void ForgetTables(bool large_too) {
    for (const char* folder : {"index", "large_indexes"}) {
      const storage::ObjectRef at = storage::IndexLayout::Join(layout().folder(), folder);
      if (large_too || std::string(folder) == "index") at.store->DeleteFolder(at.path);
    }
  }

 private:
  storage::IndexLayout Unpack(const std::string& name, const std::string& index) {
    const std::filesystem::path tests =
        std::filesystem::path(ARIADNE_TEST_DATA).parent_path().parent_path();
    const std::string archive = (tests / "interop/fixtures" / (name + ".tar.gz")).string();
    const std::string command = "tar xzf '" + archive + "' -C '" + folder_.path().string() + "'";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot unpack " + archive);
    const auto indexes = folder_.path() / name / "storage" / "indexes";
    return storage::IndexLayout(
        stores_->Resolve("file://" + (folder_.path() / name / "storage").string()),
        !index.empty() ? index
                       : std::filesystem::directory_iterator(indexes)->path().filename().string());
  }

  TempFolder folder_;
  std::shared_ptr<storage::Stores> stores_ = std::make_shared<storage::Stores>();
  UpdateTarget target_;
};

TEST(JvmIndex, NeedsNoUpdateWhereTheJvmLibraryFinished) {
  for (const char* name : {"regular", "bloom", "range", "types_regular", "types_bloom",
                           "types_range", "temporal", "exploded"}) {
    SCOPED_TRACE(name);
    JvmIndex index(name);
    const auto version = index.Main()->version();
    const UpdateReport report = index.Update();
    EXPECT_EQ(report.files_backfilled, 0);
    for (const FailedFile& file : report.files_failed) ADD_FAILURE() << file.uri << file.error;
    // It never indexes an empty file; we do, once.
    EXPECT_LE(report.files_indexed, 1);
    if (report.files_indexed == 0) {
      EXPECT_EQ(index.Main()->version(), version);
    }
    EXPECT_EQ(index.Update().files_indexed, 0);
  }
}

TEST(JvmIndex, NullFiltersOfItsFirstVersionProveThatThereWasNoValue) {
  JvmIndex index("types_bloom");
  EXPECT_TRUE(NullFilterProvesNoValue(*index.Main(), "bloom_s"));
  EXPECT_FALSE(NullFilterProvesNoValue(*index.Main(), "bloom_added_later"));
  const auto main = index.Main();
  const auto log = main->FileRef("_delta_log/00000000000000000000.json");
  log.store->Delete(log.path);
  EXPECT_FALSE(NullFilterProvesNoValue(*main, "bloom_s")) << "nothing is proven any more";
}

TEST(JvmIndex, KeepsItsCellsWhenAColumnIsAdded) {
  for (const char* name : {"range", "types_range"}) {
    SCOPED_TRACE(name);
    JvmIndex index(name);
    const auto before = TestLake::Rows(*index.Main());
    storage::IndexMetadata metadata = index.Metadata();
    const auto schema = source::FromSparkJson(metadata.schema_json);
    // Trade the last range column for a regular index on it: its old cells stay as they are.
    const std::string column = metadata.range.back();
    metadata.range.pop_back();
    metadata.regular.push_back(column);
    metadata.Write(index.layout().metadata());
    const UpdateReport report = index.Update();
    EXPECT_GT(report.files_backfilled, 0);
    for (const FailedFile& file : report.files_failed) ADD_FAILURE() << file.uri << file.error;
    EXPECT_EQ(index.Update().files_backfilled, 0);

    const auto after = TestLake::Rows(*index.Main());
    ASSERT_GE(after->num_rows(), before->num_rows());
    ASSERT_NE(after->GetColumnByName(column), nullptr);
    EXPECT_EQ(after->GetColumnByName(column)->null_count(), 0);
    const auto text = [](const arrow::Table& table, const std::string& name_of, int64_t row) {
      return table.GetColumnByName(name_of)->GetScalar(row).ValueOrDie()->ToString();
    };
    for (int64_t i = 0; i < before->num_rows(); ++i) {
      int64_t same = -1;
      for (int64_t k = 0; k < after->num_rows(); ++k) {
        if (text(*after, "filename", k) == text(*before, "filename", i)) same = k;
      }
      ASSERT_GE(same, 0);
      for (const auto& field : before->schema()->fields()) {
        EXPECT_EQ(text(*after, field->name(), same), text(*before, field->name(), i))
            << field->name();
      }
    }
  }
}

/// A table as text: for each file its cells, arrays sorted, so that two tables of the same contents
/// are equal in whatever order they were written.
std::map<std::string, std::map<std::string, std::vector<std::string>>> Contents(
    const storage::DeltaTable& table) {
  std::map<std::string, std::map<std::string, std::vector<std::string>>> contents;
  const auto rows = TestLake::Rows(table);
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    const auto cell_of = [&](const std::string& column) {
      return rows->GetColumnByName(column)->GetScalar(i).ValueOrDie();
    };
    auto& cells = contents[cell_of("filename")->ToString()];
    for (const auto& field : rows->schema()->fields()) {
      const auto cell = cell_of(field->name());
      std::vector<std::string>& texts = cells[field->name()];
      if (cell->is_valid && cell->type->id() == arrow::Type::LIST) {
        const auto& list = *static_cast<const arrow::ListScalar&>(*cell).value;
        for (int64_t k = 0; k < list.length(); ++k) {
          texts.push_back(list.GetScalar(k).ValueOrDie()->ToString());
        }
      } else {
        texts.push_back(cell->ToString());
      }
    }
  }
  for (auto& [file, cells] : contents) {
    for (auto& [column, texts] : cells) std::sort(texts.begin(), texts.end());
  }
  return contents;
}

TEST(JvmIndex, IsWhatWeBuildOfTheSameFilesInEveryKind) {
  struct Case {
    std::string fixture, index;
    int64_t limit = 500'000;
    bool forget_large = true;
  };
  for (const auto& [fixture, name, limit, forget_large] :
       {Case{"temporal", "ent"}, Case{"temporal", "ent_mixed"}, Case{"temporal", "ent_nested"},
        Case{"exploded", "ev"}, Case{"exploded", "ev3"}, Case{"exploded_empty", "with_exploded"},
        Case{"computed", "ev"}, Case{"large", "ent", 5}, Case{"large", "ev", 5},
        Case{"large", "ent", 5, false}, Case{"large", "ev", 5, false}}) {
    SCOPED_TRACE(fixture + " " + name);
    JvmIndex index(fixture, name);
    index.options().large_index_limit = limit;
    const auto theirs = Contents(*index.Main());
    std::map<std::string, std::map<std::string, std::map<std::string, std::vector<std::string>>>>
        their_large;
    const storage::IndexMetadata metadata = index.Metadata();
    for (const IndexedColumn& column : DeclaredColumns(metadata)) {
      const auto table = storage::DeltaTable::Open(index.layout().large_index(column.column));
      if (table != nullptr) their_large[column.column] = Contents(*table);
    }
    index.ForgetTables(forget_large);
    for (const FailedFile& file : index.Update().files_failed) ADD_FAILURE() << file.error;
    const auto ours = Contents(*index.Main());
    for (const auto& [file, cells] : theirs) {
      for (const auto& [column, texts] : cells) {
        // A file without values has a filter here, and none there.
        if (column.starts_with("auto_bloom_") && texts.front() == "null") continue;
        EXPECT_EQ(ours.at(file).at(column), texts) << file << " " << column;
      }
    }
    for (const auto& [column, files] : their_large) {
      const auto table = storage::DeltaTable::Open(index.layout().large_index(column));
      ASSERT_NE(table, nullptr);
      EXPECT_EQ(Contents(*table), files) << column;
    }
  }
}

}  // namespace
}  // namespace ariadne::build
