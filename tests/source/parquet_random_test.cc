// Random files, each compared with a full read of the same file by Arrow's own reader.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/builder.h>
#include <arrow/compute/cast.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>

#include "parquet_bytes.h"
#include "source/parquet_source.h"

namespace ariadne::source {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t Below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  template <typename T>
  const T& Of(const std::vector<T>& choices) {
    return choices[Below(static_cast<int64_t>(choices.size()))];
  }
  uint64_t Bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

// A value as JSON, one of about `distinct` different ones.
std::string Value(const arrow::DataType& type, int64_t distinct, Random* random);

std::string Integer(int64_t low, int64_t high, int64_t distinct, Random* random) {
  if (random->OneIn(50)) return std::to_string(random->OneIn(2) ? low : high);
  const int64_t value = random->Below(distinct) - distinct / 2;
  return std::to_string(std::clamp(value, low, high));
}

std::string Real(int64_t distinct, Random* random) {
  if (random->OneIn(20)) {
    return random->Of<std::string>({"NaN", "-0.0", "0.0", "Inf", "-Inf"});
  }
  return std::to_string(static_cast<double>(random->Below(distinct)) / 8);
}

std::string Quoted(int64_t distinct, Random* random) {
  const int64_t i = random->Below(distinct);
  std::string text = random->Of<std::string>({"", "ü", "user-", "日本-", "shared-prefix-"});
  if (!random->OneIn(10)) text += std::to_string(i);
  return "\"" + text + "\"";
}

std::string Value(const arrow::DataType& type, int64_t distinct, Random* random) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return random->OneIn(2) ? "true" : "false";
    case arrow::Type::INT8:
      return Integer(-128, 127, distinct, random);
    case arrow::Type::INT16:
      return Integer(-32768, 32767, distinct, random);
    case arrow::Type::INT32:
      return Integer(INT32_MIN, INT32_MAX, distinct, random);
    case arrow::Type::UINT8:
      return Integer(0, 255, distinct, random);
    case arrow::Type::UINT16:
      return Integer(0, 65535, distinct, random);
    case arrow::Type::UINT32:
      return Integer(0, UINT32_MAX, distinct, random);
    case arrow::Type::UINT64:
      return Integer(0, INT64_MAX, distinct, random);
    case arrow::Type::INT64:
      return Integer(INT64_MIN, INT64_MAX, distinct, random);
    case arrow::Type::DATE32:
      return Integer(-719'162, 2'932'896, distinct, random);
    case arrow::Type::TIMESTAMP:
      return Integer(-62'135'596'800'000, 253'402'300'799'999, distinct, random);
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
      return Real(distinct, random);
    case arrow::Type::DECIMAL128:
      return "\"" + Integer(-99'999, 99'999, distinct, random) +
             (static_cast<const arrow::DecimalType&>(type).scale() == 2 ? ".25\"" : "\"");
    case arrow::Type::FIXED_SIZE_BINARY:
      return "\"" + std::to_string(1000 + random->Below(std::min<int64_t>(distinct, 9000))) + "\"";
    case arrow::Type::LIST: {
      std::string json = "[";
      for (int64_t n = random->Below(4); n > 0; --n) {
        json += (json.size() > 1 ? "," : "") + Value(*type.field(0)->type(), distinct, random);
      }
      return json + "]";
    }
    case arrow::Type::STRUCT: {
      std::string json = "{";
      for (const auto& field : type.fields()) {
        json += (json.size() > 1 ? ",\"" : "\"") + field->name() +
                "\":" + (random->OneIn(5) ? "null" : Value(*field->type(), distinct, random));
      }
      return json + "}";
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      if (random->OneIn(3)) return "[]";
      return "[[" + Value(*map.key_type(), distinct, random) + "," +
             Value(*map.item_type(), distinct, random) + "]]";
    }
    default:
      return Quoted(distinct, random);
  }
}

