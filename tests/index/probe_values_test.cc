#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include <arrow/array/array_base.h>
#include <arrow/array/array_decimal.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_dict.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compare.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "ariadne/errors.h"
#include "index/column_index.h"
#include "random_decimals.h"
#include "sample_values.h"

namespace ariadne::index {
namespace {

using testing::HasSubstr;

const auto kUtc = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
const auto kNtz = arrow::timestamp(arrow::TimeUnit::MICRO);

std::shared_ptr<arrow::Array> Converted(const std::shared_ptr<arrow::DataType>& type,
                                        const arrow::Array& values) {
  auto converted = ConvertProbe("c", type, values);
  EXPECT_TRUE(converted->ValidateFull().ok());
  EXPECT_TRUE(converted->type()->Equals(*type)) << converted->type()->ToString();
  return converted;
}

void ExpectProbe(const std::shared_ptr<arrow::DataType>& from, const std::string& given,
                 const std::shared_ptr<arrow::DataType>& to, const std::string& expected) {
  const auto converted = Converted(to, *Json(from, given));
  const auto wanted = Json(to, expected);
  EXPECT_TRUE(converted->Equals(*wanted, arrow::EqualOptions().nans_equal(true)))
      << from->ToString() << " " << given << " as " << to->ToString() << " gave "
      << converted->ToString() << ", not " << expected;
}

void ExpectRefused(const std::shared_ptr<arrow::DataType>& from, const std::string& given,
                   const std::shared_ptr<arrow::DataType>& to, const std::string& shown) {
  try {
    ConvertProbe("the column", to, *Json(from, given));
    FAIL() << given << " as " << to->ToString();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("'the column'"));
    EXPECT_THAT(error.what(), HasSubstr(shown));
  }
}

TEST(ProbeValues, AreSortedDistinctAndWithoutNulls) {
  ExpectProbe(arrow::int64(), "[3, null, 1, 3, -5]", arrow::int64(), "[-5, 1, 3]");
  ExpectProbe(arrow::utf8(), R"(["b", null, "a", "b", ""])", arrow::utf8(), R"(["", "a", "b"])");
  ExpectProbe(arrow::int32(), "[3, null, 1, 3, -5]", arrow::int64(), "[-5, 1, 3]");
  ExpectProbe(arrow::null(), "[null, null]", arrow::int64(), "[]");
  ExpectProbe(arrow::null(), "[null]", arrow::utf8(), "[]");
  ExpectProbe(arrow::null(), "[null]", arrow::decimal128(5, 2), "[]");
  ExpectProbe(arrow::null(), "[null]", kUtc, "[]");
}

TEST(ProbeValues, OfTheColumnsOwnTypeStayAsTheyAre) {
  for (const Sample& sample : Samples()) {
    SCOPED_TRACE(sample.type->ToString());
    const auto converted = Converted(sample.type, *sample.values);
    for (int64_t i = 0; i < sample.values->length(); ++i) {
      int found = 0;
      for (int64_t j = 0; j < converted->length(); ++j) {
        found += SqlEqual(*sample.values, i, *converted, j) ? 1 : 0;
      }
      ASSERT_EQ(found, 1);
    }
    for (int64_t j = 1; j < converted->length() && !sample.nested; ++j) {
      ASSERT_TRUE(SqlLess(*converted, j - 1, *converted, j));
    }
  }
}

TEST(ProbeValues, IntegersThatDoNotFitMatchNothing) {
  ExpectProbe(arrow::int64(), "[127, 128, -128, -129, 9223372036854775807]", arrow::int8(),
              "[-128, 127]");
  ExpectProbe(arrow::uint64(), "[18446744073709551615, 9223372036854775807, 1]", arrow::int64(),
              "[1, 9223372036854775807]");
  ExpectProbe(arrow::int64(), "[-9223372036854775808]", arrow::int64(), "[-9223372036854775808]");
  ExpectProbe(arrow::int64(), "[-2147483649, -2147483648, 2147483648]", arrow::int32(),
              "[-2147483648]");
}

TEST(ProbeValues, DoublesMatchIntegersOnlyWhenWhole) {
  ExpectProbe(arrow::float64(), "[1.0, 2.5, -3.0, 1e300, 9007199254740993]", arrow::int64(),
              "[-3, 1, 9007199254740992]");
  ExpectProbe(arrow::float64(), "[1152921504606846976]", arrow::int64(), "[1152921504606846976]");
  ExpectProbe(arrow::float64(), "[9223372036854775808, -9223372036854775808]", arrow::int64(),
              "[-9223372036854775808]");
  arrow::DoubleBuilder special;
  ASSERT_TRUE(special.AppendValues({std::nan(""), HUGE_VAL, -HUGE_VAL, -0.0}).ok());
  const auto values = special.Finish().ValueOrDie();
  EXPECT_TRUE(Converted(arrow::int64(), *values)->Equals(*Json(arrow::int64(), "[0]")));
  EXPECT_TRUE(Converted(arrow::decimal128(5, 2), *values)
                  ->Equals(*Json(arrow::decimal128(5, 2), R"(["0.00"])")));
}

TEST(ProbeValues, IntegersMatchFloatsOnlyWhenExact) {
  ExpectProbe(arrow::int64(), "[9007199254740992, 9007199254740993, -7]", arrow::float64(),
              "[-7, 9007199254740992]");
  ExpectProbe(arrow::int64(), "[16777216, 16777217]", arrow::float32(), "[16777216]");
  ExpectProbe(arrow::int64(), "[9223372036854775807]", arrow::float64(), "[]");
}

TEST(ProbeValues, DoublesMatchFloatsOnlyWhenExact) {
  ExpectProbe(arrow::float64(), "[1.5, 1.1, 1e300]", arrow::float32(), "[1.5]");
  ExpectProbe(arrow::float32(), "[1.5]", arrow::float64(), "[1.5]");
  ExpectProbe(arrow::float16(), "[1.5]", arrow::float64(), "[1.5]");
  arrow::DoubleBuilder special;
  ASSERT_TRUE(special.AppendValues({std::nan(""), HUGE_VAL, -0.0, 0.0}).ok());
  const auto converted = Converted(arrow::float32(), *special.Finish().ValueOrDie());
  ASSERT_EQ(converted->length(), 3);
  const auto& floats = static_cast<const arrow::FloatArray&>(*converted);
  EXPECT_EQ(floats.Value(0), 0);
  EXPECT_TRUE(std::isinf(floats.Value(1)));
  EXPECT_TRUE(std::isnan(floats.Value(2)));
}

TEST(ProbeValues, DecimalsRescaleExactlyOrMatchNothing) {
  const auto decimal = arrow::decimal128(5, 2);
  ExpectProbe(arrow::decimal128(10, 4), R"(["1.1000", "1.1234", "999.9900", "1000.0000"])", decimal,
              R"(["1.10", "999.99"])");
  ExpectProbe(arrow::decimal256(76, 0), R"(["7"])", decimal, R"(["7.00"])");
  ExpectProbe(arrow::int64(), "[7, 1000, -999]", decimal, R"(["-999.00", "7.00"])");
  ExpectProbe(arrow::float64(), "[1.1, 0.5, 0.125]", decimal, R"(["0.50", "1.10"])");
  ExpectProbe(arrow::decimal128(38, 0), R"(["99999999999999999999999999999999999999"])",
              arrow::decimal128(38, 0), R"(["99999999999999999999999999999999999999"])");
  ExpectProbe(arrow::decimal128(10, 2), R"(["3.00", "3.50"])", arrow::int32(), "[3]");
  ExpectProbe(arrow::decimal128(10, 2), R"(["100.00", "0.10"])", arrow::float64(), "[0.1, 100]");
}

TEST(ProbeValues, TextIsParsedAsTheColumnsType) {
  ExpectProbe(arrow::utf8(), R"(["1", " 2 ", "3.0", "4.5", "+5", "1e2", "-0", "NaN"])",
              arrow::int64(), "[0, 1, 2, 3, 5, 100]");
  ExpectProbe(arrow::utf8(), R"(["9223372036854775807", "9223372036854775808"])", arrow::int64(),
              "[9223372036854775807]");
  ExpectProbe(arrow::utf8(), R"(["0.1", "1E10", ".5", "5."])", arrow::float64(),
              "[0.1, 0.5, 5, 1e10]");
  ExpectProbe(arrow::utf8(), R"(["1.10", "1.1", "1.111", "123456.00"])", arrow::decimal128(5, 2),
              R"(["1.10"])");
  ExpectProbe(arrow::utf8(), R"(["true", " FALSE "])", arrow::boolean(), "[false, true]");
  ExpectProbe(arrow::utf8(), R"(["é"])", arrow::binary(), R"(["é"])");
  ExpectProbe(arrow::large_utf8(), R"(["b", "a"])", arrow::utf8(), R"(["a", "b"])");
  ExpectProbe(arrow::utf8_view(), R"(["12"])", arrow::int32(), "[12]");
  const auto infinite =
      Converted(arrow::float64(), *Json(arrow::utf8(), R"(["Infinity", "-inf", "nan"])"));
  ASSERT_EQ(infinite->length(), 3);
  EXPECT_TRUE(std::isnan(static_cast<const arrow::DoubleArray&>(*infinite).Value(2)));
}

TEST(ProbeValues, TextIsParsedAsDates) {
  ExpectProbe(arrow::utf8(), R"(["2024-02-29", "2024-2-9", "1500-02-28", "9999-12-31", "2024"])",
              arrow::date32(), "[-171606, 19723, 19762, 19782, 2932896]");
  ExpectProbe(arrow::utf8(), R"(["2024-02-29 00:00:00", "2024-02-29T00:00:01Z"])", arrow::date32(),
              "[19782]");
  ExpectProbe(arrow::utf8(), R"(["300000-01-01", "-0001-01-01", "0000-03-01"])", arrow::date32(),
              "[-719893, -719468, 108853222]");
}

TEST(ProbeValues, TextIsParsedAsTimestampsInUtcUnlessItNamesAZone) {
  ExpectProbe(arrow::utf8(),
              R"(["1970-01-01", "1970-01-01 00:00:01", "1970-01-01T00:00:02Z",
                  "1970-01-01T02:00:03+02:00", "1970-01-01 00:00:04.5",
                  "1970-01-01T00:00:05.123456", "1970-01-01 01:00:06 Europe/Paris",
                  "1970-01-01 00:01", "1970-01-01T00:00:08.123456789", "1970-01-01T00:00:09.1000000"])",
              kUtc, "[0, 1000000, 2000000, 3000000, 4500000, 5123456, 6000000, 9100000, 60000000]");
  ExpectProbe(arrow::utf8(), R"(["1970-01-01T02:00:00+02:00"])", kNtz, "[0]");
  ExpectProbe(arrow::utf8(), R"(["300000-01-01T00:00:00", "999999-12-31T00:00:00 Europe/Paris"])",
              kUtc, "[]");
}

