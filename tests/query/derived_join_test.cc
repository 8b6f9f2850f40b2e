#include <random>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "ariadne/lake.h"
#include "join_oracle.h"
#include "random_lake.h"
#include "versioned_lake.h"

namespace ariadne {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kWays;
using testing::NewestRows;
using testing::Oracle;
using testing::Rows;
using testing::TempFolder;
using ::testing::UnorderedElementsAre;
using testing::VersionedFiles;
using testing::VersionedRow;
using testing::VersionedSchema;
using testing::Way;
using testing::WriteParquet;

std::shared_ptr<arrow::Table> TableOf(const arrow::FieldVector& fields,
                                      const std::vector<std::string>& columns) {
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < fields.size(); ++i) {
    arrays.push_back(*arrow::json::ArrayFromJSONString(fields[i]->type(), columns[i]));
  }
  return arrow::Table::Make(arrow::schema(fields), arrays);
}

template <typename T>
std::string Json(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "null";
}
std::string Json(const std::optional<std::string>& value) {
  return value ? '"' + *value + '"' : "null";
}

std::string JsonList(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ",") + item;
  return "[" + text + "]";
}

/// A row as a join sees it: with one element of each array that the query names.
struct FlatRow {
  VersionedRow row;
  std::optional<std::string> tag_k;
  std::optional<int32_t> tag_q;
  std::optional<int64_t> number;
};

std::vector<FlatRow> Flat(const std::vector<VersionedRow>& rows, bool tag_k, bool tag_q,
                          bool number) {
  std::vector<FlatRow> flat;
  for (const auto& row : rows) flat.push_back({row, {}, {}, {}});
  const auto explode = [&](const auto& elements_of, const auto& set) {
    std::vector<FlatRow> exploded;
    for (const FlatRow& row : flat) {
      const auto& elements = elements_of(row.row);
      if (!elements) continue;
      for (const auto& element : *elements) {
        exploded.push_back(row);
        set(exploded.back(), element);
      }
    }
    flat = std::move(exploded);
  };
  const auto tags = [](const VersionedRow& row) -> const auto& { return row.tags; };
  if (tag_k) {
    explode(tags, [](FlatRow& row, const auto& tag) {
      if (tag) row.tag_k = tag->k;
    });
  }
  if (tag_q) {
    explode(tags, [](FlatRow& row, const auto& tag) {
      if (tag && tag->q) row.tag_q = *tag->q;
    });
  }
  if (number) {
    explode(
        [](const VersionedRow& row) -> const auto& { return row.numbers; },
        [](FlatRow& row, const auto& element) { row.number = element; });
  }
  return flat;
}

/// The columns that queries here are about: name, id, v, then the exploded ones that are named.
std::shared_ptr<arrow::Table> FlatTable(const std::vector<VersionedRow>& rows, bool tag_k,
                                        bool tag_q, bool number) {
  std::vector<std::vector<std::string>> cells(6);
  for (const FlatRow& row : Flat(rows, tag_k, tag_q, number)) {
    cells[0].push_back(Json(row.row.name));
    cells[1].push_back(Json(row.row.id));
    cells[2].push_back(std::to_string(row.row.v));
    cells[3].push_back(Json(row.tag_k));
    cells[4].push_back(Json(row.tag_q));
    cells[5].push_back(Json(row.number));
  }
  arrow::FieldVector fields = {arrow::field("name", arrow::utf8()),
                               arrow::field("id", arrow::int64()),
                               arrow::field("v", arrow::int64())};
  std::vector<std::string> columns = {JsonList(cells[0]), JsonList(cells[1]), JsonList(cells[2])};
  const auto add = [&](bool named, const char* name, const std::shared_ptr<arrow::DataType>& type,
                       int place) {
    if (!named) return;
    fields.push_back(arrow::field(name, type));
    columns.push_back(JsonList(cells[place]));
  };
  add(tag_k, "tag_k", arrow::utf8(), 3);
  add(tag_q, "tag_q", arrow::int32(), 4);
  add(number, "number", arrow::int64(), 5);
  return TableOf(fields, columns);
}

