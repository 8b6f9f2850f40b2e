#include "random_files.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace ariadne::engine {

namespace {

using arrow::field;
using Texts = std::vector<std::string>;

int Pick(std::mt19937& random, int end) {
  return std::uniform_int_distribution<int>(0, end - 1)(random);
}
const std::string& Pick(std::mt19937& random, const Texts& texts) {
  return texts[Pick(random, static_cast<int>(texts.size()))];
}

// Values as JSON, and as SQL: chosen to sit at the edges of what statistics can prove.
const Texts kDoubles = {"NaN", "-0.0", "0.0", "1.5", "-1.5", "Inf", "-Inf", "16777216", "0.25"};
const Texts kDoublesSql = {"'nan'::DOUBLE", "-0.0::DOUBLE",  "0.0::DOUBLE", "1.5::DOUBLE",
                           "-1.5::DOUBLE",  "'inf'::DOUBLE", "0.1::DOUBLE", "16777217::DOUBLE"};
const Texts kTexts = {"\"\"",     "\"a\"", "\"abcdefgh1\"", "\"abcdefgh2\"", "\"abcdefghijk\"",
                      "\"日本\"", "\"é\"", "\"zz\"",        "\"a\\u0000b\""};
const Texts kTextsSql = {"''",     "'a'", "'abcdefgh1'", "'abcdefgh15'",
                         "'日本'", "'é'", "'zz'",        "'b'"};
const Texts kDecimals = {"\"0.0000\"", "\"1.2500\"", "\"-3.1000\"", "\"99999.9900\"", "\"1.0000\""};
const Texts kDecimalsSql = {"0", "1.25", "1.2499", "1.2501", "-3.1", "99999.99", "123456789.5"};
const Texts kTimes = {"0", "-1000", "1700000000123000", "-62135596800000000", "86400000000"};
const Texts kTimesSql = {"1970-01-01 00:00:00", "1969-12-31 23:59:59.999",
                         "2023-11-14 22:13:20.123", "2023-11-14 22:13:20.1235",
                         "0001-01-01 00:00:00"};

std::shared_ptr<arrow::Schema> DeclaredSchema() {
  return arrow::schema({
      field("id", arrow::int64()),
      field("i", arrow::int32()),
      field("x", arrow::float64()),
      field("f", arrow::float32()),
      field("m", arrow::decimal128(20, 4)),
      field("s", arrow::utf8()),
      field("b", arrow::binary()),
      field("d", arrow::date32()),
      field("t", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
      field("n", arrow::timestamp(arrow::TimeUnit::MICRO)),
      field("flag", arrow::boolean()),
      field("l", arrow::list(arrow::int64())),
      field("st", arrow::struct_({field("x", arrow::float64()), field("y", arrow::utf8()),
                                  field("z", arrow::int64())})),
      field("ls",
            arrow::list(arrow::struct_({field("k", arrow::int64()), field("v", arrow::utf8())}))),
      field("mp", arrow::map(arrow::utf8(), arrow::int64())),
      field("p", arrow::utf8()),
      field("q", arrow::int32()),
  });
}

std::string Column(int rows, const std::function<std::string(int)>& value) {
  std::string json = "[";
  for (int i = 0; i < rows; ++i) json += (i ? "," : "") + value(i);
  return json + "]";
}

// What one file holds: JSON of a declared column.
class ColumnMaker {
 public:
  ColumnMaker(std::mt19937& random, int rows, int first_id)
      : random_(random), rows_(rows), first_id_(first_id) {}

  std::string Make(const std::string& name) {
    if (name == "id") return Column(rows_, [&](int i) { return std::to_string(first_id_ + i); });
    // Narrow ranges let statistics rule row groups out.
    base_ = Pick(random_, 5) * 20;
    nulls_ = Pick(random_, 3) == 0 ? 100 : Pick(random_, 2) * 20;
    return Column(rows_, [&](int) { return Maybe(name); });
  }

 private:
  std::string Maybe(const std::string& name) {
    return Pick(random_, 100) < nulls_ ? "null" : Value(name);
  }
  std::string Integer() { return std::to_string(base_ + Pick(random_, 20)); }

  std::string Value(const std::string& name) {
    if (name == "i" || name == "d") return Integer();
    if (name == "x" || name == "f") return Pick(random_, kDoubles);
    if (name == "m") return Pick(random_, kDecimals);
    if (name == "s" || name == "b") return Pick(random_, kTexts);
    if (name == "t" || name == "n") return Pick(random_, kTimes);
    if (name == "flag") return Pick(random_, 2) ? "true" : "false";
    if (name == "l") return Column(Pick(random_, 3), [&](int) { return Integer(); });
    if (name == "st") {
      return "{\"x\":" + (Pick(random_, 4) ? Pick(random_, kDoubles) : "null") +
             ",\"y\":" + Pick(random_, kTexts) + ",\"z\":" + Integer() + "}";
    }
    if (name == "ls") {
      return Column(Pick(random_, 3), [&](int) {
        return "{\"k\":" + Integer() + ",\"v\":" + Pick(random_, kTexts) + "}";
      });
    }
    return Column(Pick(random_, 2), [&](int) { return "[\"k\"," + Integer() + "]"; });
  }

  std::mt19937& random_;
  int rows_;
  int first_id_;
  int base_ = 0;
  int nulls_ = 0;
};

std::shared_ptr<arrow::Array> CastTo(const std::shared_ptr<arrow::Array>& array,
                                     const std::shared_ptr<arrow::DataType>& type) {
  return arrow::compute::Cast(*array, type).ValueOrDie();
}

// A struct without its last field.
std::shared_ptr<arrow::Array> DropLastField(const std::shared_ptr<arrow::Array>& array) {
  const auto& whole = static_cast<const arrow::StructArray&>(*array);
  arrow::FieldVector fields = whole.type()->fields();
  arrow::ArrayVector children = whole.fields();
  fields.pop_back();
  children.pop_back();
  return std::make_shared<arrow::StructArray>(arrow::struct_(fields), whole.length(), children,
                                              whole.null_bitmap(), whole.null_count());
}

bool AllNull(const arrow::Array& array) { return array.null_count() == array.length(); }

// Another way to store a column that must read the same. nullptr: leave it out.
std::shared_ptr<arrow::Array> Degrade(const std::string& name,
                                      const std::shared_ptr<arrow::Array>& array,
                                      std::mt19937& random) {
  if (name != "id" && AllNull(*array) && Pick(random, 2)) return nullptr;
  const int way = Pick(random, 4);
  if (way == 0) return array;
  if (name == "id") return CastTo(array, way == 1 ? arrow::int32() : arrow::int16());
  if (name == "i") return CastTo(array, way == 1 ? arrow::int16() : arrow::int8());
  // 16777216, the infinities and NaN are floats as well.
  if (name == "x") return CastTo(array, arrow::float32());
  if (name == "m")
    return CastTo(array, way == 1 ? arrow::decimal128(9, 2) : arrow::decimal128(18, 4));
  if (name == "s") return CastTo(array, arrow::binary());
  if (name == "b") return CastTo(array, arrow::utf8());
  if (name == "t" || name == "n") {
    const auto unit = way == 1 ? arrow::TimeUnit::MILLI : arrow::TimeUnit::MICRO;
    const auto zoned = arrow::timestamp(unit, way == 3 ? "UTC" : "");
    // Same ticks, other flag: a cast from a zone to none keeps UTC's clock.
    const auto as_utc = array->View(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")).ValueOrDie();
    return CastTo(as_utc, arrow::timestamp(unit, "UTC"))->View(zoned).ValueOrDie();
  }
  if (name == "l") return CastTo(array, arrow::list(arrow::int32()));
  if (name == "st" && way < 3) {
    const auto& whole = static_cast<const arrow::StructArray&>(*array);
    if (way == 1) {
      arrow::ArrayVector children = whole.fields();
      children[0] = CastTo(children[0], arrow::float32());
      std::swap(children[0], children[1]);
      return std::make_shared<arrow::StructArray>(
          arrow::struct_({field("Y", arrow::utf8()), field("x", arrow::float32()),
                          field("z", arrow::int64())}),
          whole.length(), children, whole.null_bitmap(), whole.null_count());
    }
  }
  return array;
}

}  // namespace

RandomFiles MakeRandomFiles(const TempLake& lake, std::mt19937& random) {
  const auto declared = DeclaredSchema();
  const Texts names = {"plain.parquet", "a b.parquet", "100%.parquet", "it's.parquet",
                       "é[1]*.parquet"};
  const bool partitioned = Pick(random, 2) == 0;
  std::vector<std::shared_ptr<arrow::Table>> parts;
  Texts written;
  const int files = 1 + Pick(random, 4);
  int next_id = 0;
  for (int f = 0; f < files; ++f) {
    const int rows = Pick(random, 8) == 0 ? 0 : 1 + Pick(random, 40);
    ColumnMaker maker(random, rows, next_id);
    next_id += rows;
    const std::string p = "v " + std::to_string(Pick(random, 3));
    const int q = Pick(random, 4);
    Texts json;
    for (const auto& column : declared->fields()) {
      if (column->name() == "p" || column->name() == "q") {
        const std::string value = column->name() == "p" ? "\"" + p + "\"" : std::to_string(q);
        json.push_back(Column(rows, [&](int) { return partitioned ? value : "null"; }));
      } else {
        json.push_back(maker.Make(column->name()));
      }
    }
    auto part = TableOf(declared, json);

    arrow::FieldVector fields;
    arrow::ArrayVector columns;
    for (int c = 0; c < declared->num_fields(); ++c) {
      const std::string& name = declared->field(c)->name();
      if (name == "p" || name == "q") continue;
      auto whole = part->column(c)->chunk(0);
      if (name == "st" && rows > 0 && Pick(random, 3) == 0) {
        // Without z: the truth has NULL there.
        auto dropped = DropLastField(whole);
        const auto& old = static_cast<const arrow::StructArray&>(*whole);
        auto nulls = arrow::MakeArrayOfNull(arrow::int64(), rows).ValueOrDie();
        auto truth = std::make_shared<arrow::StructArray>(
            old.type(), rows, arrow::ArrayVector{old.field(0), old.field(1), nulls},
            old.null_bitmap(), old.null_count());
        part = part->SetColumn(c, declared->field(c), std::make_shared<arrow::ChunkedArray>(truth))
                   .ValueOrDie();
        fields.push_back(field(name, dropped->type()));
        columns.push_back(dropped);
        continue;
      }
      auto stored = Degrade(name, whole, random);
      if (!stored) continue;
      fields.push_back(field(name, stored->type()));
      columns.push_back(stored);
    }
    // Any order of columns.
    std::vector<size_t> order(fields.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    arrow::FieldVector shuffled;
    arrow::ArrayVector arrays;
    for (size_t i : order) {
      std::string name = fields[i]->name();
      if (Pick(random, 4) == 0) name[0] = static_cast<char>(std::toupper(name[0]));
      shuffled.push_back(fields[i]->WithName(name));
      arrays.push_back(columns[i]);
    }
    std::string path = std::to_string(f) + Pick(random, names);
    if (partitioned) path = "p=" + p + "/q=" + std::to_string(q) + "/" + path;
    lake.WriteParquet(path, *arrow::Table::Make(arrow::schema(shuffled), arrays),
                      1 + Pick(random, 12), Pick(random, 3) == 0);
    parts.push_back(part);
    written.push_back(path);
  }
  return {lake.Files(written, declared), arrow::ConcatenateTables(parts).ValueOrDie()};
}

std::string RandomPredicate(std::mt19937& random) {
  const Texts operators = {"=", "<>", "<", "<=", ">", ">=", "IS NOT DISTINCT FROM"};
  const Texts columns = {"id", "i", "x",    "f",    "m",    "s", "b", "d",
                         "t",  "n", "st.x", "st.y", "st.z", "p", "q"};
  if (Pick(random, 4) == 0) {
    return "(" + RandomPredicate(random) + (Pick(random, 2) ? " AND " : " OR ") +
           RandomPredicate(random) + ")";
  }
  if (Pick(random, 12) == 0) return "NOT " + RandomPredicate(random);
  if (Pick(random, 12) == 0) {
    const Texts others = {"flag",       "list_contains(l, 21)", "len(ls) = 1",  "mp['k'] > 30",
                          "st IS NULL", "l IS NOT NULL",        "ls[1].k = 21", "s LIKE 'abc%'"};
    return Pick(random, others);
  }
  const std::string& column = Pick(random, columns);
  if (Pick(random, 6) == 0) return column + (Pick(random, 2) ? " IS NULL" : " IS NOT NULL");
  auto literal = [&]() -> std::string {
    if (column == "x" || column == "f" || column == "st.x") return Pick(random, kDoublesSql);
    if (column == "m") return Pick(random, kDecimalsSql);
    if (column == "s" || column == "st.y") return Pick(random, kTextsSql);
    if (column == "b") return "encode(" + Pick(random, kTextsSql) + ")";
    if (column == "p") return "'v " + std::to_string(Pick(random, 4)) + "'";
    if (column == "d") return "DATE '1970-01-01' + " + std::to_string(Pick(random, 120));
    if (column == "t") return "TIMESTAMPTZ '" + Pick(random, kTimesSql) + "+00'";
    if (column == "n") return "TIMESTAMP '" + Pick(random, kTimesSql) + "'";
    if (column == "q") return std::to_string(Pick(random, 5));
    return Pick(random, 10) == 0 ? "5000000000" : std::to_string(Pick(random, 120));
  };
  if (Pick(random, 4) == 0) {
    std::string in = column + " IN (" + literal();
    for (int i = Pick(random, 4); i > 0; --i) in += ", " + literal();
    return in + ")";
  }
  return column + " " + Pick(random, operators) + " " + literal();
}

}  // namespace ariadne::engine