std::shared_ptr<arrow::Array> RandomArray(const TypePtr& type, int64_t rows, Random* random) {
  const int64_t distinct = random->Of<int64_t>({1, 3, 50, 3000, 1'000'000});
  const int64_t null_one_in = random->Of<int64_t>({1, 2, 10, 1'000'000'000});
  std::string json = "[";
  for (int64_t i = 0; i < rows; ++i) {
    if (i > 0) json += ",";
    json += random->OneIn(null_one_in) ? "null" : Value(*type, distinct, random);
  }
  return ArrayOf(type, json + "]");
}

// What a column of `file` may be declared as.
std::vector<TypePtr> DeclaredTypes(const TypePtr& file) {
  const auto utc = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const auto ntz = arrow::timestamp(arrow::TimeUnit::MICRO);
  switch (file->id()) {
    case arrow::Type::INT8:
      return {file, arrow::int16(), arrow::int32(), arrow::int64(), arrow::decimal128(5, 1)};
    case arrow::Type::INT16:
      return {file, arrow::int64(), arrow::float64()};
    case arrow::Type::INT32:
      return {file, arrow::int64(), arrow::decimal128(12, 2)};
    case arrow::Type::UINT8:
      return {arrow::int16(), arrow::int64()};
    case arrow::Type::UINT16:
      return {arrow::int32()};
    case arrow::Type::UINT32:
      return {arrow::int64()};
    case arrow::Type::UINT64:
      return {arrow::decimal128(20, 0)};
    case arrow::Type::FLOAT:
      return {file, arrow::float64()};
    case arrow::Type::DECIMAL128:
      return {file, arrow::decimal128(38, 4)};
    case arrow::Type::TIMESTAMP:
      return {utc, ntz};
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return {arrow::utf8(), arrow::binary()};
    case arrow::Type::LARGE_STRING:
      return {arrow::utf8()};
    case arrow::Type::FIXED_SIZE_BINARY:
      return {arrow::binary()};
    default:
      return {file};
  }
}

void SetEncoding(const arrow::DataType& type, parquet::WriterProperties::Builder* properties,
                 Random* random) {
  using E = parquet::Encoding;
  switch (type.id()) {
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::DATE32:
      properties->encoding(
          "c", random->Of<E::type>({E::PLAIN, E::DELTA_BINARY_PACKED, E::BYTE_STREAM_SPLIT}));
      return;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      properties->encoding(
          "c", random->Of<E::type>({E::PLAIN, E::DELTA_LENGTH_BYTE_ARRAY, E::DELTA_BYTE_ARRAY}));
      return;
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
      properties->encoding("c", random->Of<E::type>({E::PLAIN, E::BYTE_STREAM_SPLIT}));
      return;
    case arrow::Type::BOOL:
      properties->encoding("c", random->Of<E::type>({E::PLAIN, E::RLE}));
      return;
    default:
      return;
  }
}

std::shared_ptr<arrow::Buffer> RandomFile(const std::shared_ptr<arrow::Array>& array, bool required,
                                          bool int96, Random* random) {
  const auto table = arrow::Table::Make(
      arrow::schema(
          {arrow::field("before", arrow::int32()), arrow::field("c", array->type(), !required)}),
      {arrow::MakeArrayOfNull(arrow::int32(), array->length()).ValueOrDie(), array});
  using C = parquet::Compression;
  return WriteParquet(
      *table, random->Of<int64_t>({7, 100, 1000, 1'000'000}),
      [&](parquet::WriterProperties::Builder* properties) {
        if (random->OneIn(2)) {
          properties->disable_dictionary();
          SetEncoding(*array->type(), properties, random);
        }
        properties->compression(
            random->Of<C::type>({C::UNCOMPRESSED, C::SNAPPY, C::ZSTD, C::GZIP, C::LZ4, C::BROTLI}));
        properties->dictionary_pagesize_limit(random->Of<int64_t>({64, 1024, 1 << 20}));
        properties->data_pagesize(random->Of<int64_t>({64, 1024, 1 << 20}));
        properties->write_batch_size(random->Of<int64_t>({16, 1024}));
        properties->version(random->Of<parquet::ParquetVersion::type>(
            {parquet::ParquetVersion::PARQUET_1_0, parquet::ParquetVersion::PARQUET_2_6}));
        properties->data_page_version(random->OneIn(2) ? parquet::ParquetDataPageVersion::V1
                                                       : parquet::ParquetDataPageVersion::V2);
        if (random->OneIn(2)) properties->enable_page_checksum();
        if (random->OneIn(4)) properties->disable_statistics();
        if (random->OneIn(4)) properties->max_statistics_size(4);
        if (random->OneIn(2)) properties->enable_store_decimal_as_integer();
      },
      [&](parquet::ArrowWriterProperties::Builder* properties) {
        if (random->OneIn(2)) properties->store_schema();
        if (int96) properties->enable_deprecated_int96_timestamps();
      });
}

// The column as Arrow reads it, every row of it.
std::shared_ptr<arrow::Array> FullRead(const std::shared_ptr<arrow::Buffer>& bytes,
                                       const TypePtr& declared) {
  parquet::arrow::FileReaderBuilder builder;
  EXPECT_TRUE(builder.Open(std::make_shared<arrow::io::BufferReader>(bytes)).ok());
  parquet::ArrowReaderProperties properties;
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  const auto reader = builder.properties(properties)->Build().ValueOrDie();
  std::shared_ptr<arrow::ChunkedArray> column;
  EXPECT_TRUE(reader->ReadColumn(1, &column).ok());
  const auto array = arrow::Concatenate(column->chunks()).ValueOrDie();
  if (declared->id() == arrow::Type::TIMESTAMP) {
    const auto zone = static_cast<const arrow::TimestampType&>(*array->type()).timezone();
    const auto scaled =
        arrow::compute::Cast(*array, arrow::timestamp(arrow::TimeUnit::MICRO, zone)).ValueOrDie();
    return scaled->View(declared).ValueOrDie();
  }
  return arrow::compute::Cast(*array, declared).ValueOrDie();
}

// Bytes of the distinct values, without what arrays need beside them.
int64_t DistinctBytes(const std::set<std::string>& keys, const arrow::DataType& type) {
  if (arrow::is_fixed_width(type.id()))
    return static_cast<int64_t>(keys.size()) * type.byte_width();
  int64_t bytes = 0;
  for (const std::string& key : keys) bytes += static_cast<int64_t>(key.size());
  return bytes;
}

int64_t NumberOf(const arrow::Scalar& scalar) {
  switch (scalar.type->id()) {
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanScalar&>(scalar).value ? 1 : 0;
    case arrow::Type::INT8:
      return static_cast<const arrow::Int8Scalar&>(scalar).value;
    case arrow::Type::INT16:
      return static_cast<const arrow::Int16Scalar&>(scalar).value;
    case arrow::Type::INT32:
      return static_cast<const arrow::Int32Scalar&>(scalar).value;
    case arrow::Type::DATE32:
      return static_cast<const arrow::Date32Scalar&>(scalar).value;
    case arrow::Type::INT64:
      return static_cast<const arrow::Int64Scalar&>(scalar).value;
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampScalar&>(scalar).value;
    case arrow::Type::DOUBLE:  // Of integers in the file.
      return static_cast<int64_t>(static_cast<const arrow::DoubleScalar&>(scalar).value);
    default:
      ADD_FAILURE() << "a range of " << scalar.type->ToString();
      return 0;
  }
}

// Smallest and largest by comparing one by one.
void CheckRange(const MinMax& range, const arrow::Array& values) {
  std::vector<std::shared_ptr<arrow::Scalar>> valid;
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsValid(i)) valid.push_back(values.GetScalar(i).ValueOrDie());
  }
  ASSERT_TRUE(range.min->type->Equals(*values.type()));
  if (valid.empty()) {
    EXPECT_FALSE(range.min->is_valid);
    EXPECT_FALSE(range.max->is_valid);
    return;
  }
  const auto less = [&values](const auto& a, const auto& b) {
    switch (values.type_id()) {
      case arrow::Type::STRING:
      case arrow::Type::BINARY:
        return KeyOf(*a) < KeyOf(*b);
      case arrow::Type::DECIMAL128:
        return static_cast<const arrow::Decimal128Scalar&>(*a).value <
               static_cast<const arrow::Decimal128Scalar&>(*b).value;
      default:
        return NumberOf(*a) < NumberOf(*b);
    }
  };
  const auto [min, max] = std::minmax_element(valid.begin(), valid.end(), less);
  EXPECT_TRUE(range.min->Equals(**min)) << range.min->ToString() << " " << (*min)->ToString();
  EXPECT_TRUE(range.max->Equals(**max)) << range.max->ToString() << " " << (*max)->ToString();
}

