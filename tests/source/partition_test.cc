#include "source/partition.h"

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

#include "ariadne/errors.h"
#include "parquet_bytes.h"
#include "random_decimals.h"
#include "source/spark_schema.h"

namespace ariadne::source {
namespace {

const auto kUtc = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
const auto kNtz = arrow::timestamp(arrow::TimeUnit::MICRO);

TEST(PartitionScalar, TextIsParsedAsTheDeclaredType) {
  const struct {
    const char* text;
    std::shared_ptr<arrow::DataType> type;
    const char* json;
  } cases[] = {
      {"a b", arrow::utf8(), R"(["a b"])"},
      {" a", arrow::utf8(), R"([" a"])"},
      {"x", arrow::binary(), R"(["x"])"},
      {"007", arrow::int32(), "[7]"},
      {"+7", arrow::int64(), "[7]"},
      {"-128", arrow::int8(), "[-128]"},
      {"9223372036854775807", arrow::int64(), "[9223372036854775807]"},
      {"1.5", arrow::float64(), "[1.5]"},
      {"-1e3", arrow::float32(), "[-1000]"},
      {"NaN", arrow::float64(), "[NaN]"},
      {"-Infinity", arrow::float64(), "[-Inf]"},
      {"1.1", arrow::decimal128(10, 2), R"(["1.10"])"},
      {"TRUE", arrow::boolean(), "[true]"},
      {"2024-02-29", arrow::date32(), "[19782]"},
      {"0001-01-01", arrow::date32(), "[-719162]"},
      {"2024-01-01 00:00:01.5", kUtc, "[1704067201500000]"},
      {"2024-01-01T01:00:00+01:00", kUtc, "[1704067200000000]"},
      {"2024-01-01", kNtz, "[1704067200000000]"},
      {"1969-12-31 23:59:59.999999", kNtz, "[-1]"},
  };
  for (const auto& c : cases) {
    const auto scalar = PartitionScalar({"p", c.text, false}, c.type, "/e");
    EXPECT_TRUE(scalar->type->Equals(*c.type)) << c.text;
    EXPECT_EQ(KeyOf(*scalar), KeyOf(*ArrayOf(c.type, c.json)->GetScalar(0).ValueOrDie())) << c.text;
  }
  EXPECT_FALSE(PartitionScalar({"p", "", true}, arrow::int32(), "/e")->is_valid);
}

TEST(PartitionScalar, DecimalsOfAnyWidthAreTakenExactlyOrNotAtAll) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 3000; ++trial) {
    const int digits = 1 + static_cast<int>(random() % 38);
    const int scale = static_cast<int>(random() % (digits + 1));
    const int precision = 1 + static_cast<int>(random() % 38);
    const auto type = arrow::decimal128(precision, static_cast<int>(random() % (precision + 1)));
    const __int128 value = RandomUnscaled(random, digits);
    std::string text = DigitsOf(value < 0 ? -value : value);
    while (static_cast<int>(text.size()) <= scale) text.insert(text.begin(), '0');
    if (scale > 0) text.insert(text.size() - scale, ".");
    if (value < 0) text.insert(text.begin(), '-');
    const auto expected = Rescaled(value, scale, static_cast<const arrow::DecimalType&>(*type));
    if (!expected) {
      EXPECT_THROW(PartitionScalar({"p", text, false}, type, "/e"), InvalidFile)
          << text << " " << type->ToString();
      continue;
    }
    const auto scalar = PartitionScalar({"p", text, false}, type, "/e");
    EXPECT_EQ(static_cast<const arrow::Decimal128Scalar&>(*scalar).value.ToIntegerString(),
              DigitsOf(*expected))
        << text << " " << type->ToString();
  }
}

TEST(PartitionScalar, TextThatIsNoSuchValueIsAnInvalidFileThatNamesTheFolder) {
  const struct {
    const char* text;
    std::shared_ptr<arrow::DataType> type;
  } cases[] = {
      {"x", arrow::int32()},
      {"2147483648", arrow::int32()},
      {"1.5", arrow::int64()},
      {"+-7", arrow::int64()},
      {"1.555", arrow::decimal128(10, 2)},
      {"123456", arrow::decimal128(5, 0)},
      {"2023-02-29", arrow::date32()},
      {"2024-1", arrow::date32()},
      {"2024-01-01x", arrow::date32()},
      {"maybe", arrow::boolean()},
      {"2024-01-01 25:00:00", kUtc},
      {"1x", arrow::float64()},
      {"2024-01-01 00:00:00Z", kNtz},
      {"a", arrow::list(arrow::utf8())},
  };
  for (const auto& c : cases) {
    try {
      PartitionScalar({"my p", c.text, false}, c.type, "file:///e");
      FAIL() << c.text;
    } catch (const InvalidFile& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("my p=" + std::string(c.text)));
      EXPECT_THAT(error.what(), ::testing::HasSubstr("file:///e"));
    }
  }
}

TEST(WithPartitionColumns, InfersTypesAsSparkDoes) {
  const auto base = arrow::schema({arrow::field("a", arrow::int64())});
  const auto schema = WithPartitionColumns(
      base,
      "/lake/i=1/l=3000000000/d=1.5/dt=2024-01-01/ts=2024-01-01 00%3A00%3A00/s=x/n=007/"
      "big=12345678901234567890/no=__HIVE_DEFAULT_PARTITION__/e.parquet");
  std::string types;
  for (const auto& field : schema->fields()) {
    types += field->name() + " " + SparkTypeName(*field->type()) + ", ";
  }
  EXPECT_EQ(types,
            "a bigint, i int, l bigint, d double, dt date, ts timestamp, s string, n int, "
            "big decimal(20,0), no string, ");
}

TEST(WithPartitionColumns, AColumnThatTheFileHasTooKeepsItsPlace) {
  const auto base =
      arrow::schema({arrow::field("DT", arrow::utf8()), arrow::field("a", arrow::int64())});
  const auto schema = WithPartitionColumns(base, "/lake/dt=2024-01-01/e.parquet");
  EXPECT_EQ(schema->num_fields(), 2);
  EXPECT_EQ(schema->field(0)->name(), "DT");
  EXPECT_TRUE(schema->field(0)->type()->Equals(*arrow::date32()));
}

}  // namespace
}  // namespace ariadne::source
