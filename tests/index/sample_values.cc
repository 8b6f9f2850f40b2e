#include "sample_values.h"

#include <bit>
#include <cmath>
#include <limits>

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
#include <arrow/json/from_string.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

namespace ariadne::index {
namespace {

template <typename Builder, typename Values>
std::shared_ptr<arrow::Array> Build(const std::shared_ptr<arrow::DataType>& type,
                                    const Values& values) {
  Builder builder(type, arrow::default_memory_pool());
  for (const auto& value : values) {
    if (!builder.Append(value).ok()) throw std::runtime_error("append");
  }
  return builder.Finish().ValueOrDie();
}

template <typename T>
std::vector<T> Integers(std::mt19937_64* random, int64_t least, int64_t most) {
  std::vector<T> values = {static_cast<T>(least), static_cast<T>(most), 0, 1, -1, 7};
  for (int i = 0; i < 40; ++i) values.push_back(static_cast<T>((*random)()));
  for (int i = 0; i < 20; ++i) values.push_back(static_cast<T>((*random)() % 50));
  for (T& value : values) {
    if (value < least || value > most) value = static_cast<T>(least + 1);
  }
  return values;
}

template <typename T, typename Bits>
std::vector<T> Floats(std::mt19937_64* random) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {
      T{0},
      -T{0},
      Limits::quiet_NaN(),
      -Limits::quiet_NaN(),
      std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(Limits::quiet_NaN()) | Bits{0x1234})),
      Limits::infinity(),
      -Limits::infinity(),
      Limits::denorm_min(),
      Limits::max(),
      Limits::lowest(),
      Limits::min(),
      T{1.1f},
      static_cast<T>(std::ldexp(1.0, -44)),
      static_cast<T>(2e23)};
  for (int i = 0; i < 30; ++i) values.push_back(std::bit_cast<T>(static_cast<Bits>((*random)())));
  for (int i = 0; i < 20; ++i) values.push_back(static_cast<T>((*random)() % 40) / T{8});
  return values;
}

std::vector<std::string> Texts(std::mt19937_64* random) {
  std::vector<std::string> values = {"",
                                     "a",
                                     std::string("a\0", 2),
                                     std::string("a\0\0b", 4),
                                     "Ärger",
                                     "é",
                                     "日本語",
                                     "😀",
                                     "o'neil,\"x\" %20",
                                     std::string("\0nul\ttab", 8),
                                     "common prefix that is long",
                                     "common prefix that is longer",
                                     "common prefix that is long\xEF\xBF\xBF",
                                     std::string(300, 'x'),
                                     std::string(301, 'x')};
  for (int i = 0; i < 40; ++i) {
    std::string value;
    for (uint64_t n = (*random)() % 12; n > 0; --n)
      value += static_cast<char>('a' + (*random)() % 3);
    values.push_back(value);
  }
  return values;
}

std::vector<arrow::Decimal128> Decimals(std::mt19937_64* random, int precision) {
  const arrow::Decimal128 most(arrow::Decimal128::GetMaxValue(precision));
  std::vector<arrow::Decimal128> values = {most, -most, 0, 1, -1, 110, 1000, -12345};
  for (int i = 0; i < 40; ++i) {
    arrow::Decimal128 value(static_cast<int64_t>((*random)()) >> ((*random)() % 60), (*random)());
    if (!value.FitsInPrecision(precision)) value = static_cast<int64_t>((*random)() % 1000);
    values.push_back(value);
  }
  return values;
}

template <typename T>
T At(const arrow::Array& array, int64_t i) {
  return array.data()->GetValues<T>(1)[i];
}

}  // namespace

std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type,
                                   const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::shared_ptr<arrow::Array> Pick(const arrow::Array& values, const std::vector<int64_t>& rows) {
  const auto builder = arrow::MakeBuilder(values.type()).ValueOrDie();
  for (const int64_t row : rows) {
    const auto status =
        row < 0 ? builder->AppendNull() : builder->AppendArraySlice(*values.data(), row, 1);
    if (!status.ok()) throw std::runtime_error(status.ToString());
  }
  return builder->Finish().ValueOrDie();
}

