#include "index/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "ariadne/errors.h"
#include "index/java_double.h"
#include "index/java_utf8.h"

namespace ariadne::index {
namespace {

using testing::ElementsAre;

/// Lines of tab-separated fields that data/JavaTokens.java printed, by their first field.
std::multimap<std::string, std::vector<std::string>> JavaCases(const std::string& file) {
  std::ifstream in(std::string(ARIADNE_TEST_DATA) + "/" + file);
  EXPECT_TRUE(in) << file;
  std::multimap<std::string, std::vector<std::string>> cases;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields;
    std::istringstream split(line);
    for (std::string field; std::getline(split, field, '\t');) fields.push_back(field);
    fields.resize(std::max<size_t>(fields.size(), 3));
    const std::string kind = fields[0];
    fields.erase(fields.begin());
    cases.emplace(kind, std::move(fields));
  }
  EXPECT_GT(cases.size(), 4000U);
  return cases;
}

template <typename Visit>
void ForEachCase(const std::string& file, const std::string& kind, Visit visit) {
  const auto cases = JavaCases(file);
  ASSERT_GT(cases.count(kind), 0U);
  for (auto [at, end] = cases.equal_range(kind); at != end; ++at) visit(at->second);
}

std::vector<std::string> Tokens(const std::shared_ptr<arrow::Array>& values,
                                const std::string& zone = "UTC") {
  std::vector<std::string> tokens;
  TokenWriter(values->type(), zone).ForEachToken(*values, 0, [&tokens](std::string_view token) {
    tokens.emplace_back(token);
  });
  return tokens;
}

template <typename Builder, typename Value>
std::shared_ptr<arrow::Array> One(const std::shared_ptr<arrow::DataType>& type, Value value) {
  Builder builder(type, arrow::default_memory_pool());
  EXPECT_TRUE(builder.Append(value).ok());
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Timestamp(int64_t micros, const std::string& zone) {
  return One<arrow::TimestampBuilder>(arrow::timestamp(arrow::TimeUnit::MICRO, zone), micros);
}

double DoubleOf(const std::string& hex) {
  return std::bit_cast<double>(static_cast<uint64_t>(std::stoull(hex, nullptr, 16)));
}
float FloatOf(const std::string& hex) {
  return std::bit_cast<float>(static_cast<uint32_t>(std::stoul(hex, nullptr, 16)));
}

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

TEST(JavaDouble, PrintsAsJdk17DoesBitForBit) {
  ForEachCase("java_tokens.tsv", "double", [](const auto& fields) {
    ASSERT_EQ(JavaDoubleToStringJdk18(DoubleOf(fields[0])), fields[1]) << fields[0];
  });
  ForEachCase("java_tokens.tsv", "float", [](const auto& fields) {
    ASSERT_EQ(JavaFloatToStringJdk18(FloatOf(fields[0])), fields[1]) << fields[0];
  });
}

TEST(JavaDouble, PrintsAsJdk25DoesBitForBit) {
  ForEachCase("java_doubles_jdk25.tsv", "double", [](const auto& fields) {
    ASSERT_EQ(JavaDoubleToString(DoubleOf(fields[0])), fields[1]) << fields[0];
  });
  ForEachCase("java_doubles_jdk25.tsv", "float", [](const auto& fields) {
    ASSERT_EQ(JavaFloatToString(FloatOf(fields[0])), fields[1]) << fields[0];
  });
}

TEST(Token, ADoubleHasTheSpellingOfEveryJdk) {
  const auto both = One<arrow::DoubleBuilder>(arrow::float64(), std::ldexp(1.0, -44));
  EXPECT_THAT(Tokens(both), ElementsAre("5.684341886080802E-14", "5.6843418860808015E-14"));
  EXPECT_THAT(Tokens(One<arrow::DoubleBuilder>(arrow::float64(), 1e10)), ElementsAre("1.0E10"));
  EXPECT_THAT(Tokens(One<arrow::FloatBuilder>(arrow::float32(), 1.17549435e-38F)),
              ElementsAre("1.1754944E-38", "1.17549435E-38"));
}

TEST(Token, BothZerosHaveBothSpellingsAndNanHasOne) {
  for (const double zero : {0.0, -0.0}) {
    EXPECT_THAT(Tokens(One<arrow::DoubleBuilder>(arrow::float64(), zero)),
                ElementsAre("0.0", "-0.0"));
    EXPECT_THAT(Tokens(One<arrow::FloatBuilder>(arrow::float32(), static_cast<float>(zero))),
                ElementsAre("0.0", "-0.0"));
  }
  for (const double nan : {std::nan(""), -std::nan("7")}) {
    EXPECT_THAT(Tokens(One<arrow::DoubleBuilder>(arrow::float64(), nan)), ElementsAre("NaN"));
  }
}

TEST(Token, DecimalsPrintAsBigDecimal) {
  ForEachCase("java_tokens.tsv", "decimal", [](const auto& fields) {
    const auto value = arrow::Decimal128::FromString(fields[0]).ValueOrDie();
    const auto type = arrow::decimal128(38, std::stoi(fields[1]));
    ASSERT_THAT(Tokens(One<arrow::Decimal128Builder>(type, value)), ElementsAre(fields[2]));
  });
}

TEST(Token, DatesPrintAsJavaSqlDateOnBothSidesOf1582) {
  ForEachCase("java_tokens.tsv", "date", [](const auto& fields) {
    ASSERT_THAT(Tokens(One<arrow::Date32Builder>(arrow::date32(), std::stoi(fields[0]))),
                ElementsAre(fields[1]))
        << fields[0];
  });
}

TEST(Token, TimestampsPrintAsJavaSqlTimestampInTheZone) {
  ForEachCase("java_tokens.tsv", "timestamp", [](const auto& fields) {
    ASSERT_THAT(Tokens(Timestamp(std::stoll(fields[1]), "UTC"), fields[0]), ElementsAre(fields[2]))
        << fields[0] << " " << fields[1];
  });
}

TEST(Token, LocalTimestampsPrintAsLocalDateTimeWhateverTheZone) {
  ForEachCase("java_tokens.tsv", "timestamp_ntz", [](const auto& fields) {
    ASSERT_THAT(Tokens(Timestamp(std::stoll(fields[0]), ""), "Asia/Tokyo"), ElementsAre(fields[1]))
        << fields[0];
  });
}

TEST(Token, IllFormedUtf8IsReplacedAsJavaReplacesIt) {
  ForEachCase("java_tokens.tsv", "utf8", [](const auto& fields) {
    const std::string bytes = FromHex(fields[0]);
    ASSERT_EQ(std::string(std::string_view(JavaUtf8(bytes))), FromHex(fields[1])) << fields[0];
    ASSERT_EQ(IsUtf8(bytes), fields[0] == fields[1]);
  });
}

TEST(Token, OtherTypesPrintPlainly) {
  EXPECT_THAT(Tokens(One<arrow::BooleanBuilder>(arrow::boolean(), true)), ElementsAre("true"));
  EXPECT_THAT(Tokens(One<arrow::Int8Builder>(arrow::int8(), int8_t{-128})), ElementsAre("-128"));
  EXPECT_THAT(Tokens(One<arrow::Int64Builder>(arrow::int64(), std::numeric_limits<int64_t>::min())),
              ElementsAre("-9223372036854775808"));
  EXPECT_THAT(Tokens(One<arrow::StringBuilder>(arrow::utf8(), std::string("\0 é", 4))),
              ElementsAre(std::string("\0 é", 4)));
  EXPECT_FALSE(TokenWriter::HasTokens(*arrow::binary()));
  EXPECT_FALSE(TokenWriter::HasTokens(*arrow::list(arrow::utf8())));
}

TEST(Token, AnUnknownZoneIsRefusedByName) {
  for (const std::string zone : {"Mars/Olympus", "", "/etc/passwd", "+25:00", "../UTC"}) {
    try {
      Tokens(Timestamp(0, "UTC"), zone);
      FAIL() << zone;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("'" + zone + "'"));
    }
  }
}

}  // namespace
}  // namespace ariadne::index
