// Pages of which no row is wanted are not read, and what is read is what the rows in memory are.

#include <arrow/array/array_nested.h>
#include <arrow/array/util.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "ariadne/errors.h"
#include "rowgroup/index_store.h"
#include "scan/deleted_rows.h"
#include "scan/row_group_indexing.h"
#include "storage/object_store.h"
#include "temp_lake.h"

namespace ariadne::engine {
namespace {

int Rounds(int usual) {
  const char* more = std::getenv("ARIADNE_RANDOM_ROUNDS");
  return more == nullptr ? usual : std::atoi(more);
}

int Pick(std::mt19937& random, int end) {
  return std::uniform_int_distribution<int>(0, end - 1)(random);
}

/// Rows of every kind of column. `id` is the row; `c` keeps its value for some hundred rows.
std::shared_ptr<arrow::Table> TableOfKinds(Session& session, int rows, int seed) {
  const auto number = [seed](const std::string& column, int64_t end) {
    return "(hash(r, '" + column + "', " + std::to_string(seed) + ") % " + std::to_string(end) +
           ")::BIGINT";
  };
  const auto sometimes = [&](const std::string& column, const std::string& value, int percent) {
    return "CASE WHEN " + number(column + " null", 100) + " >= " + std::to_string(percent) +
           " THEN " + value + " END";
  };
  const auto as = [](const std::string& value, const std::string& name) {
    return value + " AS " + name + ", ";
  };
  const std::string pair = "{'k': 'k' || (" + number("k", 9) + " + e), 'v': CASE WHEN e % 3 > 0 " +
                           "THEN r * 10 + e END, 'w': {'x': e::DOUBLE / 3, 'y': 'y' || r}}";
  const auto some = [&](const std::string& column, const std::string& element) {
    return sometimes(
        column, "list_transform(range(" + number(column, 4) + "), lambda e: " + element + ")", 10);
  };
  const std::string sql =
      "SELECT " + as("r", "id") + as(sometimes("i", number("i", 1000) + "::INTEGER", 20), "i") +
      as("'c' || (r // 300)", "c") + as(sometimes("s", "'s' || " + number("s", 50), 10), "s") +
      as("'a text of its own ' || r", "u") + as(number("x", 1000) + "::DOUBLE / 7", "x") +
      as(sometimes("f", number("f", 30) + "::FLOAT", 50), "f") +
      as(sometimes("m", "(r / 4)::DECIMAL(9, 2)", 5), "m") +
      as("(r * 1000000007::HUGEINT * 1000000007)::DECIMAL(30, 3)", "w") +
      as("encode('b' || " + number("b", 5000) + ")", "b") +
      as(sometimes("flag", number("flag", 2) + " = 1", 30), "flag") +
      as("DATE '2020-01-01' + (r // 50)::INTEGER", "d") +
      as("TIMESTAMPTZ '2020-01-01 00:00:00+00' + to_seconds(r)", "t") + as("NULL::BIGINT", "none") +
      as(sometimes("st",
                   "{'a': " + sometimes("a", number("a", 100), 10) + ", 'b': 'b' || r, " +
                       "'c': {'d': r % 7, 'l': range(r % 3)}}",
                   15),
         "st") +
      as(some("l", "r + e"), "l") + as(some("ls", pair), "ls") +
      as(some("ll", "range(r, r + e)"), "ll") + "map_from_entries(" +
      some("mp", "{'k': 'm' || e, 'v': r - e}") + ") AS mp" + " FROM range(" +
      std::to_string(rows) + ") rows(r)";
  return session.Query(sql)->ToTable().ValueOrDie();
}

std::shared_ptr<parquet::WriterProperties> RandomProperties(std::mt19937& random) {
  parquet::WriterProperties::Builder builder;
  builder.data_pagesize(1 << (8 + Pick(random, 8)))
      ->max_rows_per_page(100 << Pick(random, 7))
      ->write_batch_size(16 << Pick(random, 7))
      ->data_page_version(Pick(random, 2) ? parquet::ParquetDataPageVersion::V1
                                          : parquet::ParquetDataPageVersion::V2);
  const parquet::Compression::type codecs[] = {
      parquet::Compression::UNCOMPRESSED, parquet::Compression::SNAPPY, parquet::Compression::ZSTD};
  builder.compression(codecs[Pick(random, 3)]);
  if (Pick(random, 3) == 0) {
    // After some pages no more values go to the dictionary.
    builder.dictionary_pagesize_limit(2000);
  } else if (Pick(random, 2) == 0) {
    builder.disable_dictionary();
    if (Pick(random, 2) == 0) {
      builder.encoding("id", parquet::Encoding::DELTA_BINARY_PACKED)
          ->encoding("i", parquet::Encoding::DELTA_BINARY_PACKED)
          ->encoding("u", parquet::Encoding::DELTA_BYTE_ARRAY)
          ->encoding("s", parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY)
          ->encoding("x", parquet::Encoding::BYTE_STREAM_SPLIT)
          ->encoding("flag", parquet::Encoding::RLE);
    }
  }
  return builder.build();
}

std::string RandomCondition(std::mt19937& random, int rows) {
  const auto row = [&] { return std::to_string(Pick(random, rows + rows / 10)); };
  switch (Pick(random, 14)) {
    case 0:
      return "id = " + row();
    case 1:
      return "id IN (" + row() + ", " + row() + ", " + row() + ")";
    case 2:
      return "u = 'a text of its own ' || " + row();
    case 3: {
      const int from = Pick(random, rows);
      return "id BETWEEN " + std::to_string(from) + " AND " +
             std::to_string(from + Pick(random, 2000));
    }
    case 4:
      return "c = 'c' || (" + row() + " // 300)";
    case 5:
      return "i = " + std::to_string(Pick(random, 1000));
    case 6:
      return "st.a = " + std::to_string(Pick(random, 100));
    case 7:
      return "d = DATE '2020-01-01' + (" + row() + " // 50)::INTEGER";
    case 8:
      return "t >= TIMESTAMPTZ '2020-01-01 00:00:00+00' + to_seconds(" + row() + ")";
    case 9:
      return "s = 's" + std::to_string(Pick(random, 50)) + "'";
    case 10:
      return "t IN (SELECT t FROM whole WHERE id % 5003 = " + std::to_string(Pick(random, 50)) +
             ")";
    case 11:
      return "(u, x) IN (SELECT (u, x) FROM whole WHERE id IN (" + row() + ", " + row() + "))";
    case 12:
      return "x IN (SELECT x FROM whole WHERE i = " + std::to_string(Pick(random, 1000)) + ")";
    default:
      return "(" + RandomCondition(random, rows) + (Pick(random, 3) ? " AND " : " OR ") +
             RandomCondition(random, rows) + ")";
  }
}

scan::RowGroupIndexing Everything() {
  scan::RowGroupIndexing indexing;
  indexing.store = rowgroup::IndexStore::Make();
  indexing.columns = {.bloom = true, .range = true};
  return indexing;
}

TEST(PageSkipping, GivesTheRowsInMemory) {
  const std::vector<std::string> projections = {
      "*",           "count(*)",    "id, ls", "st.b, st.c.l, mp", "x, l, u, flag",
      "ll, w, none", "ls[1].w.y, i"};
  for (int seed = 0; seed < Rounds(25); ++seed) {
    std::mt19937 random(seed);
    SessionOptions options;
    options.memory_bytes = 512 << 20;
    options.threads = 2;
    if (Pick(random, 2))
      options.row_groups = std::make_shared<scan::RowGroupIndexing>(Everything());
    Session session(options, std::make_shared<storage::Stores>());
    TempLake lake;
    const int rows = 2000 + Pick(random, 20'000);
    const auto table = TableOfKinds(session, rows, seed);
    lake.WriteParquet("a.parquet", *table, rows / (1 + Pick(random, 3)) + 1, false,
                      RandomProperties(random));
    auto files = lake.Files({"a.parquet"}, table->schema());
    session.RegisterTable("whole", table);
    std::string left = "whole";
    if (Pick(random, 3) == 0) {
      std::vector<int64_t> deleted;
      const int kept = 2 + Pick(random, 3000);
      for (int row = 0; row < rows; ++row) {
        if (row % kept != 1 && row / 500 % 2 == 0) deleted.push_back(row);
      }
      files->files[0].deleted_rows = std::make_shared<scan::DeletedRows>(deleted);
      left = "(SELECT * FROM whole WHERE NOT (id % " + std::to_string(kept) +
             " <> 1 AND id // 500 % 2 = 0))";
    }
    session.RegisterFiles("lake", files);
    for (int i = 0; i < 15; ++i) {
      const std::string select =
          "SELECT " + projections[Pick(random, projections.size())] + " FROM ";
      const std::string where = " WHERE " + RandomCondition(random, rows);
      EXPECT_EQ(Rows(session, select + "lake" + where), Rows(session, select + left + where))
          << "seed " << seed << ": " << select << "lake" << where;
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(PageSkipping, ReadsThePagesOfTheRowsThatAreWanted) {
  const auto stores = std::make_shared<storage::Stores>();
  SessionOptions options;
  options.threads = 1;
  Session session(options, stores);
  TempLake lake;
  const auto table = TableOfKinds(session, 40'000, 1);
  parquet::WriterProperties::Builder builder;
  builder.max_rows_per_page(500)->write_batch_size(100)->disable_dictionary();
  lake.WriteParquet("a.parquet", *table, 40'000, false, builder.build());
  session.RegisterFiles("lake", lake.Files({"a.parquet"}, table->schema()));
  session.RegisterTable("truth", table);
  const auto read = [&](const std::string& columns, const std::string& condition) {
    const int64_t before = stores->counters().bytes_read;
    const auto rows = Rows(session, "SELECT " + columns + " FROM lake WHERE " + condition);
    const int64_t bytes = stores->counters().bytes_read - before;
    EXPECT_EQ(rows, Rows(session, "SELECT " + columns + " FROM truth WHERE " + condition));
    return bytes;
  };
  const std::string flat = "i, c, s, u, x, f, m, w, b, flag, d, t, st.a, st.b, st.c.d";
  const int64_t of_id = read("id", "id = 100");
  const int64_t of_all = read(flat, "true");
  // Of 80 pages those of one vector of 2,048 rows.
  for (const std::string row : {"100", "20499", "39999"}) {
    EXPECT_LT(read("id, " + flat, "id = " + row) - of_id, of_all / 8) << row;
  }
  // A list of values, and a join's keys, leave rows out as a comparison does.
  const std::string listed = "id IN (100, 20499)";
  EXPECT_LT(read("id, " + flat, listed) - of_id, of_all / 5);
  EXPECT_LT(
      read("id, " + flat, "u IN (SELECT u FROM truth WHERE " + listed + ")") - read("u", "true"),
      of_all / 6);
  // Of a list only the smallest column is read to the end before the first row that is wanted, and
  // all of them after it.
  EXPECT_LT(read("ls", "id = 39999") - of_id, (read("ls", "true") - of_id) / 2);
}

/// Rows of which columns have no type in the file, as writers give those that are NULL throughout;
/// they are declared as integers.
class ColumnsOfNoType : public ::testing::Test {
 protected:
  static constexpr int kRows = 50'000;

  ColumnsOfNoType() {
    truth_ = session_
                 ->Query(
                     "SELECT r AS id, NULL::INTEGER AS x, CASE WHEN r % 5 > 0 THEN {'a': r, "
                     "'n': NULL::INTEGER} END AS s, [{'x': NULL::INTEGER, 'y': r}, {'x': NULL, "
                     "'y': -r}][1:r % 3] AS l FROM range(" +
                     std::to_string(kRows) + ") t(r)")
                 ->ToTable()
                 .ValueOrDie()
                 ->CombineChunks()
                 .ValueOrDie();
    const auto array = [&](int column) { return truth_->column(column)->chunk(0); };
    const auto& s = static_cast<const arrow::StructArray&>(*array(2));
    const auto& l = static_cast<const arrow::ListArray&>(*array(3));
    const auto& element = static_cast<const arrow::StructArray&>(*l.values());
    const auto nulls = [](int64_t count) {
      return arrow::MakeArrayOfNull(arrow::null(), count).ValueOrDie();
    };
    const auto structs = arrow::StructArray::Make(
        arrow::ArrayVector{nulls(element.length()), element.field(1)},
        std::vector<std::string>{"x", "y"}, element.null_bitmap(), element.null_count());
    const auto list_type = arrow::list((*structs)->type());
    const arrow::ArrayVector columns = {
        array(0), nulls(kRows),
        *arrow::StructArray::Make(arrow::ArrayVector{s.field(0), nulls(kRows)},
                                  std::vector<std::string>{"a", "n"}, s.null_bitmap(),
                                  s.null_count()),
        std::make_shared<arrow::ListArray>(list_type, kRows, l.value_offsets(), *structs,
                                           l.null_bitmap(), l.null_count())};
    arrow::FieldVector fields;
    for (int i = 0; i < truth_->num_columns(); ++i) {
      fields.push_back(arrow::field(truth_->field(i)->name(), columns[i]->type()));
    }
    parquet::WriterProperties::Builder builder;
    builder.disable_dictionary()->max_rows_per_page(1000)->write_batch_size(200);
    lake_.WriteParquet("a.parquet", *arrow::Table::Make(arrow::schema(fields), columns), kRows,
                       false, builder.build());
    session_->RegisterTable("truth", truth_);
    session_->RegisterFiles("lake", lake_.Files({"a.parquet"}, truth_->schema()));
  }

  TempLake lake_;
  std::unique_ptr<Session> session_ = OpenSession();
  std::shared_ptr<arrow::Table> truth_;
};

TEST_F(ColumnsOfNoType, ArePassedOver) {
  for (const std::string condition :
       {"id = 40000", "id IN (40000, 40007, 40700)", "id >= 49950", "id % 9001 = 5", "s.a = 30001",
        "id IN (SELECT id + 1 FROM truth WHERE id % 10007 = 0)"}) {
    for (const std::string columns : {"x", "s", "l", "s.n, id", "x, s.a, l"}) {
      const std::string select = "SELECT " + columns + " FROM ";
      EXPECT_EQ(Rows(*session_, select + "lake WHERE " + condition),
                Rows(*session_, select + "truth WHERE " + condition))
          << select << condition;
    }
  }
}

TEST_F(ColumnsOfNoType, OfWhichListsLoseRowsAreAnError) {
  // The levels that say which elements begin a row: those of `l.x` have a page's fewest bytes.
  const auto footer = parquet::ParquetFileReader::OpenFile(lake_.Path("a.parquet"))->metadata();
  const auto chunk = footer->RowGroup(0)->ColumnChunk(4);
  ASSERT_EQ(chunk->path_in_schema()->ToDotString(), "l.list.element.x");
  std::fstream file(lake_.Path("a.parquet"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(chunk->data_page_offset() + 50);
  file.write(std::string(8, '\xFF').data(), 8);
  file.close();
  for (const std::string columns : {"l", "count(l), sum(len(l))"}) {
    try {
      Rows(*session_, "SELECT " + columns + " FROM lake WHERE id >= 49000");
      ADD_FAILURE() << columns;
    } catch (const QueryError& error) {
      EXPECT_NE(std::string(error.what()).find("a.parquet\": Column \"l\" has fewer rows"),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace ariadne::engine