std::shared_ptr<arrow::Table> RandomKeys(std::mt19937& random) {
  std::vector<std::string> names, ids, ks, qs, numbers, notes;
  const auto some = [&](const std::string& text) { return random() % 6 != 0 ? text : "null"; };
  for (int i = 0, rows = static_cast<int>(random() % 12); i < rows; ++i) {
    names.push_back(some("\"n" + std::to_string(random() % 9) + "\""));
    ids.push_back(some(std::to_string(random() % 8)));
    ks.push_back(some("\"k" + std::to_string(random() % 7) + "\""));
    qs.push_back(some(std::to_string(random() % 7)));
    numbers.push_back(some(std::to_string(random() % 11)));
    notes.push_back(std::to_string(i));
  }
  return TableOf({arrow::field("name", arrow::utf8()), arrow::field("id", arrow::int64()),
                  arrow::field("tag_k", arrow::utf8()), arrow::field("tag_q", arrow::int32()),
                  arrow::field("number", arrow::int64()), arrow::field("note", arrow::int32())},
                 {JsonList(names), JsonList(ids), JsonList(ks), JsonList(qs), JsonList(numbers),
                  JsonList(notes)});
}

/// The columns `on` of the keys, and their note.
std::shared_ptr<arrow::Table> KeysOn(const std::shared_ptr<arrow::Table>& keys,
                                     const std::vector<std::string>& on) {
  std::vector<int> places;
  for (const std::string& column : on) places.push_back(keys->schema()->GetFieldIndex(column));
  places.push_back(keys->schema()->GetFieldIndex("note"));
  return *keys->SelectColumns(places);
}

class DerivedJoinTest : public ::testing::Test {
 protected:
  static void DeclareExploded(Index& index) {
    index.AddExploded("tags", "k", "tag_k");
    index.AddExploded("tags", "p.q", "tag_q");
    index.AddExploded("numbers", "", "number");
  }

  /// Every way to join on `on` gives what the rows give when they are joined one by one.
  void Check(const Index& index, const std::shared_ptr<arrow::Table>& keys,
             const std::vector<std::string>& on, const std::vector<VersionedRow>& rows,
             std::vector<std::string> selected) {
    const auto named = [&](const char* name) {
      return std::count(on.begin(), on.end(), name) +
                 std::count(selected.begin(), selected.end(), name) >
             0;
    };
    const auto lake = FlatTable(rows, named("tag_k"), named("tag_q"), named("number"));
    const auto of_keys = KeysOn(keys, on);
    selected.emplace_back("v");
    for (const Way& way : kWays) {
      JoinOptions options{.on = on, .how = way.how, .keys_left = way.keys_left, .select = selected};
      const auto joined = index.Join(of_keys, options);
      const auto result = testing::ReadAll(*joined.rows);
      EXPECT_EQ(Rows(*result), (Oracle{lake, of_keys, of_keys, options}.Result()))
          << "keys_left " << way.keys_left << ", type " << static_cast<int>(way.how) << ", on "
          << ::testing::PrintToString(on);
    }
  }

  TempFolder folder_;
  VersionedFiles files_{folder_ / "data"};
  Lake lake_{(folder_ / "lake").string()};
  Index index_ = lake_.Create("t", {"parquet", VersionedSchema()});
};

TEST_F(DerivedJoinTest, AnExplodedColumnTakesPartOnlyWhereItIsNamed) {
  DeclareExploded(index_);
  index_.AddRegular("id");
  std::mt19937 random(7);
  files_.AddRandom(random, 5, 25);
  index_.AddFiles({files_.data.folder.string()});
  for (const bool updated : {false, true}) {
    if (updated) index_.Update();
    for (int round = 0; round < 4; ++round) {
      const auto keys = RandomKeys(random);
      const auto rows = files_.Rows();
      Check(index_, keys, {"id"}, rows, {});
      Check(index_, keys, {"id"}, rows, {"tag_k"});
      Check(index_, keys, {"tag_k"}, rows, {});
      Check(index_, keys, {"tag_q", "id"}, rows, {"number"});
      Check(index_, keys, {"number"}, rows, {});
      Check(index_, keys, {"tag_k", "number"}, rows, {});
    }
  }
}

TEST_F(DerivedJoinTest, AnExplodedColumnThatNobodyNamesIsNoColumnOfTheResult) {
  DeclareExploded(index_);
  index_.AddRegular("id");
  files_.Add({VersionedRow{.id = 1, .v = 1}});
  index_.AddFiles({files_.data.folder.string()});
  const auto keys = TableOf({arrow::field("id", arrow::int64())}, {"[1]"});
  const auto result = testing::ReadAll(*index_.Join(keys, {.on = {"id"}}).rows);
  EXPECT_EQ(result->num_rows(), 1);
  EXPECT_THAT(result->ColumnNames(),
              ElementsAre("id", "name", "at", "meta", "tags", "numbers", "v"));
  const auto with = index_.Join(keys, {.on = {"id"}, .select = {"number"}});
  EXPECT_THAT(testing::ReadAll(*with.rows)->ColumnNames(), ElementsAre("id", "number"));
}

