#include "index/guava_bloom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include "ariadne/errors.h"
#include "index/column_index.h"
#include "index/java_double.h"
#include "sample_values.h"

namespace ariadne::index {
namespace {

using Kind = IndexedColumn::Kind;

/// A filter that the JVM library wrote, and the values of its file.
struct JvmCase {
  std::string name;
  double fpr = 0;
  std::shared_ptr<arrow::Array> values;
  std::shared_ptr<arrow::Array> filter;  // length 1
};

std::vector<JvmCase> JvmCases() {
  const auto file =
      arrow::io::ReadableFile::Open(std::string(ARIADNE_TEST_DATA) + "/bloom_cases.arrows")
          .ValueOrDie();
  std::vector<JvmCase> cases;
  while (file->Tell().ValueOrDie() < file->GetSize().ValueOrDie()) {
    const auto reader = arrow::ipc::RecordBatchStreamReader::Open(file).ValueOrDie();
    const auto batch = reader->Next().ValueOrDie();
    EXPECT_EQ(reader->Next().ValueOrDie(), nullptr);
    const auto metadata = reader->schema()->metadata();
    cases.push_back(
        {metadata->Get("file").ValueOrDie() + " " + metadata->Get("column").ValueOrDie(),
         std::stod(metadata->Get("fpr").ValueOrDie()), batch->column(0),
         batch->column(1)->Slice(0, 1)});
  }
  return cases;
}

/// True where JDK releases or the two zeros print one of the values differently.
bool HasSeveralSpellings(const arrow::Array& values) {
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsNull(i)) continue;
    if (values.type_id() == arrow::Type::DOUBLE) {
      const double value = static_cast<const arrow::DoubleArray&>(values).Value(i);
      if (value == 0 || JavaDoubleToString(value) != JavaDoubleToStringJdk18(value)) return true;
    }
    if (values.type_id() == arrow::Type::FLOAT) {
      const float value = static_cast<const arrow::FloatArray&>(values).Value(i);
      if (value == 0 || JavaFloatToString(value) != JavaFloatToStringJdk18(value)) return true;
    }
  }
  return false;
}

TEST(GuavaBloom, EqualsTheFiltersThatTheJvmLibraryWroteByteForByte) {
  const auto cases = JvmCases();
  ASSERT_GT(cases.size(), 50U);
  int equal = 0;
  int supersets = 0;
  for (const JvmCase& jvm : cases) {
    SCOPED_TRACE(jvm.name);
    auto builder = MakeBuilder({Kind::kBloom, "c", jvm.fpr}, jvm.values->type(), {});
    builder->Add(*jvm.values);
    const auto cell = builder->Finish();
    ASSERT_EQ(cell->IsNull(0), jvm.filter->IsNull(0));
    if (cell->IsNull(0)) continue;
    const std::string ours = static_cast<const arrow::BinaryArray&>(*cell).GetString(0);
    const std::string theirs = static_cast<const arrow::BinaryArray&>(*jvm.filter).GetString(0);
    if (!HasSeveralSpellings(*jvm.values)) {
      ++equal;
      EXPECT_EQ(ours, theirs);
      continue;
    }
    ++supersets;
    ASSERT_EQ(ours.size(), theirs.size());
    EXPECT_EQ(ours.substr(0, 6), theirs.substr(0, 6));
    for (size_t i = 6; i < ours.size(); ++i) ASSERT_EQ(ours[i] & theirs[i], theirs[i]);
  }
  EXPECT_GT(equal, 50);
  EXPECT_GT(supersets, 1);
}

TEST(GuavaBloom, FindsEveryValueInTheFiltersOfTheJvm) {
  for (const JvmCase& jvm : JvmCases()) {
    SCOPED_TRACE(jvm.name);
    for (int64_t i = 0; i < jvm.values->length(); ++i) {
      if (jvm.values->IsNull(i)) continue;
      const auto value = ConvertProbe("c", jvm.values->type(), *jvm.values->Slice(i, 1));
      uint8_t mask = 1;
      MakeProbe({Kind::kBloom, "c"}, value, {})->Probe(*jvm.filter, false, &mask);
      ASSERT_EQ(mask, 1) << value->ToString();
    }
  }
}