TEST(ProbeValues, ADateIsItsMidnight) {
  ExpectProbe(arrow::date32(), "[1]", kUtc, "[86400000000]");
  ExpectProbe(arrow::date64(), "[86400000]", arrow::date32(), "[1]");
  ExpectProbe(kUtc, "[86400000000, 86400000001, -86400000000]", arrow::date32(), "[-1, 1]");
  ExpectProbe(arrow::date32(), "[2147483647]", kUtc, "[]");
}

TEST(ProbeValues, TimestampsChangeTheirUnitExactly) {
  ExpectProbe(arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), "[1000, 1001, -2000]", kUtc,
              "[-2, 1]");
  ExpectProbe(arrow::timestamp(arrow::TimeUnit::SECOND), "[1, 9223372036854775807]", kUtc,
              "[1000000]");
  ExpectProbe(arrow::timestamp(arrow::TimeUnit::MILLI, "Europe/Paris"), "[1]", kNtz, "[1000]");
}

TEST(ProbeValues, ForAStringColumnOtherValuesAreSpelledAsSparkCastsThem) {
  ExpectProbe(arrow::int32(), "[5, -1]", arrow::utf8(), R"(["-1", "5"])");
  ExpectProbe(arrow::uint64(), "[18446744073709551615]", arrow::utf8(),
              R"(["18446744073709551615"])");
  ExpectProbe(arrow::float64(), "[5, 1e10]", arrow::utf8(), R"(["1.0E10", "5.0"])");
  ExpectProbe(arrow::boolean(), "[true]", arrow::utf8(), R"(["true"])");
  ExpectProbe(arrow::decimal128(5, 2), R"(["1.10"])", arrow::utf8(), R"(["1.10"])");
  ExpectProbe(arrow::date32(), "[19782]", arrow::utf8(), R"(["2024-02-29"])");
  ExpectProbe(kUtc, "[1500000, -1000000]", arrow::utf8(),
              R"(["1969-12-31 23:59:59", "1970-01-01 00:00:01.5"])");
}