/// name, id, v and what is computed of them here: bucket and loud.
std::shared_ptr<arrow::Table> ComputedTable(const std::vector<VersionedRow>& rows) {
  std::vector<std::vector<std::string>> cells(5);
  for (const VersionedRow& row : rows) {
    cells[0].push_back(Json(row.name));
    cells[1].push_back(Json(row.id));
    cells[2].push_back(std::to_string(row.v));
    cells[3].push_back(row.id ? std::to_string(*row.id % 3) : "null");
    cells[4].push_back(row.name ? "\"N" + row.name->substr(1) + "\"" : "null");
  }
  return TableOf({arrow::field("name", arrow::utf8()), arrow::field("id", arrow::int64()),
                  arrow::field("v", arrow::int64()), arrow::field("bucket", arrow::int64()),
                  arrow::field("loud", arrow::utf8())},
                 {JsonList(cells[0]), JsonList(cells[1]), JsonList(cells[2]), JsonList(cells[3]),
                  JsonList(cells[4])});
}

TEST_F(DerivedJoinTest, AComputedColumnIsOneMoreColumnOfTheLake) {
  index_.AddComputed("bucket", "id % 3");
  index_.AddComputed("loud", "upper(name)");
  index_.AddTemporal("name", "at");
  std::mt19937 random(19);
  files_.AddRandom(random, 4, 20);
  index_.AddFiles({files_.data.folder.string()});
  const auto keys =
      TableOf({arrow::field("name", arrow::utf8()), arrow::field("bucket", arrow::int64()),
               arrow::field("loud", arrow::utf8()), arrow::field("note", arrow::int32())},
              {R"(["n1", "n2", null, "n4", "n9"])", "[0, 2, 2, null, 7]",
               R"(["N3", "N2", null, "n1", "N6"])", "[0, 1, 2, 3, 4]"});
  const std::vector<std::vector<std::string>> ons = {
      {"bucket"}, {"loud"}, {"bucket", "loud"}, {"name", "bucket"}, {"name"}};
  for (const bool updated : {false, true}) {
    if (updated) index_.Update();
    for (const auto& on : ons) {
      const bool temporal = on.front() == "name";
      const auto lake =
          ComputedTable(temporal ? NewestRows(files_.Rows(), true, false) : files_.Rows());
      const auto of_keys = KeysOn(keys, on);
      for (const Way& way : kWays) {
        JoinOptions options{.on = on,
                            .how = way.how,
                            .keys_left = way.keys_left,
                            .select = {"id", "v", "name", "loud", "bucket"}};
        const auto joined = index_.Join(of_keys, options);
        const auto result = testing::ReadAll(*joined.rows);
        EXPECT_EQ(Rows(*result), (Oracle{lake, of_keys, of_keys, options}.Result()))
            << "keys_left " << way.keys_left << ", type " << static_cast<int>(way.how) << ", on "
            << ::testing::PrintToString(on);
      }
    }
  }
  const auto all = index_.Join(KeysOn(keys, {"bucket"}), {.on = {"bucket"}});
  EXPECT_THAT(
      all.rows->schema()->field_names(),
      ElementsAre("bucket", "name", "id", "at", "meta", "tags", "numbers", "v", "loud", "note"));
}

TEST_F(DerivedJoinTest, AnExpressionWithoutAColumnIsTheSameInEveryRow) {
  index_.AddComputed("one", "1");
  files_.Add({VersionedRow{.id = 1, .v = 1}, VersionedRow{.id = 2, .v = 2}});
  index_.AddFiles({files_.data.folder.string()});
  index_.Update();
  const auto keys = TableOf({arrow::field("one", arrow::int32())}, {"[1, 2]"});
  const auto joined = index_.Join(keys, {.on = {"one"}, .select = {"v"}});
  EXPECT_EQ(testing::ReadAll(*joined.rows)->num_rows(), 2);
}

TEST_F(DerivedJoinTest, ATemporalColumnLeavesTheNewestRowOfEachKey) {
  std::mt19937 random(11);
  for (const bool nested : {false, true}) {
    Index index = lake_.Create(nested ? "nested" : "plain", {"parquet", VersionedSchema()});
    index.AddTemporal("name", nested ? "meta.changed" : "at");
    index.AddRegular("id");
    index.AddExploded("numbers", "", "number");
    files_.AddRandom(random, 4, 20);
    index.AddFiles({files_.data.folder.string()});
    for (const bool updated : {false, true}) {
      if (updated) index.Update();
      for (int round = 0; round < 4; ++round) {
        const auto keys = RandomKeys(random);
        const auto newest = NewestRows(files_.Rows(), /*by_name=*/true, nested);
        Check(index, keys, {"name"}, newest, {});
        Check(index, keys, {"name", "id"}, newest, {});
        Check(index, keys, {"name"}, newest, {"number"});
        Check(index, keys, {"id"}, files_.Rows(), {});  // Not asked of: every version is there.
      }
    }
  }
}