TEST(GuavaBloom, ErrsAboutAsOftenAsItsRateSays) {
  for (const double fpr : {0.3, 0.05, 0.01, 0.001}) {
    SCOPED_TRACE(fpr);
    const int64_t count = 20000;
    arrow::Int64Builder held;
    for (int64_t i = 0; i < count; ++i) ASSERT_TRUE(held.Append(i * 7919).ok());
    auto builder = MakeBuilder({Kind::kBloom, "c", fpr}, arrow::int64(), {});
    builder->Add(*held.Finish().ValueOrDie());
    const auto cell = builder->Finish();
    const auto filter =
        GuavaBloomView::Parse(static_cast<const arrow::BinaryArray&>(*cell).GetView(0));
    ASSERT_TRUE(filter);
    int64_t wrong = 0;
    const int64_t asked = 100000;
    for (int64_t i = 0; i < asked; ++i) {
      wrong += filter->MightContain(TokenHash(std::to_string(i * 7919 + 1))) ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(wrong) / asked, fpr, fpr * 0.25 + 0.0003);
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_TRUE(filter->MightContain(TokenHash(std::to_string(i * 7919))));
    }
  }
}

TEST(GuavaBloom, DamagedFiltersAreMaybe) {
  GuavaBloom filter(3, 0.01);
  filter.Put(TokenHash("x"));
  const std::string good = filter.Serialize();
  EXPECT_TRUE(GuavaBloomView::Parse(good));
  std::vector<std::string> damaged = {"",
                                      "\1",
                                      good.substr(0, 6),
                                      good.substr(0, good.size() - 1),
                                      good + "x",
                                      '\0' + good.substr(1),
                                      '\2' + good.substr(1)};
  damaged.push_back(good);
  damaged.back()[1] = 0;
  damaged.push_back(std::string("\1\7\0\0\0\0", 6));
  damaged.push_back(std::string("\1\7\xFF\xFF\xFF\xFF", 6));
  for (const std::string& bytes : damaged) EXPECT_FALSE(GuavaBloomView::Parse(bytes));
  const auto probe = MakeProbe({Kind::kBloom, "c"}, Json(arrow::utf8(), R"(["y"])"), {});
  uint8_t mask = 1;
  probe->Probe(*Json(arrow::binary(), R"(["no filter"])"), false, &mask);
  EXPECT_EQ(mask, 1);
}

TEST(GuavaBloom, RatesThatLeaveNoBitAreRefused) {
  for (const double fpr : {0.0, 1.0, -0.1, 0.99, 0.62, std::nan("")}) {
    EXPECT_THROW(CheckSupported({Kind::kBloom, "c", fpr}, *arrow::utf8()), InvalidArgument) << fpr;
  }
  for (const double fpr : {0.61, 0.5, 1e-12}) {
    EXPECT_NO_THROW(CheckSupported({Kind::kBloom, "c", fpr}, *arrow::utf8())) << fpr;
  }
}

TEST(GuavaBloom, TimestampsUnderAnUnknownZoneAreMaybe) {
  const auto type = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  auto builder = MakeBuilder({Kind::kBloom, "c"}, type, {.token_time_zone = "America/New_York"});
  builder->Add(*Json(type, R"(["2024-07-01 12:00:00"])"));
  const auto cell = builder->Finish();
  const auto asks = [&](const std::string& text, const std::string& zone) {
    const auto values = ConvertProbe("c", type, *Json(arrow::utf8(), "[\"" + text + "\"]"));
    uint8_t mask = 1;
    MakeProbe({Kind::kBloom, "c"}, values, {zone})->Probe(*cell, false, &mask);
    return mask == 1;
  };
  EXPECT_TRUE(asks("2024-07-01T12:00:00Z", "America/New_York"));
  EXPECT_FALSE(asks("2024-07-01T12:00:00Z", "UTC"));
  EXPECT_TRUE(asks("2024-07-01T12:00:00Z", ""));
  EXPECT_TRUE(asks("1999-01-01", ""));
}