TEST(ParquetRandom, DistinctValuesRangesAndBoundsAgreeWithAFullRead) {
  const auto nested = arrow::struct_(
      {arrow::field("a", arrow::int32()), arrow::field("b", arrow::list(arrow::utf8()))});
  const std::vector<TypePtr> types = {arrow::boolean(),
                                      arrow::int8(),
                                      arrow::int16(),
                                      arrow::int32(),
                                      arrow::int64(),
                                      arrow::uint8(),
                                      arrow::uint16(),
                                      arrow::uint32(),
                                      arrow::uint64(),
                                      arrow::float32(),
                                      arrow::float64(),
                                      arrow::utf8(),
                                      arrow::large_utf8(),
                                      arrow::binary(),
                                      arrow::fixed_size_binary(4),
                                      arrow::date32(),
                                      arrow::decimal128(9, 2),
                                      arrow::decimal128(15, 0),
                                      arrow::decimal128(30, 2),
                                      arrow::timestamp(arrow::TimeUnit::MILLI),
                                      arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                                      arrow::list(arrow::utf8()),
                                      nested,
                                      arrow::map(arrow::utf8(), arrow::int32())};
  int ranges = 0;
  constexpr int kRounds = 600;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random random(round);
    const TypePtr type = types[round % types.size()];
    const int64_t rows = random.Of<int64_t>({0, 1, 8, 500, 4000});
    const auto array = RandomArray(type, rows, &random);
    const bool required = array->null_count() == 0 && random.OneIn(2);
    const bool int96 = type->id() == arrow::Type::TIMESTAMP && random.OneIn(4);
    const auto bytes = RandomFile(array, required, int96, &random);
    const TypePtr declared = random.Of(DeclaredTypes(type));
    SCOPED_TRACE(type->ToString() + " as " + declared->ToString());

    const auto source = OpenBytes(bytes, "c", declared);
    const auto expected = FullRead(bytes, declared);
    ASSERT_EQ(source->num_rows(), expected->length());
    const auto keys = KeysOf(*expected);
    EXPECT_EQ(Visited(*source, "c", declared), keys);
    EXPECT_GE(source->DistinctUpperBound("c"), static_cast<int64_t>(keys.size()));
    EXPECT_LE(source->DistinctUpperBound("c"), source->num_rows());
    if (!arrow::is_nested(declared->id())) {
      EXPECT_GE(source->MemoryUpperBound("c"), DistinctBytes(keys, *declared));
    }
    if (const auto range = source->ExactRange("c")) {
      ++ranges;
      CheckRange(*range, *expected);
    }
    if (HasFailure()) return;
  }
  // The test means nothing if hardly any file had a range.
  EXPECT_GT(ranges, kRounds / 3);
}

