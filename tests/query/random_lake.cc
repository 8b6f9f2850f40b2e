#include "random_lake.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include <arrow/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/io/file.h>
#include <parquet/arrow/writer.h>

#include "source/file_uri.h"

namespace ariadne::testing {

namespace {

void Ok(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}
template <typename T>
T Ok(arrow::Result<T> result) {
  Ok(result.status());
  return std::move(result).MoveValueUnsafe();
}

std::string RealText(double value) {
  if (std::isnan(value)) return "NaN";
  char text[64];
  std::snprintf(text, sizeof text, "%a", value == 0 ? 0.0 : value);
  return text;
}

double RandomReal(std::mt19937& random) {
  static const double kSpecial[] = {0.0, -0.0, std::nan(""), INFINITY, -INFINITY, 0.1, -2.5, 1e10};
  const auto pick = random() % 24;
  return pick < 8 ? kSpecial[pick] : static_cast<double>(pick) * 0.25;
}

std::string RandomText(std::mt19937& random) {
  static const char* kTexts[] = {"",  "a",       "A",    "naïve", "日本", "o'neil,\"x\"",
                                 " ", "a b%20c", "NULL", "null",  "ß",    "\xf0\x9f\x90\x8d"};
  const auto pick = random() % 40;
  return pick < 12 ? kTexts[pick] : "v" + std::to_string(pick);
}

}  // namespace

TempFolder::TempFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "ariadne query XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Canonical(const arrow::Scalar& value) {
  if (!value.is_valid) return "null";
  switch (value.type->id()) {
    case arrow::Type::FLOAT:
      return RealText(static_cast<const arrow::FloatScalar&>(value).value);
    case arrow::Type::DOUBLE:
      return RealText(static_cast<const arrow::DoubleScalar&>(value).value);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_STRING:
      return "'" + static_cast<const arrow::BaseBinaryScalar&>(value).value->ToString() + "'";
    case arrow::Type::DICTIONARY:
      return Canonical(*Ok(static_cast<const arrow::DictionaryScalar&>(value).GetEncodedValue()));
    default:
      return value.ToString();
  }
}

std::string RowText(const arrow::Table& table, int64_t row) {
  std::string text;
  for (int i = 0; i < table.num_columns(); ++i) {
    text += Canonical(*Ok(table.column(i)->GetScalar(row))) + "|";
  }
  return text;
}

std::multiset<std::string> Rows(const arrow::Table& table) {
  std::multiset<std::string> rows;
  for (int64_t row = 0; row < table.num_rows(); ++row) rows.insert(RowText(table, row));
  return rows;
}

void WriteParquet(const std::filesystem::path& path, const arrow::Table& table,
                  int64_t row_group_rows) {
  std::filesystem::create_directories(path.parent_path());
  const auto file = Ok(arrow::io::FileOutputStream::Open(path.string()));
  Ok(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), file, row_group_rows));
  Ok(file->Close());
}

std::shared_ptr<arrow::Table> ReadAll(arrow::RecordBatchReader& reader) {
  const auto table = Ok(reader.ToTable());
  Ok(table->ValidateFull());
  return table;
}