TEST(ProbeValues, DictionariesAreDecoded) {
  arrow::StringDictionaryBuilder builder;
  for (const char* value : {"b", "a", "b"}) ASSERT_TRUE(builder.Append(value).ok());
  const auto values = builder.Finish().ValueOrDie();
  EXPECT_TRUE(Converted(arrow::utf8(), *values)->Equals(*Json(arrow::utf8(), R"(["a", "b"])")));
}

TEST(ProbeValues, AJoinsKeysKeepTheirPlaces) {
  const auto each = [](const std::shared_ptr<arrow::DataType>& from, const std::string& given,
                       const std::shared_ptr<arrow::DataType>& to, const std::string& expected) {
    const auto converted = ConvertEach("c", to, *Json(from, given));
    EXPECT_TRUE(converted->ValidateFull().ok());
    EXPECT_TRUE(converted->Equals(*Json(to, expected))) << converted->ToString();
  };
  each(arrow::int64(), "[3, null, 300, 1, -129]", arrow::int8(), "[3, null, null, 1, null]");
  each(arrow::int32(), "[3, null, 1]", arrow::int64(), "[3, null, 1]");
  each(arrow::float64(), "[2.5, 2, null]", arrow::int32(), "[null, 2, null]");
  each(arrow::float64(), "[2.5, 2, null]", arrow::float32(), "[2.5, 2, null]");
  each(arrow::utf8(), R"(["1.10", null, "1.234"])", arrow::decimal128(3, 2),
       R"(["1.10", null, null])");
  each(arrow::int32(), "[5, null, 4]", arrow::utf8(), R"(["5", null, "4"])");
  each(arrow::null(), "[null, null]", arrow::utf8(), "[null, null]");
  each(kUtc, "[86400000001, 86400000000, null]", arrow::date32(), "[null, 1, null]");
  each(arrow::int64(), "[3, null]", arrow::int64(), "[3, null]");
}