// The values at the path, from whole rows.
std::set<std::string> ValuesInRows(const ParquetSource& source, const ElementPath& path) {
  const auto walk = [](std::shared_ptr<arrow::Array> array, std::string names) {
    while (!names.empty()) {
      const size_t dot = std::min(names.find('.'), names.size());
      const auto& structs = static_cast<const arrow::StructArray&>(*array);
      const int field = structs.struct_type()->GetFieldIndex(names.substr(0, dot));
      array = structs.GetFlattenedField(field).ValueOrDie();
      names.erase(0, dot + 1);
    }
    return array;
  };
  std::set<std::string> keys;
  source.VisitRows({path.column}, [&](const arrow::RecordBatch& rows) {
    const auto arrays = walk(rows.column(0), path.to_array);
    const auto elements = static_cast<const arrow::ListArray&>(*arrays).Flatten().ValueOrDie();
    keys.merge(KeysOf(*walk(elements, path.to_value)));
  });
  return keys;
}

TEST(ParquetRandom, ValuesOfElementsAreThoseOfTheWholeRows) {
  const std::vector<TypePtr> types = {arrow::boolean(),
                                      arrow::int8(),
                                      arrow::int32(),
                                      arrow::int64(),
                                      arrow::uint32(),
                                      arrow::float32(),
                                      arrow::float64(),
                                      arrow::utf8(),
                                      arrow::binary(),
                                      arrow::fixed_size_binary(4),
                                      arrow::date32(),
                                      arrow::decimal128(9, 2),
                                      arrow::decimal128(30, 2),
                                      arrow::timestamp(arrow::TimeUnit::MILLI),
                                      arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")};
  const auto list_of = [](const TypePtr& element) {
    return arrow::list(arrow::field("element", element));
  };
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random random(round);
    const TypePtr file_type = types[round % types.size()];
    const TypePtr declared_type = random.Of(DeclaredTypes(file_type));
    ElementPath path{.column = "c"};
    const int shape = static_cast<int>(random.Below(4));
    const auto shaped = [&](const TypePtr& type) -> TypePtr {
      const auto pair = arrow::struct_({arrow::field("other", arrow::int32()),
                                        arrow::field("k", type), arrow::field("K", arrow::utf8())});
      if (shape == 0) return list_of(type);
      path.to_value = "k";
      if (shape == 1) return list_of(pair);
      path.to_value = "in.k";
      const auto deep = list_of(arrow::struct_({arrow::field("in", pair)}));
      if (shape == 2) return deep;
      path.to_array = "of.it";
      return arrow::struct_({arrow::field("of", arrow::struct_({arrow::field("it", deep)})),
                             arrow::field("tail", list_of(arrow::utf8()))});
    };
    // Arrow reads no row of a file of one row with booleans in lists in pages of version 2.
    const int64_t fewest = file_type->id() == arrow::Type::BOOL ? 30 : 1;
    const int64_t rows = random.Of<int64_t>({0, fewest, 30, 1500});
    const auto array = RandomArray(shaped(file_type), rows, &random);
    const bool int96 = file_type->id() == arrow::Type::TIMESTAMP && random.OneIn(4);
    const auto bytes =
        RandomFile(array, array->null_count() == 0 && random.OneIn(2), int96, &random);
    const auto source = OpenBytes(bytes, "c", shaped(declared_type));
    SCOPED_TRACE(array->type()->ToString() + " as " + declared_type->ToString());

    std::set<std::string> keys;
    const bool visited =
        source->VisitDistinctElements(path, declared_type, [&](const arrow::Array& values) {
          EXPECT_TRUE(values.type()->Equals(*declared_type)) << values.type()->ToString();
          EXPECT_TRUE(values.ValidateFull().ok());
          keys.merge(KeysOf(values));
        });
    EXPECT_TRUE(visited);
    EXPECT_EQ(keys, ValuesInRows(*source, path));
    if (HasFailure()) return;
  }
}

TEST(ParquetRandom, ADictionaryThatAnArrowDictionaryGaveHoldsEveryValueOfTheColumn) {
  for (int round = 0; round < 30; ++round) {
    Random random(1000 + round);
    const auto values = RandomArray(arrow::utf8(), 300, &random);
    const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
    const auto array = arrow::compute::Cast(*values, type).ValueOrDie()->Slice(100, 150);
    const auto bytes = RandomFile(array, false, false, &random);
    const auto visited = Visited(*OpenBytes(bytes, "c", arrow::utf8()), "c", arrow::utf8());
    const auto expected = KeysOf(*values->Slice(100, 150));
    EXPECT_TRUE(std::includes(visited.begin(), visited.end(), expected.begin(), expected.end()));
  }
}

}  // namespace
}  // namespace ariadne::source
