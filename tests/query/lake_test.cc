#include "ariadne/lake.h"

#include <fstream>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "random_lake.h"
#include "source/file_uri.h"

namespace ariadne {
namespace {

using testing::DataFiles;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LakeSchema;
using testing::RandomRows;
using testing::TempFolder;

namespace fs = std::filesystem;

template <typename E, typename Call>
std::string MessageOf(const Call& call) {
  try {
    call();
  } catch (const E& e) {
    return e.what();
  }
  ADD_FAILURE() << "no error, or another one";
  return "";
}

/// Everything below a folder with its bytes: to prove that nothing was written.
std::map<std::string, std::string> Contents(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::string& bytes = contents[entry.path().string()];
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  return contents;
}

class LakeTest : public ::testing::Test {
 protected:
  Index Create(const std::string& name = "t") {
    return lake_.Create(name, {"parquet", LakeSchema()});
  }
  std::string AddFile(Index& index, int rows = 5) {
    const std::string uri = data_.Add(RandomRows(rows, random_));
    index.AddFiles({data_.path_of[uri]});
    return uri;
  }

  TempFolder folder_;
  fs::path root_ = folder_ / "lake";
  DataFiles data_{folder_ / "data"};
  Lake lake_{root_.string()};
  std::mt19937 random_{7};
};

TEST_F(LakeTest, CreatingTwiceOpensTheIndexThatIsThere) {
  Create().AddRegular("id");
  EXPECT_THAT(Create().columns(), ElementsAre(IndexedColumn{IndexedColumn::Kind::kRegular, "id"}));
  EXPECT_TRUE(lake_.Exists("t"));
  EXPECT_TRUE(lake_.Open("t").schema()->Equals(*LakeSchema()));
  EXPECT_EQ(lake_.Open("t").format(), "parquet");
}

TEST_F(LakeTest, AnotherSchemaIsRefusedWithTheFirstDifference) {
  Create();
  const auto with = [&](const std::string& name, const std::shared_ptr<arrow::DataType>& type) {
    auto schema = LakeSchema();
    const int at = schema->GetFieldIndex(name);
    return at < 0 ? *schema->AddField(0, arrow::field(name, type))
                  : *schema->SetField(at, arrow::field(name, type));
  };
  const auto create = [&](const std::shared_ptr<arrow::Schema>& schema) {
    return [this, schema] { (void)lake_.Create("t", {"parquet", schema}); };
  };
  EXPECT_THAT(MessageOf<SchemaMismatch>(create(with("id", arrow::int32()))),
              HasSubstr("column \"id\" is bigint in the index and int in the given schema"));
  EXPECT_THAT(MessageOf<SchemaMismatch>(create(with("more", arrow::int32()))),
              HasSubstr("\"more\""));
  EXPECT_THAT(MessageOf<SchemaMismatch>(create(*LakeSchema()->RemoveField(0))),
              HasSubstr("lacks column \"id\""));
  // Nullability is no difference: files do not keep to it.
  const auto strict =
      *LakeSchema()->SetField(0, arrow::field("id", arrow::int64(), /*nullable=*/false));
  EXPECT_NO_THROW((void)lake_.Create("t", {"parquet", strict}));
}

TEST_F(LakeTest, DefinitionsThatCannotBeMeantAreRefused) {
  EXPECT_THROW((void)lake_.Create("t", {"orc", LakeSchema()}), InvalidArgument);
  EXPECT_THROW((void)lake_.Create("t", {"parquet", nullptr}), InvalidArgument);
  EXPECT_THROW((void)lake_.Create("t", {"parquet", arrow::schema(arrow::FieldVector{})}),
               InvalidArgument);
  const auto twice =
      arrow::schema({arrow::field("a", arrow::int32()), arrow::field("a", arrow::int32())});
  EXPECT_THROW((void)lake_.Create("t", {"parquet", twice}), InvalidArgument);
  for (const char* name : {"", "  ", "a/b", "a\\b", "..", ".hidden"}) {
    EXPECT_THROW((void)lake_.Create(name, {"parquet", LakeSchema()}), InvalidArgument) << name;
  }
  EXPECT_FALSE(fs::exists(root_));
}

TEST_F(LakeTest, AnIndexThatIsNotThereIsToldWithThoseThatAre) {
  EXPECT_THROW((void)lake_.Open("t"), IndexNotFound);
  Create("one");
  Create("naïve name");
  EXPECT_THAT(MessageOf<IndexNotFound>([&] { (void)lake_.Open("t"); }), HasSubstr("one"));
  EXPECT_THAT(lake_.List(), ElementsAre("naïve name", "one"));
  EXPECT_FALSE(lake_.Exists("t"));
  EXPECT_THROW(lake_.Remove("t"), IndexNotFound);
  EXPECT_THROW((void)lake_.Describe("t"), IndexNotFound);
}

TEST_F(LakeTest, ARemovedIndexLeavesNothingBehindAndNoDataFileIsTouched) {
  Index index = Create();
  index.AddRegular("id");
  const std::string uri = AddFile(index);
  index.Update();
  lake_.Remove("t");
  EXPECT_THAT(lake_.List(), IsEmpty());
  EXPECT_FALSE(fs::exists(root_ / "indexes" / "t"));
  EXPECT_FALSE(fs::exists(root_ / "filelists" / "[ariadne_index] t"));
  EXPECT_TRUE(fs::exists(data_.path_of[uri]));
  EXPECT_THROW((void)index.columns(), IndexNotFound);
  EXPECT_THROW((void)index.AddFiles({data_.path_of[uri]}), IndexNotFound);
  EXPECT_THAT(Create().Files(), IsEmpty());
}

TEST_F(LakeTest, LeftoversOfARemovedIndexStopANewOneUntilTheyAreRemoved) {
  Index index = Create();
  index.AddRegular("id");
  AddFile(index);
  index.Update();
  fs::remove(root_ / "indexes" / "t" / "metadata.json");
  EXPECT_THAT(lake_.List(), IsEmpty());
  EXPECT_THROW(Create(), IndexAlreadyExists);
  lake_.Remove("t");
  EXPECT_FALSE(fs::exists(root_ / "indexes" / "t"));
  EXPECT_THAT(Create().Files(), IsEmpty());

  AddFile(index);
  fs::remove_all(root_ / "indexes" / "t");
  EXPECT_THROW(Create(), IndexAlreadyExists);
  lake_.Remove("t");
  EXPECT_FALSE(fs::exists(root_ / "filelists" / "[ariadne_index] t"));
}

TEST_F(LakeTest, AddingAFileTwiceInAnySpellingTracksItOnce) {
  Index index = Create();
  const std::string uri = AddFile(index);
  const std::string path = data_.path_of[uri];
  const AddReport again = index.AddFiles({path, uri, "file:" + uri.substr(7)});
  EXPECT_EQ(again.added, 0);
  EXPECT_EQ(again.already_tracked, 1);
  ASSERT_EQ(index.Files().size(), 1U);
  EXPECT_EQ(index.Files()[0].uri, uri);
  EXPECT_FALSE(index.Files()[0].indexed);
  EXPECT_GT(index.Files()[0].added_at_us, 0);
  index.AddRegular("id");
  index.Update();
  EXPECT_TRUE(index.Files()[0].indexed);
}

TEST_F(LakeTest, AFolderOrGlobIsExpandedWhenAdded) {
  Index index = Create();
  for (int i = 0; i < 3; ++i) data_.Add(RandomRows(2, random_));
  EXPECT_EQ(index.AddFiles({data_.folder.string()}).added, 3);
  const AddReport glob = index.AddFiles({(data_.folder / "*.parquet").string()});
  EXPECT_EQ(glob.added, 0);
  EXPECT_EQ(glob.already_tracked, 3);
}

TEST_F(LakeTest, WhereOneNameIsWrongNoFileIsAdded) {
  Index index = Create();
  const std::string uri = data_.Add(RandomRows(2, random_));
  EXPECT_THROW((void)index.AddFiles({data_.path_of[uri], (folder_ / "nothing").string()}),
               FileNotFound);
  EXPECT_THAT(index.Files(), IsEmpty());
}

TEST_F(LakeTest, OpeningAndAskingWriteNothing) {
  Index index = Create();
  index.AddRegular("id");
  index.AddBloom("number");
  AddFile(index);
  index.Update();
  AddFile(index);
  const auto before = Contents(root_);
  const Lake reader(root_.string());
  const Index opened = reader.Open("t");
  (void)opened.columns();
  (void)opened.Files();
  arrow::Int64Builder one;
  ASSERT_TRUE(one.Append(1).ok());
  (void)opened.Locate({{"id", *one.Finish()}});
  (void)reader.Describe("t");
  (void)reader.List();
  Index same = reader.Open("t");
  same.AddRegular("id");
  EXPECT_EQ(Contents(root_), before);
}

TEST_F(LakeTest, AReadOnlyRootIsAnswered) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  Index index = Create();
  index.AddRegular("id");
  AddFile(index);
  index.Update();
  fs::permissions(root_, fs::perms::owner_write, fs::perm_options::remove);
  EXPECT_EQ(Lake(root_.string()).Open("t").Files().size(), 1U);
  fs::permissions(root_, fs::perms::owner_write, fs::perm_options::add);
}

TEST_F(LakeTest, DescribeCountsFilesAndSaysWhatIsIndexed) {
  Index index = Create();
  index.AddRegular("id");
  index.AddBloom("na me", 0.02);
  AddFile(index);
  AddFile(index);
  index.Update();
  AddFile(index);
  const IndexSummary summary = lake_.Describe("t");
  EXPECT_EQ(summary.tracked_files, 3);
  EXPECT_EQ(summary.indexed_files, 2);
  EXPECT_GT(summary.total_indexed_bytes, 0);
  EXPECT_EQ(summary.columns, index.columns());
  EXPECT_EQ(summary.columns.size(), 2U);
  EXPECT_EQ(summary.metadata_version, 10);
  EXPECT_EQ(summary.storage_format_version, 3);
}

TEST_F(LakeTest, TheSchemaOfALakeIsThatOfItsFirstFileAndItsFolders) {
  for (const char* part : {"k=1", "k=2.5", "k=__HIVE_DEFAULT_PARTITION__"}) {
    testing::WriteParquet(folder_ / "parts" / part / "d=2024-01-01" / "a.parquet",
                          *RandomRows(1, random_));
  }
  const auto schema = lake_.InferSchema((folder_ / "parts").string());
  ASSERT_EQ(schema->num_fields(), LakeSchema()->num_fields() + 2);
  EXPECT_TRUE(schema->GetFieldByName("k")->type()->Equals(*arrow::float64()));
  EXPECT_TRUE(schema->GetFieldByName("d")->type()->Equals(*arrow::date32()));
  EXPECT_TRUE(schema->GetFieldByName("id")->type()->Equals(*arrow::int64()));
  EXPECT_THROW((void)lake_.InferSchema((folder_ / "none").string()), FileNotFound);
}

TEST_F(LakeTest, TablesAreReadFromParquetAndCsv) {
  const auto rows = RandomRows(9, random_);
  testing::WriteParquet(folder_ / "k eys.parquet", *rows);
  const auto read = lake_.ReadTable((folder_ / "k eys.parquet").string());
  EXPECT_EQ(testing::Rows(*read), testing::Rows(*rows));
  std::ofstream(folder_ / "keys.csv") << "id,name\n1,a\n2,\"b,c\"\n";
  const auto csv = lake_.ReadTable((folder_ / "keys.csv").string());
  EXPECT_EQ(csv->num_rows(), 2);
  EXPECT_EQ(csv->schema()->field(1)->name(), "name");
  EXPECT_THROW((void)lake_.ReadTable((folder_ / "none.csv").string()), FileNotFound);
  std::ofstream(folder_ / "broken.parquet") << "no parquet";
  EXPECT_THROW((void)lake_.ReadTable((folder_ / "broken.parquet").string()), InvalidFile);
}

}  // namespace
}  // namespace ariadne