TEST(ProbeValues, ARefusalShowsNoHalfCharacter) {
  std::string text(79, 'x');
  for (int i = 0; i < 30; ++i) text += "é";
  ExpectRefused(arrow::utf8(), "[\"" + text + "\"]", arrow::int64(), std::string(79, 'x') + "…'");
}

TEST(ProbeValues, WrongKindsAreRefusedByColumnAndValue) {
  ExpectRefused(arrow::utf8(), R"(["1", "abc"])", arrow::int64(), "'abc'");
  ExpectRefused(arrow::utf8(), R"([""])", arrow::int64(), "''");
  ExpectRefused(arrow::utf8(), R"(["1.2.3"])", arrow::decimal128(5, 2), "'1.2.3'");
  ExpectRefused(arrow::utf8(), R"(["1e"])", arrow::float64(), "'1e'");
  ExpectRefused(arrow::utf8(), R"(["2024-13-45"])", arrow::date32(), "'2024-13-45'");
  ExpectRefused(arrow::utf8(), R"(["2023-02-29"])", arrow::date32(), "'2023-02-29'");
  ExpectRefused(arrow::utf8(), R"(["2024-01-01 25:00"])", kUtc, "'2024-01-01 25:00'");
  ExpectRefused(arrow::utf8(), R"(["2024-01-01 10:00 Mars"])", kUtc, "Mars");
  ExpectRefused(arrow::utf8(), R"(["maybe"])", arrow::boolean(), "'maybe'");
  ExpectRefused(arrow::boolean(), "[true]", arrow::int64(), "a boolean");
  ExpectRefused(arrow::int64(), "[1]", arrow::boolean(), "a number");
  ExpectRefused(arrow::int64(), "[1]", arrow::date32(), "a number");
  ExpectRefused(arrow::date32(), "[1]", arrow::int64(), "a date");
  ExpectRefused(kUtc, "[1]", arrow::decimal128(5, 2), "a timestamp");
  ExpectRefused(arrow::int64(), "[1]", arrow::binary(), "a number");
  ExpectRefused(arrow::list(arrow::int64()), "[[1]]", arrow::int64(), "list");
  ExpectRefused(arrow::int64(), "[1]", arrow::list(arrow::int64()), "int64");
}