std::vector<Sample> Samples() {
  std::mt19937_64 random(7);
  std::vector<Sample> samples;
  const auto add = [&samples](std::shared_ptr<arrow::Array> values, bool nested = false) {
    samples.push_back({values->type(), values, nested});
  };
  constexpr auto kMin64 = std::numeric_limits<int64_t>::min();
  constexpr auto kMax64 = std::numeric_limits<int64_t>::max();
  add(Json(arrow::boolean(), "[true, false]"));
  add(Build<arrow::Int8Builder>(arrow::int8(), Integers<int8_t>(&random, -128, 127)));
  add(Build<arrow::Int16Builder>(arrow::int16(), Integers<int16_t>(&random, -32768, 32767)));
  add(Build<arrow::Int32Builder>(arrow::int32(),
                                 Integers<int32_t>(&random, std::numeric_limits<int32_t>::min(),
                                                   std::numeric_limits<int32_t>::max())));
  add(Build<arrow::Int64Builder>(arrow::int64(), Integers<int64_t>(&random, kMin64, kMax64)));
  add(Build<arrow::FloatBuilder>(arrow::float32(), Floats<float, uint32_t>(&random)));
  add(Build<arrow::DoubleBuilder>(arrow::float64(), Floats<double, uint64_t>(&random)));
  for (const auto& [precision, scale] : {std::pair{10, 2}, {38, 10}, {38, 0}, {38, 38}, {5, 0}}) {
    add(Build<arrow::Decimal128Builder>(arrow::decimal128(precision, scale),
                                        Decimals(&random, precision)));
  }
  add(Build<arrow::Date32Builder>(arrow::date32(), Integers<int32_t>(&random, -800000, 3000000)));
  const int64_t year_10000 = 253402300800000000;
  for (const auto& type : {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                           arrow::timestamp(arrow::TimeUnit::MICRO)}) {
    add(Build<arrow::TimestampBuilder>(type, Integers<int64_t>(&random, -year_10000, year_10000)));
  }
  add(Build<arrow::StringBuilder>(arrow::utf8(), Texts(&random)));
  std::vector<std::string> bytes = Texts(&random);
  bytes.insert(bytes.end(), {"\xff", "\x80\x00", std::string("\0", 1), "\xff\xfe"});
  add(Build<arrow::BinaryBuilder>(arrow::binary(), bytes));
  add(Json(arrow::list(arrow::field("element", arrow::int32())),
           "[[], [1], [1, 2], [2, 1], [null], [1, null], [null, 1], [3]]"),
      true);
  add(Json(arrow::struct_({arrow::field("a", arrow::utf8()), arrow::field("b", arrow::int64())}),
           R"([{"a": "x", "b": 1}, {"a": null, "b": 1}, {"a": "x", "b": null}, {"a": "", "b": 1},
               {"a": null, "b": null}, {"a": "xx", "b": 1}])"),
      true);
  return samples;
}

bool SqlEqual(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j) {
  if (a.type_id() == arrow::Type::DOUBLE || a.type_id() == arrow::Type::FLOAT) {
    return !SqlLess(a, i, b, j) && !SqlLess(b, j, a, i);
  }
  return a.RangeEquals(b, i, i + 1, j);
}

bool SqlLess(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j) {
  const auto less_number = [](double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x);
    return x < y;
  };
  switch (a.type_id()) {
    case arrow::Type::BOOL:
      return !static_cast<const arrow::BooleanArray&>(a).Value(i) &&
             static_cast<const arrow::BooleanArray&>(b).Value(j);
    case arrow::Type::INT8:
      return At<int8_t>(a, i) < At<int8_t>(b, j);
    case arrow::Type::INT16:
      return At<int16_t>(a, i) < At<int16_t>(b, j);
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
      return At<int32_t>(a, i) < At<int32_t>(b, j);
    case arrow::Type::INT64:
    case arrow::Type::TIMESTAMP:
      return At<int64_t>(a, i) < At<int64_t>(b, j);
    case arrow::Type::FLOAT:
      if (std::isnan(At<float>(a, i)) && std::isnan(At<float>(b, j))) return false;
      return less_number(At<float>(a, i), At<float>(b, j));
    case arrow::Type::DOUBLE:
      if (std::isnan(At<double>(a, i)) && std::isnan(At<double>(b, j))) return false;
      return less_number(At<double>(a, i), At<double>(b, j));
    case arrow::Type::DECIMAL128: {
      const auto value = [](const arrow::Array& array, int64_t at) {
        return arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(array).GetValue(at));
      };
      return value(a, i) < value(b, j);
    }
    default:
      break;
  }
  const auto& x = static_cast<const arrow::BinaryArray&>(a);
  const auto& y = static_cast<const arrow::BinaryArray&>(b);
  return x.GetString(i) < y.GetString(j);
}

}  // namespace ariadne::index
