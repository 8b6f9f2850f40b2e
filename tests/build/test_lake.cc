#include "test_lake.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/io/file.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include "arrow_result.h"
#include "build/table_rows.h"
#include "index/column_index.h"
#include "index/lookup_file.h"
#include "source/file_uri.h"
#include "source/spark_schema.h"
#include "storage/file_list.h"

namespace ariadne::testing {

namespace {

/// A value as text, equal for values that SQL calls equal.
std::string Key(const arrow::Scalar& value) {
  if (value.type->id() == arrow::Type::DOUBLE) {
    const double number = static_cast<const arrow::DoubleScalar&>(value).value;
    if (std::isnan(number)) return "NaN";
    if (number == 0) return "0";
  }
  return value.ToString();
}

std::set<std::string> DistinctKeys(const arrow::ChunkedArray& column) {
  std::set<std::string> keys;
  for (int64_t i = 0; i < column.length(); ++i) {
    const auto value = Get(column.GetScalar(i));
    if (value->is_valid) keys.insert(Key(*value));
  }
  return keys;
}

/// Order of SQL: NaN is the greatest.
bool Less(const arrow::Scalar& a, const arrow::Scalar& b) {
  switch (a.type->id()) {
    case arrow::Type::DOUBLE: {
      const double x = static_cast<const arrow::DoubleScalar&>(a).value;
      const double y = static_cast<const arrow::DoubleScalar&>(b).value;
      if (std::isnan(x)) return false;
      return std::isnan(y) || x < y;
    }
    case arrow::Type::INT64:
      return static_cast<const arrow::Int64Scalar&>(a).value <
             static_cast<const arrow::Int64Scalar&>(b).value;
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampScalar&>(a).value <
             static_cast<const arrow::TimestampScalar&>(b).value;
    case arrow::Type::DATE32:
      return static_cast<const arrow::Date32Scalar&>(a).value <
             static_cast<const arrow::Date32Scalar&>(b).value;
    case arrow::Type::DECIMAL128:
      return static_cast<const arrow::Decimal128Scalar&>(a).value <
             static_cast<const arrow::Decimal128Scalar&>(b).value;
    case arrow::Type::BOOL:
      return !static_cast<const arrow::BooleanScalar&>(a).value &&
             static_cast<const arrow::BooleanScalar&>(b).value;
    default:
      return static_cast<const arrow::StringScalar&>(a).view() <
             static_cast<const arrow::StringScalar&>(b).view();
  }
}

build::UpdateTarget Target(const std::filesystem::path& path) {
  auto stores = std::make_shared<storage::Stores>();
  build::UpdateTarget target{
      .layout = storage::IndexLayout(stores->Resolve("file://" + (path / "root").string()), "test"),
      .stores = stores,
      .options = {}};
  target.options.threads = 2;
  target.options.lock_timeout_seconds = 0.3;
  target.options.lock_retry_interval_seconds = 0.02;
  target.options.lock_max_wait_seconds = 30;
  return target;
}

}  // namespace

TestLake::TestLake()
    : folder_(std::make_unique<TempFolder>()), path_(folder_->path()), target_(Target(path_)) {
  std::filesystem::create_directory(path_ / "data");
}

TestLake::TestLake(const std::filesystem::path& folder) : path_(folder), target_(Target(folder)) {}

std::shared_ptr<arrow::Schema> TestLake::Schema() {
  return arrow::schema({arrow::field("id", arrow::int64()), arrow::field("s", arrow::utf8()),
                        arrow::field("d", arrow::float64()),
                        arrow::field("dec", arrow::decimal128(10, 2)),
                        arrow::field("ts", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
                        arrow::field("day", arrow::date32()), arrow::field("b", arrow::boolean())});
}

std::shared_ptr<arrow::Table> TestLake::RandomRows(std::mt19937* random, int64_t rows) {
  arrow::Int64Builder id;
  arrow::StringBuilder s;
  arrow::DoubleBuilder d;
  arrow::Decimal128Builder dec(arrow::decimal128(10, 2));
  arrow::TimestampBuilder ts(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                             arrow::default_memory_pool());
  arrow::Date32Builder day;
  arrow::BooleanBuilder b;
  static const std::vector<std::string> kWords = {"",  "a b",      "100%", "Ärger",
                                                  "😀", "'quoted'", "NULL", std::string("n\0l", 3)};
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  static const std::vector<double> kNumbers = {0.0,       -0.0, nan, INFINITY,
                                               -INFINITY, 1e-5, 0.1, 1e10};
  // Some files hold no value at all in some columns.
  const unsigned without = (*random)() % 8 == 0 ? (*random)() : 0;
  const auto null = [&](int column) {
    return (without >> column & 1) != 0 || (*random)() % 10 == 0;
  };
  for (int64_t i = 0; i < rows; ++i) {
    Do(null(0) ? id.AppendNull() : id.Append(static_cast<int64_t>((*random)() % 5000) - 100));
    if (null(1)) {
      Do(s.AppendNull());
    } else {
      Do(s.Append((*random)() % 3 == 0 ? kWords[(*random)() % kWords.size()]
                                       : "user-" + std::to_string((*random)() % 3000)));
    }
    Do(null(2) ? d.AppendNull()
               : d.Append((*random)() % 3 == 0 ? kNumbers[(*random)() % kNumbers.size()]
                                               : static_cast<double>((*random)() % 1000) / 8));
    Do(null(3) ? dec.AppendNull()
               : dec.Append(arrow::Decimal128(static_cast<int64_t>((*random)() % 20000) - 10000)));
    Do(null(4) ? ts.AppendNull()
               : ts.Append((static_cast<int64_t>((*random)()) - (1LL << 31)) * 1'000'001));
    Do(null(5) ? day.AppendNull() : day.Append(static_cast<int32_t>((*random)() % 60000) - 30000));
    Do(null(6) ? b.AppendNull() : b.Append((*random)() % 2 == 0));
  }
  arrow::ArrayVector columns;
  for (arrow::ArrayBuilder* builder :
       std::initializer_list<arrow::ArrayBuilder*>{&id, &s, &d, &dec, &ts, &day, &b}) {
    columns.push_back(Get(builder->Finish()));
  }
  return arrow::Table::Make(Schema(), columns);
}

std::string TestLake::Write(const std::string& name, const std::shared_ptr<arrow::Table>& rows) {
  const auto file = path_ / "data" / name;
  std::filesystem::create_directories(file.parent_path());
  const auto out = Get(arrow::io::FileOutputStream::Open(file.string()));
  Do(parquet::arrow::WriteTable(*rows, arrow::default_memory_pool(), out, 1000));
  Do(out->Close());
  const std::string uri = source::CanonicalUri(file.string());
  files_[uri] = rows;
  return uri;
}

std::string TestLake::WriteBytes(const std::string& name, const std::string& bytes) {
  const auto file = path_ / "data" / name;
  std::ofstream(file, std::ios::binary) << bytes;
  return source::CanonicalUri(file.string());
}

void TestLake::Track(const std::vector<std::string>& stored_names) {
  storage::FileList(target_.layout.file_list()).Add(stored_names);
}

void TestLake::Declare(const std::vector<std::string>& regular,
                       const std::vector<std::string>& bloom,
                       const std::vector<std::string>& range) {
  storage::IndexMetadata metadata =
      storage::IndexMetadata::Read(target_.layout.metadata()).value_or(storage::IndexMetadata());
  metadata.format = "parquet";
  metadata.schema_json = source::ToSparkJson(*Schema());
  metadata.regular = regular;
  metadata.bloom.clear();
  for (const std::string& column : bloom) metadata.bloom.push_back({column, 0.01});
  metadata.range = range;
  metadata.storage_format_version = storage::IndexMetadata::kStorageVersion;
  metadata.Write(target_.layout.metadata());
}

UpdateReport TestLake::Update(const UpdateOptions& options) {
  return build::Update(target_, options);
}

storage::IndexMetadata TestLake::Metadata() const {
  return storage::IndexMetadata::Read(target_.layout.metadata()).value();
}

std::shared_ptr<storage::DeltaTable> TestLake::Main() const {
  return storage::DeltaTable::Open(target_.layout.main_index());
}

std::shared_ptr<arrow::Table> TestLake::Rows(const storage::DeltaTable& table) {
  const auto schema = source::FromSparkJson(table.schema_json());
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  for (const storage::DataFile& file : table.files()) {
    build::TableRows reader(table, file, schema);
    while (const auto batch = reader.Next()) batches.push_back(batch);
  }
  return Get(arrow::Table::FromRecordBatches(schema, batches));
}

std::vector<std::string> TestLake::Dump() const {
  const auto main = Main();
  if (main == nullptr) return {};
  const auto rows = Rows(*main);
  std::vector<std::string> lines;
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    std::map<std::string, std::string> cells;
    for (int c = 0; c < rows->num_columns(); ++c) {
      const auto value = Get(rows->column(c)->GetScalar(i));
      std::string text = value->ToString();
      if (value->type->id() == arrow::Type::LIST && value->is_valid) {
        text.clear();
        const auto& list = *static_cast<const arrow::ListScalar&>(*value).value;
        for (int64_t k = 0; k < list.length(); ++k)
          text += Get(list.GetScalar(k))->ToString() + ",";
      }
      cells[rows->field(c)->name()] = text;
    }
    std::string line = cells["filename"];
    for (const auto& [name, text] : cells) line += " | " + name + "=" + text;
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

void TestLake::CheckCells(const std::string& uri, const arrow::Table& rows, int64_t row,
                          bool all_built) const {
  const arrow::Table& data = *files_.at(uri);
  const storage::IndexMetadata metadata = Metadata();
  for (const IndexedColumn& column : build::DeclaredColumns(metadata)) {
    SCOPED_TRACE(uri + " " + index::StorageColumn(column));
    const auto values = data.GetColumnByName(column.column);
    const auto cells = rows.GetColumnByName(index::StorageColumn(column));
    if (!all_built && cells == nullptr) continue;
    ASSERT_NE(cells, nullptr);
    const auto cell = Get(cells->GetScalar(row));
    if (!all_built && !cell->is_valid) continue;
    ASSERT_TRUE(cell->is_valid) << "a built cell is never null";
    switch (column.kind) {
      case IndexedColumn::Kind::kRegular: {
        const auto& list = static_cast<const arrow::ListScalar&>(*cell).value;
        EXPECT_EQ(list->null_count(), 0);
        std::set<std::string> keys;
        for (int64_t i = 0; i < list->length(); ++i) keys.insert(Key(*Get(list->GetScalar(i))));
        EXPECT_EQ(static_cast<int64_t>(keys.size()), list->length()) << "values repeat";
        EXPECT_EQ(keys, DistinctKeys(*values));
        break;
      }
      case IndexedColumn::Kind::kRange: {
        std::shared_ptr<arrow::Scalar> min;
        std::shared_ptr<arrow::Scalar> max;
        for (int64_t i = 0; i < values->length(); ++i) {
          const auto value = Get(values->GetScalar(i));
          if (!value->is_valid) continue;
          if (min == nullptr || Less(*value, *min)) min = value;
          if (max == nullptr || Less(*max, *value)) max = value;
        }
        const auto& range = static_cast<const arrow::StructScalar&>(*cell);
        EXPECT_EQ(range.value[0]->is_valid, min != nullptr);
        if (min != nullptr) {
          EXPECT_EQ(Key(*range.value[0]), Key(*min));
          EXPECT_EQ(Key(*range.value[1]), Key(*max));
        }
        break;
      }
      case IndexedColumn::Kind::kBloom: {
        const auto one_cell = Get(arrow::MakeArrayFromScalar(*cell, 1));
        const auto contains = [&](const std::shared_ptr<arrow::Array>& probed) {
          uint8_t mask = 1;
          index::MakeProbe(column, probed, index::ProbeContext())->Probe(*one_cell, true, &mask);
          return mask == 1;
        };
        const auto all = Get(arrow::Concatenate(values->chunks()));
        int64_t probed = 0;
        for (int64_t i = 0; i < all->length() && probed < 200; ++i) {
          if (all->IsNull(i)) continue;
          ++probed;
          EXPECT_TRUE(contains(all->Slice(i, 1))) << Get(all->GetScalar(i))->ToString();
        }
        if (all->null_count() == all->length()) {
          const auto other = index::ConvertProbe(
              column.column, values->type(),
              *Get(arrow::MakeArrayFromScalar(
                  arrow::StringScalar(values->type()->id() == arrow::Type::STRING ? "x"
                                      : values->type()->id() == arrow::Type::BOOL ? "true"
                                      : values->type()->id() == arrow::Type::DATE32 ||
                                              values->type()->id() == arrow::Type::TIMESTAMP
                                          ? "2020-01-01"
                                          : "1"),
                  1)));
          EXPECT_FALSE(contains(other)) << "a file without values holds none";
        }
        break;
      }
      case IndexedColumn::Kind::kComputed:
      case IndexedColumn::Kind::kTemporal:
      case IndexedColumn::Kind::kExploded:
        FAIL() << "kinds_lake.h checks these";
    }
  }
}

void TestLake::CheckLookups() const {
  const auto main = Main();
  for (const std::string& column : Metadata().regular) {
    const auto field = source::FromSparkJson(main->schema_json())->GetFieldByName(column);
    ASSERT_NE(field, nullptr);
    for (const storage::DataFile& file : main->files()) {
      SCOPED_TRACE(column + " " + file.path);
      const auto lookup = index::LookupFile::Open(
          index::LookupFile::Path(target_.layout.native(), column, file.path));
      ASSERT_NE(lookup, nullptr);
      build::TableRows reader(*main, file, arrow::schema({field}));
      ASSERT_EQ(lookup->num_rows(), reader.num_rows());
      int64_t row = 0;
      while (const auto batch = reader.Next()) {
        const auto& lists = static_cast<const arrow::ListArray&>(*batch->column(0));
        for (int64_t i = 0; i < lists.length(); ++i, ++row) {
          const std::vector<uint64_t> hashes = index::HashValues(*lists.value_slice(i));
          for (size_t k = 0; k < hashes.size(); k += 1 + hashes.size() / 20) {
            std::vector<uint8_t> mask(lookup->num_rows(), 1);
            ASSERT_TRUE(lookup->Find(std::span(hashes).subspan(k, 1), mask.data()));
            EXPECT_EQ(mask[row], 1);
          }
        }
      }
    }
  }
}

void TestLake::CheckWhatIsThere() const {
  const auto main = Main();
  if (main == nullptr) return;
  const auto rows = Rows(*main);
  std::set<std::string> seen;
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    const std::string name = Get(rows->GetColumnByName("filename")->GetScalar(i))->ToString();
    EXPECT_TRUE(seen.insert(name).second) << "two rows of " << name;
    CheckCells(name, *rows, i, false);
  }
}

void TestLake::Check(const std::set<std::string>& without) const {
  const auto main = Main();
  ASSERT_NE(main, nullptr);
  const auto rows = Rows(*main);
  std::map<std::string, int64_t> row_of;
  int64_t total = 0;
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    const auto name = Get(rows->GetColumnByName("filename")->GetScalar(i));
    EXPECT_TRUE(row_of.emplace(name->ToString(), i).second) << "two rows of " << name->ToString();
    const auto size = Get(rows->GetColumnByName("file_size")->GetScalar(i));
    const int64_t bytes = static_cast<const arrow::Int64Scalar&>(*size).value;
    total += bytes;
  }
  for (const storage::DataFile& file : main->files()) {
    build::TableRows reader(*main, file, arrow::schema({arrow::field("filename", arrow::utf8())}));
    std::string last;
    while (const auto batch = reader.Next()) {
      const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
      for (int64_t i = 0; i < names.length(); ++i) {
        EXPECT_LT(last, names.GetString(i)) << "names of a data file ascend";
        last = names.GetString(i);
      }
    }
  }
  for (const auto& [uri, table] : files_) {
    if (without.contains(uri)) {
      EXPECT_FALSE(row_of.contains(uri)) << uri;
      continue;
    }
    ASSERT_TRUE(row_of.contains(uri)) << uri;
    CheckCells(uri, *rows, row_of.at(uri), true);
    row_of.erase(uri);
  }
  for (const auto& [name, row] : row_of) ADD_FAILURE() << "unexpected row of " << name;
  EXPECT_EQ(Metadata().total_indexed_file_size, total);
  EXPECT_EQ(storage::DeltaTable::Open(target_.layout.staging()), nullptr);
  EXPECT_FALSE(target_.layout.staging().store->Head(target_.layout.update_lock().path));
  CheckLookups();
}

}  // namespace ariadne::testing