TEST(GuavaBloom, AnotherReleaseOfTheTimeZonesCausesNoWrongNo) {
  const auto type = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  // Summer 2030 in Mexico: daylight saving time before release 2022f, standard time since.
  const auto values = ConvertProbe("c", type, *Json(arrow::utf8(), R"(["2030-07-01T12:00:00Z"])"));
  const auto finds = [&](const std::string& token) {
    GuavaBloom filter(1, 1e-9);
    filter.Put(TokenHash(token));
    arrow::BinaryBuilder cells;
    EXPECT_TRUE(cells.Append(filter.Serialize()).ok());
    uint8_t mask = 1;
    MakeProbe({Kind::kBloom, "c"}, values, {"America/Mexico_City"})
        ->Probe(*cells.Finish().ValueOrDie(), false, &mask);
    return mask == 1;
  };
  EXPECT_TRUE(finds("2030-07-01 07:00:00.0"));
  EXPECT_TRUE(finds("2030-07-01 06:00:00.0"));
  EXPECT_FALSE(finds("2030-07-01 12:00:00.0"));
}

TEST(GuavaBloom, TimesBefore1970AreMaybeUnderAZoneWithRules) {
  const auto type = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  auto builder = MakeBuilder({Kind::kBloom, "c"}, type, {});
  builder->Add(*Json(type, R"(["2024-07-01 12:00:00"])"));
  const auto cell = builder->Finish();
  const auto old = ConvertProbe("c", type, *Json(arrow::utf8(), R"(["1950-07-01"])"));
  for (const auto& [zone, expected] : {std::pair{"Europe/Amsterdam", 1},
                                       {"UTC", 0},
                                       {"GMT", 0},
                                       {"+01:00", 0},
                                       {"Etc/GMT-5", 0}}) {
    uint8_t mask = 1;
    MakeProbe({Kind::kBloom, "c"}, old, {zone})->Probe(*cell, false, &mask);
    EXPECT_EQ(mask, expected) << zone;
  }
}

TEST(GuavaBloom, FiltersOfBinaryColumnsAreMaybe) {
  GuavaBloom filter(3, 0.01);
  filter.Put(TokenHash("[B@1b6d3586"));
  const auto probe = MakeProbe({Kind::kBloom, "c"}, Json(arrow::binary(), R"(["y"])"), {});
  arrow::BinaryBuilder cells;
  ASSERT_TRUE(cells.Append(filter.Serialize()).ok());
  uint8_t mask = 1;
  probe->Probe(*cells.Finish().ValueOrDie(), false, &mask);
  EXPECT_EQ(mask, 1);
}

TEST(GuavaBloom, IllFormedUtf8IsFoundAsTheJvmHashesIt) {
  arrow::StringBuilder strings;
  ASSERT_TRUE(strings.Append("a\xFF").ok());
  const auto values = strings.Finish().ValueOrDie();
  auto builder = MakeBuilder({Kind::kBloom, "c"}, arrow::utf8(), {});
  builder->Add(*values);
  const auto cell = builder->Finish();
  const auto filter =
      GuavaBloomView::Parse(static_cast<const arrow::BinaryArray&>(*cell).GetView(0));
  EXPECT_TRUE(filter->MightContain(TokenHash("a\xEF\xBF\xBD")));
  uint8_t mask = 1;
  MakeProbe({Kind::kBloom, "c"}, ConvertProbe("c", arrow::utf8(), *values), {})
      ->Probe(*cell, false, &mask);
  EXPECT_EQ(mask, 1);
}

}  // namespace
}  // namespace ariadne::index
