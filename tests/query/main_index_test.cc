#include "query/main_index.h"

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
#include "random_lake.h"
#include "storage/delta_table.h"
#include "storage/layout.h"

namespace ariadne {
namespace {

using ::testing::Contains;
using testing::DataFiles;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TempFolder;

namespace fs = std::filesystem;

std::shared_ptr<arrow::Array> Times(const std::vector<int64_t>& micros) {
  arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                                  arrow::default_memory_pool());
  EXPECT_TRUE(builder.AppendValues(micros).ok());
  return *builder.Finish();
}

std::shared_ptr<arrow::Table> Rows(const std::vector<int64_t>& ids) {
  arrow::Int64Builder builder;
  EXPECT_TRUE(builder.AppendValues(ids).ok());
  std::vector<int64_t> micros;
  for (const int64_t id : ids) micros.push_back(id * 1'000'000);
  const auto times = Times(micros);
  return arrow::Table::Make(
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("ts", times->type())}),
      {*builder.Finish(), times});
}

class MainIndexTest : public ::testing::Test {
 protected:
  std::string Add(Index& index, const std::vector<int64_t>& ids) {
    const std::string uri = data_.Add(Rows(ids));
    index.AddFiles({data_.path_of[uri]});
    return uri;
  }
  std::vector<std::string> Find(const Index& index, int64_t id) {
    return index.Locate({{"id", Rows({id})->column(0)->chunk(0)}}).files;
  }

  TempFolder folder_;
  DataFiles data_{folder_ / "data"};
  std::string root_ = (folder_ / "lake").string();
  Lake lake_{root_};
  Index index_ = lake_.Create("t", {"parquet", Rows({})->schema()});
};

/// Maps every field of a struct type, nested ones too, to its own name.
void MapFields(nlohmann::json& type, int& id) {
  for (auto& field : type["fields"]) {
    field["metadata"]["delta.columnMapping.id"] = ++id;
    field["metadata"]["delta.columnMapping.physicalName"] = field["name"];
    if (field["type"].is_object() && field["type"]["type"] == "struct") {
      MapFields(field["type"], id);
    }
  }
}

/// Commits a change of protocol by hand that makes the table one for the kernel to read: column
/// mapping, with the names as they are.
void TurnColumnMappingOn(const fs::path& table) {
  int64_t version = 0;
  while (fs::exists(table / "_delta_log" /
                    (std::string(19, '0') + std::to_string(version) + ".json"))) {
    ++version;
  }
  std::ifstream first(table / "_delta_log" / "00000000000000000000.json");
  nlohmann::json meta;
  for (std::string line; std::getline(first, line);) {
    const auto action = nlohmann::json::parse(line);
    if (action.contains("metaData")) meta = action;
  }
  ASSERT_FALSE(meta.is_null());
  auto schema = nlohmann::json::parse(meta["metaData"]["schemaString"].get<std::string>());
  int id = 0;
  MapFields(schema, id);
  meta["metaData"]["schemaString"] = schema.dump();
  meta["metaData"]["configuration"] = {{"delta.columnMapping.mode", "name"},
                                       {"delta.columnMapping.maxColumnId", std::to_string(id)}};
  std::ofstream next(table / "_delta_log" /
                     (std::string(19, '0') + std::to_string(version) + ".json"));
  next << R"({"protocol":{"minReaderVersion":2,"minWriterVersion":5}})"
       << "\n"
       << meta.dump() << "\n";
}

TEST_F(MainIndexTest, ATableForTheKernelGivesTheSameAnswers) {
  index_.AddRegular("id");
  index_.AddRange("ts");
  const std::string one = Add(index_, {1, 5});
  const std::string two = Add(index_, {2});
  index_.Update();
  TurnColumnMappingOn(fs::path(root_) / "indexes" / "t" / "index");
  storage::Stores stores;
  const storage::IndexLayout layout(stores.Resolve("file://" + root_), "t");
  ASSERT_FALSE(storage::DeltaTable::Open(layout.main_index())->is_plain());

  const Index fresh = Lake(root_).Open("t");
  EXPECT_THAT(Find(fresh, 5), ElementsAre(one));
  EXPECT_THAT(Find(fresh, 2), ElementsAre(two));
  EXPECT_THAT(Find(fresh, 9), IsEmpty());
  EXPECT_THAT(fresh.Locate({{"ts", Times({2'000'000})}}).files, Contains(two));
  EXPECT_THAT(fresh.Locate({{"ts", Times({60'000'000})}}).files, IsEmpty());
}

TEST_F(MainIndexTest, TimestampFiltersOfAnUnknownWriterAreMaybeUntilAZoneIsSet) {
  index_.AddBloom("ts", 0.0001);
  const std::string one = Add(index_, {1});
  const std::string two = Add(index_, {2});
  index_.Update();
  const auto find = [&](const std::string& zone) {
    Options options;
    options.token_time_zone = zone;
    return Lake(root_, options).Open("t").Locate({{"ts", Times({1'000'000})}}).files;
  };
  EXPECT_THAT(find(""), ElementsAre(one));
  EXPECT_THAT(find("Asia/Tokyo"), ElementsAre(one)) << "what is recorded outdoes the setting";
  fs::remove_all(fs::path(root_) / "indexes" / "t" / "native");
  EXPECT_THAT(find(""), ::testing::UnorderedElementsAre(one, two));
  EXPECT_THAT(find("UTC"), ElementsAre(one));
}

TEST_F(MainIndexTest, QueriesBesideAWriterNeverMissAFile) {
  index_.AddRegular("id");
  const std::string first = Add(index_, {7});
  index_.Update();
  std::atomic<bool> done = false;
  std::atomic<int> asked = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&, shared = index_] {
      while (!done) {
        EXPECT_THAT(Find(shared, 7), Contains(first));
        ++asked;
      }
    });
  }
  Index writer = Lake(root_).Open("t");
  for (int i = 0; i < 5; ++i) {
    Add(writer, {100 + i});
    writer.Update();
  }
  writer.AddBloom("ts");
  writer.Update();
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_GT(asked, 3);
  EXPECT_THAT(Find(index_, 7), ElementsAre(first));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Find(index_, 100 + i).size(), 1U);
}

TEST_F(MainIndexTest, IndexFilesThatARewriteReplacedAreNotNeeded) {
  index_.AddRegular("id");
  Add(index_, {1});
  index_.Update();
  const Index reader = Lake(root_).Open("t");
  EXPECT_EQ(Find(reader, 1).size(), 1U);
  index_.AddRange("ts");
  index_.Update();
  storage::Stores stores;
  const storage::IndexLayout layout(stores.Resolve("file://" + root_), "t");
  const auto table = storage::DeltaTable::Open(layout.main_index());
  std::set<std::string> live;
  for (const auto& file : table->files()) live.insert(file.path);
  for (const auto& entry : fs::directory_iterator(fs::path(root_) / "indexes" / "t" / "index")) {
    if (entry.is_regular_file() && !live.contains(entry.path().filename().string())) {
      fs::remove(entry.path());
    }
  }
  EXPECT_EQ(Find(reader, 1).size(), 1U);
  EXPECT_THAT(Find(reader, 2), IsEmpty());
}

}  // namespace
}  // namespace ariadne