TEST(ProbeValues, DecimalsOfAnyWidthRescaleExactlyOrMatchNothing) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 3000; ++trial) {
    const int digits = 1 + static_cast<int>(random() % 38);
    const auto from = arrow::decimal128(digits, static_cast<int>(random() % (digits + 1)));
    const int precision = 1 + static_cast<int>(random() % 38);
    const auto to = arrow::decimal128(precision, static_cast<int>(random() % (precision + 1)));
    const __int128 value = RandomUnscaled(random, digits);
    arrow::Decimal128Builder builder(from);
    ASSERT_TRUE(builder.Append(arrow::Decimal128(DigitsOf(value))).ok());
    const auto converted = Converted(to, *builder.Finish().ValueOrDie());
    const auto expected = Rescaled(value, static_cast<const arrow::DecimalType&>(*from).scale(),
                                   static_cast<const arrow::DecimalType&>(*to));
    ASSERT_EQ(converted->length(), expected ? 1 : 0)
        << DigitsOf(value) << " " << from->ToString() << " as " << to->ToString();
    if (!expected) continue;
    const arrow::Decimal128 found(static_cast<const arrow::Decimal128Array&>(*converted).Value(0));
    EXPECT_EQ(found.ToIntegerString(), DigitsOf(*expected));
  }
}

TEST(ProbeValues, IntegersConvertAsWideArithmeticDoes) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto value = static_cast<int64_t>(random()) >> (random() % 64);
    arrow::Int64Builder builder;
    ASSERT_TRUE(builder.Append(value).ok());
    const auto given = builder.Finish().ValueOrDie();
    EXPECT_EQ(Converted(arrow::int16(), *given)->length(), value >= -32768 && value <= 32767);
    const auto exact = [value](long double back) {
      return back == static_cast<long double>(value);
    };
    EXPECT_EQ(Converted(arrow::float64(), *given)->length(), exact(static_cast<double>(value)));
    EXPECT_EQ(Converted(arrow::float32(), *given)->length(), exact(static_cast<float>(value)));
    EXPECT_EQ(Converted(arrow::decimal128(9, 3), *given)->length(), std::abs(value) < 1000000);
  }
}

}  // namespace
}  // namespace ariadne::index