std::shared_ptr<arrow::Schema> LakeSchema() {
  static const auto kSchema = arrow::schema(
      {arrow::field("id", arrow::int64()), arrow::field("number", arrow::int32()),
       arrow::field("tiny", arrow::int8()), arrow::field("flag", arrow::boolean()),
       arrow::field("na me", arrow::utf8()), arrow::field("amount", arrow::float64()),
       arrow::field("ratio", arrow::float32()), arrow::field("price", arrow::decimal128(10, 2)),
       arrow::field("day", arrow::date32()),
       arrow::field("ts", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
       arrow::field("local", arrow::timestamp(arrow::TimeUnit::MICRO)),
       arrow::field("blob", arrow::binary())});
  return kSchema;
}

std::shared_ptr<arrow::Array> RandomColumn(const std::shared_ptr<arrow::DataType>& type,
                                           int64_t rows, std::mt19937& random) {
  const auto builder = Ok(arrow::MakeBuilder(type));
  for (int64_t i = 0; i < rows; ++i) {
    if (random() % 5 == 0) {
      Ok(builder->AppendNull());
      continue;
    }
    const auto small = static_cast<int64_t>(random() % 40) - 20;
    switch (type->id()) {
      case arrow::Type::INT64:
        Ok(static_cast<arrow::Int64Builder&>(*builder).Append(
            random() % 20 == 0 ? std::numeric_limits<int64_t>::min() : small));
        break;
      case arrow::Type::INT32:
        Ok(static_cast<arrow::Int32Builder&>(*builder).Append(static_cast<int32_t>(small * 7)));
        break;
      case arrow::Type::INT8:
        Ok(static_cast<arrow::Int8Builder&>(*builder).Append(static_cast<int8_t>(small)));
        break;
      case arrow::Type::BOOL:
        Ok(static_cast<arrow::BooleanBuilder&>(*builder).Append(small > 15));
        break;
      case arrow::Type::STRING:
      case arrow::Type::BINARY:
        Ok(static_cast<arrow::BinaryBuilder&>(*builder).Append(RandomText(random)));
        break;
      case arrow::Type::DOUBLE:
        Ok(static_cast<arrow::DoubleBuilder&>(*builder).Append(RandomReal(random)));
        break;
      case arrow::Type::FLOAT:
        Ok(static_cast<arrow::FloatBuilder&>(*builder).Append(
            static_cast<float>(RandomReal(random))));
        break;
      case arrow::Type::DECIMAL128:
        Ok(static_cast<arrow::Decimal128Builder&>(*builder).Append(arrow::Decimal128(small * 10)));
        break;
      case arrow::Type::DATE32:
        Ok(static_cast<arrow::Date32Builder&>(*builder).Append(
            static_cast<int32_t>(small == 3 ? 2932896 : 19000 + small * 400)));
        break;
      case arrow::Type::TIMESTAMP:
        Ok(static_cast<arrow::TimestampBuilder&>(*builder).Append(1'700'000'000'000'000 +
                                                                  small * 86'400'000'123));
        break;
      default:
        throw std::runtime_error("no random values of type " + type->ToString());
    }
  }
  return Ok(builder->Finish());
}

std::shared_ptr<arrow::Table> RandomRows(int64_t rows, std::mt19937& random) {
  const auto schema = LakeSchema();
  arrow::ArrayVector columns;
  for (const auto& field : schema->fields()) {
    columns.push_back(RandomColumn(field->type(), rows, random));
  }
  return arrow::Table::Make(schema, columns, rows);
}

int RandomCases() { return std::getenv("ARIADNE_LONG_TESTS") != nullptr ? 150 : 10; }

std::string DataFiles::Add(const std::shared_ptr<arrow::Table>& rows) {
  static const char* kNames[] = {"plain", "a b", "per%20cent", "日本 ü", "x=y,z", "100%"};
  const size_t n = rows_of.size();
  const auto path = folder / (std::string(kNames[n % 6]) + "-" + std::to_string(n) + ".parquet");
  WriteParquet(path, *rows);
  const std::string uri = source::CanonicalUri(path.string());
  rows_of[uri] = rows;
  path_of[uri] = path.string();
  return uri;
}

std::set<std::string> DataFiles::Holding(const std::string& column,
                                         const arrow::Array& values) const {
  std::set<std::string> asked;
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsValid(i)) asked.insert(Canonical(*Ok(values.GetScalar(i))));
  }
  std::set<std::string> files;
  for (const auto& [uri, rows] : rows_of) {
    const auto cells = rows->GetColumnByName(column);
    for (int64_t row = 0; row < rows->num_rows(); ++row) {
      const auto cell = Ok(cells->GetScalar(row));
      if (cell->is_valid && asked.contains(Canonical(*cell))) files.insert(uri);
    }
  }
  return files;
}

std::set<std::string> DataFiles::All() const {
  std::set<std::string> files;
  for (const auto& [uri, rows] : rows_of) files.insert(uri);
  return files;
}

std::shared_ptr<arrow::Table> DataFiles::Table() const {
  std::vector<std::shared_ptr<arrow::Table>> tables;
  for (const auto& [uri, rows] : rows_of) tables.push_back(rows);
  return Ok(arrow::ConcatenateTables(tables));
}

}  // namespace ariadne::testing