TEST_F(DerivedJoinTest, SeveralTemporalColumnsAreEachDecidedOverAllRows) {
  index_.AddTemporal("name", "at");
  index_.AddTemporal("id", "meta.changed");
  std::mt19937 random(13);
  files_.AddRandom(random, 5, 12);
  index_.AddFiles({files_.data.folder.string()});
  for (const bool updated : {false, true}) {
    if (updated) index_.Update();
    for (int round = 0; round < 6; ++round) {
      const auto keys = RandomKeys(random);
      const auto all = files_.Rows();
      const auto by_name = NewestRows(all, true, false);
      std::vector<VersionedRow> both;
      for (const auto& row : NewestRows(all, false, true)) {
        const auto same = [&](const auto& other) { return other.v == row.v; };
        if (std::any_of(by_name.begin(), by_name.end(), same)) both.push_back(row);
      }
      Check(index_, keys, {"name", "id"}, both, {});
      Check(index_, keys, {"id"}, NewestRows(all, false, true), {});
    }
  }
}

TEST_F(DerivedJoinTest, AFileRuledOutByAnotherColumnStillSupersedesOlderRows) {
  index_.AddTemporal("name", "at");
  index_.AddRegular("id");
  files_.Add({VersionedRow{.name = "u", .id = 1, .at = 1, .v = 1},
              VersionedRow{.name = "w", .id = 2, .at = 9, .v = 2}});
  files_.Add({VersionedRow{.name = "u", .id = 3, .at = 2, .v = 3}});
  index_.AddFiles({files_.data.folder.string()});
  index_.Update();
  const auto keys =
      TableOf({arrow::field("name", arrow::utf8()), arrow::field("id", arrow::int64())},
              {R"(["u", "w"])", "[1, 2]"});
  const auto joined = index_.Join(keys, {.on = {"name", "id"}, .select = {"v"}});
  const auto result = testing::ReadAll(*joined.rows);
  EXPECT_THAT(Rows(*result), ElementsAre(HasSubstr("w")));
  EXPECT_EQ(joined.located.files.size(), 1U);
}

// Whatever names a join gives to what it adds to rows on the way.
TEST_F(DerivedJoinTest, ColumnsOfTheDataMayHaveAnyNames) {
  const auto tags = arrow::list(arrow::struct_({arrow::field("k", arrow::utf8())}));
  arrow::FieldVector fields = {arrow::field("name", arrow::utf8()),
                               arrow::field("at", arrow::int64()), arrow::field("tags", tags)};
  std::vector<std::string> values = {R"(["u", "w", "u"])", "[1, 2, 3]",
                                     R"([[{"k": "a"}], null, [{"k": "b"}, {"k": "c"}]])"};
  for (const char* name :
       {"file_index", "File_Row_Number", "file_row_number_", "_ariadne_file", "_ariadne_Row",
        "_ariadne_element", "filename", "v", "t", "f", "r", "n", "rid", "j0", "lake", "keys"}) {
    fields.push_back(arrow::field(name, arrow::int64()));
    values.emplace_back("[2, 1, 0]");
  }
  const auto rows = TableOf(fields, values);
  WriteParquet(files_.data.folder / "a.parquet", *rows->Slice(0, 2));
  WriteParquet(files_.data.folder / "b.parquet", *rows->Slice(2));
  Index index = lake_.Create("names", {"parquet", rows->schema()});
  index.AddTemporal("name", "at");
  index.AddExploded("tags", "k", "tag");
  index.AddFiles({files_.data.folder.string()});
  index.Update();
  const auto names = TableOf({arrow::field("name", arrow::utf8())}, {R"(["u", "w"])"});
  const auto newest =
      index.Join(names, {.on = {"name"}, .select = {"file_index", "_ariadne_file"}});
  EXPECT_THAT(Rows(*testing::ReadAll(*newest.rows)),
              UnorderedElementsAre(HasSubstr("'u'|0|0"), HasSubstr("'w'|1|1")));
  const auto keys = TableOf({arrow::field("tag", arrow::utf8())}, {R"(["a", "c"])"});
  const auto exploded = index.Join(keys, {.on = {"tag"}, .select = {"at", "_ariadne_element"}});
  EXPECT_THAT(Rows(*testing::ReadAll(*exploded.rows)),
              UnorderedElementsAre(HasSubstr("'a'|1|2"), HasSubstr("'c'|3|0")));
}

}  // namespace
}  // namespace ariadne
