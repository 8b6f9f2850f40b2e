#include "index/column_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compare.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "index/guava_bloom.h"
#include "sample_values.h"

namespace ariadne::index {
namespace {

using Kind = IndexedColumn::Kind;
using testing::HasSubstr;

constexpr Kind kKinds[] = {Kind::kRegular, Kind::kBloom, Kind::kRange};

bool Supports(const IndexedColumn& column, const arrow::DataType& type) {
  try {
    CheckSupported(column, type);
    return true;
  } catch (const UnsupportedColumn&) {
    return false;
  }
}

/// What one file holds.
struct File {
  std::shared_ptr<arrow::Array> values;
  int64_t distinct = 0;
};

File RandomFile(const arrow::Array& pool, std::mt19937_64* random) {
  std::vector<int64_t> rows((*random)() % 40);
  for (int64_t& row : rows) row = static_cast<int64_t>((*random)() % (pool.length() + 1)) - 1;
  File file{Pick(pool, rows)};
  for (int64_t i = 0; i < file.values->length(); ++i) {
    if (file.values->IsNull(i)) continue;
    bool seen = false;
    for (int64_t j = 0; j < i && !seen; ++j) {
      seen = file.values->IsValid(j) && SqlEqual(*file.values, i, *file.values, j);
    }
    if (!seen) ++file.distinct;
  }
  return file;
}

bool Holds(const arrow::Array& values, const arrow::Array& probe) {
  for (int64_t i = 0; i < values.length(); ++i) {
    for (int64_t j = 0; j < probe.length(); ++j) {
      if (values.IsValid(i) && probe.IsValid(j) && SqlEqual(values, i, probe, j)) return true;
    }
  }
  return false;
}

bool InRange(const arrow::Array& values, const arrow::Array& probe) {
  for (int64_t j = 0; j < probe.length(); ++j) {
    bool above = false;
    bool below = false;
    for (int64_t i = 0; i < values.length() && probe.IsValid(j); ++i) {
      if (values.IsNull(i)) continue;
      above = above || !SqlLess(probe, j, values, i);
      below = below || !SqlLess(values, i, probe, j);
    }
    if (above && below) return true;
  }
  return false;
}

/// Adds `values` in pieces, sliced, so that offsets count.
std::unique_ptr<ColumnBuilder> Built(const IndexedColumn& column, const arrow::Array& values,
                                     std::mt19937_64* random, const BuildContext& context = {}) {
  auto builder = MakeBuilder(column, values.type(), context);
  for (int64_t begin = 0; begin < values.length();) {
    const auto count = static_cast<int64_t>((*random)() % 9);
    builder->Add(*values.Slice(begin, count));
    begin += count;
  }
  return builder;
}

TEST(ColumnIndex, EveryKindAnswersAsBruteForceDoesForEveryType) {
  std::mt19937_64 random(1);
  for (const Sample& sample : Samples()) {
    for (const Kind kind : kKinds) {
      const IndexedColumn column{kind, "c", 0.05};
      if (!Supports(column, *sample.type)) continue;
      SCOPED_TRACE(StorageColumn(column) + " " + sample.type->ToString());
      for (int trial = 0; trial < 25; ++trial) {
        std::vector<File> files;
        arrow::ArrayVector cells;
        for (int f = 0; f < 6; ++f) {
          files.push_back(RandomFile(*sample.values, &random));
          auto builder = Built(column, *files.back().values, &random);
          if (kind != Kind::kRange) {
            ASSERT_EQ(builder->distinct_count(), files.back().distinct);
          }
          cells.push_back(builder->Finish());
          ASSERT_TRUE(cells.back()->ValidateFull().ok()) << cells.back()->ToString();
          ASSERT_TRUE(cells.back()->type()->Equals(*StorageType(column, sample.type)));
        }
        std::vector<int64_t> asked(random() % (trial < 5 ? 2 : 12));
        for (int64_t& row : asked) {
          row = static_cast<int64_t>(random() % (sample.values->length() + 1)) - 1;
        }
        const auto probe_values = Pick(*sample.values, asked);
        const auto converted = ConvertProbe("c", sample.type, *probe_values);
        ASSERT_TRUE(converted->ValidateFull().ok());
        const auto probe = MakeProbe(column, converted, {});
        // A slice, so that the offset of the cells counts too.
        const auto all = arrow::Concatenate(cells).ValueOrDie()->Slice(1);
        std::vector<uint8_t> mask(all->length(), 1);
        probe->Probe(*all, false, mask.data());
        for (size_t f = 1; f < files.size(); ++f) {
          const bool holds = Holds(*files[f].values, *probe_values);
          if (holds) {
            ASSERT_EQ(mask[f - 1], 1) << "a wrong no: " << files[f].values->ToString() << " asked "
                                      << probe_values->ToString();
          }
          if (kind == Kind::kRegular) {
            ASSERT_EQ(mask[f - 1], holds ? 1 : 0);
          }
          if (kind == Kind::kRange) {
            ASSERT_EQ(mask[f - 1], InRange(*files[f].values, *probe_values) ? 1 : 0)
                << files[f].values->ToString() << probe_values->ToString();
          }
        }
      }
    }
  }
}

TEST(ColumnIndex, ARegularCellIsSortedAndDistinct) {
  std::mt19937_64 random(2);
  const IndexedColumn column{Kind::kRegular, "c"};
  for (const Sample& sample : Samples()) {
    SCOPED_TRACE(sample.type->ToString());
    const auto cell = Built(column, *sample.values, &random)->Finish();
    const auto values = static_cast<const arrow::ListArray&>(*cell).value_slice(0);
    EXPECT_EQ(values->null_count(), 0);
    for (int64_t i = 1; i < values->length(); ++i) {
      ASSERT_FALSE(SqlEqual(*values, i - 1, *values, i));
      if (!sample.nested) {
        ASSERT_TRUE(SqlLess(*values, i - 1, *values, i)) << values->ToString();
      }
    }
    for (int64_t i = 0; i < sample.values->length(); ++i) {
      ASSERT_TRUE(Holds(*values, *sample.values->Slice(i, 1)));
    }
  }
}

TEST(ColumnIndex, SpillingChangesNoCellAndNoCount) {
  std::mt19937_64 random(3);
  for (const Sample& sample : Samples()) {
    for (const Kind kind : {Kind::kRegular, Kind::kBloom}) {
      const IndexedColumn column{kind, "c", 0.01};
      if (!Supports(column, *sample.type)) continue;
      SCOPED_TRACE(StorageColumn(column) + " " + sample.type->ToString());
      BuildContext tight;
      tight.memory_bytes = 300;
      tight.spill_folder = testing::TempDir() + "ariadne spill %";
      std::vector<int64_t> rows(500);
      for (int64_t& row : rows) {
        row = static_cast<int64_t>(random() % (sample.values->length() + 1)) - 1;
      }
      const auto values = Pick(*sample.values, rows);
      const auto roomy = Built(column, *values, &random);
      const auto spilling = Built(column, *values, &random, tight);
      EXPECT_EQ(spilling->distinct_count(), roomy->distinct_count());
      spilling->Add(*values);  // counting must not end the building
      EXPECT_EQ(spilling->distinct_count(), roomy->distinct_count());
      EXPECT_TRUE(
          spilling->Finish()->Equals(*roomy->Finish(), arrow::EqualOptions().nans_equal(true)));
    }
  }
}

TEST(ColumnIndex, SpillingKeepsMemoryNearItsLimit) {
  BuildContext context;
  context.memory_bytes = 1 << 20;
  for (const Kind kind : {Kind::kRegular, Kind::kBloom}) {
    auto builder = MakeBuilder({kind, "c"}, arrow::utf8(), context);
    for (int batch = 0; batch < 100; ++batch) {
      arrow::StringBuilder values;
      for (int i = 0; i < 2000; ++i) {
        ASSERT_TRUE(values.Append("value " + std::to_string(batch * 1500 + i)).ok());
      }
      builder->Add(*values.Finish().ValueOrDie());
      ASSERT_LE(builder->memory_bytes(), context.memory_bytes);
    }
    EXPECT_EQ(builder->distinct_count(), 99 * 1500 + 2000);
    const auto cell = builder->Finish();
    if (kind == Kind::kRegular) {
      const auto values = static_cast<const arrow::ListArray&>(*cell).value_slice(0);
      ASSERT_EQ(values->length(), 99 * 1500 + 2000);
      for (int64_t i = 1; i < values->length(); ++i) {
        ASSERT_TRUE(SqlLess(*values, i - 1, *values, i));
      }
    }
  }
}

TEST(ColumnIndex, ManyStringsWithLongSharedStretchesSortByBytes) {
  std::mt19937_64 random(5);
  arrow::StringBuilder strings;
  std::vector<std::string> expected;
  for (int i = 0; i < 20000; ++i) {
    std::string value = "every string begins like this ";
    value += random() % 2 ? "and half of them go on like that " : "";
    for (uint64_t n = random() % 30; n > 0; --n) value += "\0ab"[random() % 3];
    expected.push_back(value);
    ASSERT_TRUE(strings.Append(value).ok());
  }
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  auto builder = MakeBuilder({Kind::kRegular, "c"}, arrow::utf8(), {});
  builder->Add(*strings.Finish().ValueOrDie());
  const auto cell = builder->Finish();
  const auto& values =
      static_cast<const arrow::StringArray&>(*static_cast<const arrow::ListArray&>(*cell).values());
  ASSERT_EQ(values.length(), static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < values.length(); ++i) ASSERT_EQ(values.GetView(i), expected[i]);
}

TEST(ColumnIndex, ManyNumbersSortByValue) {
  std::mt19937_64 random(6);
  arrow::DoubleBuilder numbers;
  std::vector<double> expected;
  for (int i = 0; i < 5000; ++i) {
    expected.push_back(static_cast<double>(static_cast<int64_t>(random())) / (1 + random() % 1000));
    ASSERT_TRUE(numbers.Append(expected.back()).ok());
  }
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  auto builder = MakeBuilder({Kind::kRegular, "c"}, arrow::float64(), {});
  builder->Add(*numbers.Finish().ValueOrDie());
  const auto cell = builder->Finish();
  const auto values = static_cast<const arrow::ListArray&>(*cell).value_slice(0);
  arrow::DoubleBuilder again;
  ASSERT_TRUE(again.AppendValues(expected).ok());
  EXPECT_TRUE(values->Equals(*again.Finish().ValueOrDie()));
}

TEST(ColumnIndex, AFileWithoutAValueIsAnEmptyListOrANullCell) {
  for (const Sample& sample : Samples()) {
    for (const Kind kind : kKinds) {
      const IndexedColumn column{kind, "c"};
      if (!Supports(column, *sample.type)) continue;
      SCOPED_TRACE(StorageColumn(column) + " " + sample.type->ToString());
      auto builder = MakeBuilder(column, sample.type, {});
      builder->Add(*arrow::MakeArrayOfNull(sample.type, 3).ValueOrDie());
      EXPECT_EQ(builder->distinct_count(), 0);
      const auto cell = builder->Finish();
      ASSERT_EQ(cell->length(), 1);
      EXPECT_EQ(cell->IsNull(0), kind != Kind::kRegular);
      const auto probe =
          MakeProbe(column, ConvertProbe("c", sample.type, *sample.values->Slice(0, 1)), {});
      uint8_t mask = 1;
      probe->Probe(*cell, false, &mask);
      EXPECT_EQ(mask, 0);
    }
  }
}

TEST(ColumnIndex, ANullCellOfARegularIndexStaysACandidate) {
  const auto cells = Json(StorageType({Kind::kRegular, "c"}, arrow::int64()), "[null, [1], [2]]");
  const auto probe = MakeProbe({Kind::kRegular, "c"}, Json(arrow::int64(), "[1]"), {});
  std::vector<uint8_t> mask = {1, 1, 1};
  probe->Probe(*cells, false, mask.data());
  EXPECT_THAT(mask, testing::ElementsAre(1, 1, 0));
}

TEST(ColumnIndex, ANullCellIsMaybeWhereItMayNotBeBuiltYet) {
  for (const Kind kind : {Kind::kBloom, Kind::kRange}) {
    const IndexedColumn column{kind, "c"};
    const auto cells = arrow::MakeArrayOfNull(StorageType(column, arrow::int64()), 2).ValueOrDie();
    const auto probe = MakeProbe(column, Json(arrow::int64(), "[1]"), {});
    std::vector<uint8_t> mask = {1, 0};
    probe->Probe(*cells, true, mask.data());
    EXPECT_THAT(mask, testing::ElementsAre(1, 0));
    probe->Probe(*cells, false, mask.data());
    EXPECT_THAT(mask, testing::ElementsAre(0, 0));
  }
}

TEST(ColumnIndex, ANullBoundLeavesThatSideOpen) {
  const auto type = StorageType({Kind::kRange, "c"}, arrow::int64());
  const auto cells = Json(type, R"([{"min": null, "max": 5}, {"min": 5, "max": null},
                                    {"min": null, "max": null}])");
  const auto probe = MakeProbe({Kind::kRange, "c"}, Json(arrow::int64(), "[7]"), {});
  std::vector<uint8_t> mask = {1, 1, 1};
  probe->Probe(*cells, false, mask.data());
  EXPECT_THAT(mask, testing::ElementsAre(0, 1, 0));
}

TEST(ColumnIndex, NoProbedValueMatchesNoFile) {
  for (const Kind kind : kKinds) {
    const IndexedColumn column{kind, "c"};
    auto builder = MakeBuilder(column, arrow::int64(), {});
    builder->Add(*Json(arrow::int64(), "[1, 2]"));
    const auto cells =
        arrow::Concatenate(
            {builder->Finish(),
             arrow::MakeArrayOfNull(StorageType(column, arrow::int64()), 1).ValueOrDie()})
            .ValueOrDie();
    const auto probe = MakeProbe(column, Json(arrow::int64(), "[]"), {});
    std::vector<uint8_t> mask = {1, 1};
    probe->Probe(*cells, true, mask.data());
    EXPECT_THAT(mask, testing::ElementsAre(0, 0));
  }
}

TEST(ColumnIndex, ListsInTheOrderOfTheJvmAreSearchedWhole) {
  const auto cells = Json(arrow::list(arrow::utf8()), R"([["z", "b", "q"], ["m", "a"], []])");
  const auto probe = MakeProbe({Kind::kRegular, "c"}, Json(arrow::utf8(), R"(["b", "c"])"), {});
  std::vector<uint8_t> mask = {1, 1, 1};
  probe->Probe(*cells, false, mask.data());
  EXPECT_THAT(mask, testing::ElementsAre(1, 0, 0));
}

TEST(ColumnIndex, CellsOfANarrowerTypeAreReadThrough) {
  const auto cells = Json(arrow::list(arrow::int32()), "[[1, 2], [3]]");
  const auto probe = MakeProbe({Kind::kRegular, "c"}, Json(arrow::int64(), "[3]"), {});
  std::vector<uint8_t> mask = {1, 1};
  probe->Probe(*cells, false, mask.data());
  EXPECT_THAT(mask, testing::ElementsAre(0, 1));
}

TEST(ColumnIndex, CellsThatCannotBeReadStayCandidates) {
  const auto cells = Json(arrow::list(arrow::utf8()), R"([["x"], ["y"]])");
  std::vector<uint8_t> mask = {1, 1};
  for (const Kind kind : {Kind::kRegular, Kind::kRange}) {
    MakeProbe({kind, "c"}, Json(arrow::int64(), "[3]"), {})->Probe(*cells, false, mask.data());
    EXPECT_THAT(mask, testing::ElementsAre(1, 1));
  }
}

TEST(ColumnIndex, ARangeFromKnownBoundsEqualsTheBuiltOne) {
  for (const Sample& sample : Samples()) {
    if (sample.nested) continue;
    SCOPED_TRACE(sample.type->ToString());
    int64_t min = 0;
    int64_t max = 0;
    for (int64_t i = 0; i < sample.values->length(); ++i) {
      if (SqlLess(*sample.values, i, *sample.values, min)) min = i;
      if (SqlLess(*sample.values, max, *sample.values, i)) max = i;
    }
    auto builder = MakeBuilder({Kind::kRange, "c"}, sample.type, {});
    builder->Add(*sample.values);
    const auto from_bounds = RangeCell(sample.type, *sample.values->GetScalar(min).ValueOrDie(),
                                       *sample.values->GetScalar(max).ValueOrDie());
    EXPECT_TRUE(from_bounds->Equals(*builder->Finish(), arrow::EqualOptions().nans_equal(true)));
    EXPECT_TRUE(RangeCell(sample.type, *arrow::MakeNullScalar(sample.type),
                          *arrow::MakeNullScalar(sample.type))
                    ->IsNull(0));
  }
}

TEST(ColumnIndex, RefusesTypesThatAKindCannotCarry) {
  const auto map = arrow::map(arrow::utf8(), arrow::int32());
  const auto list = arrow::list(arrow::int32());
  EXPECT_THROW(CheckSupported({Kind::kRegular, "c"}, *map), UnsupportedColumn);
  EXPECT_THROW(CheckSupported({Kind::kRegular, "c"}, *arrow::list(map)), UnsupportedColumn);
  EXPECT_THROW(CheckSupported({Kind::kBloom, "c"}, *list), UnsupportedColumn);
  EXPECT_THROW(CheckSupported({Kind::kRange, "c"}, *list), UnsupportedColumn);
  EXPECT_NO_THROW(CheckSupported({Kind::kRegular, "c"}, *list));
  EXPECT_NO_THROW(CheckSupported({Kind::kRange, "c"}, *arrow::binary()));
  try {
    CheckSupported({Kind::kBloom, "blob"}, *arrow::binary());
    FAIL();
  } catch (const UnsupportedColumn& error) {
    EXPECT_THAT(error.what(), HasSubstr("blob"));
    EXPECT_THAT(error.what(), HasSubstr("binary"));
  }
}

TEST(ColumnIndex, AForeignFilterOnATypeWithoutTokensIsBuiltToSayMaybe) {
  const IndexedColumn column{Kind::kBloom, "c"};
  auto builder = MakeBuilder(column, arrow::binary(), {});
  builder->Add(*arrow::MakeArrayOfNull(arrow::binary(), 3).ValueOrDie());
  EXPECT_TRUE(builder->Finish()->IsNull(0));
  builder->Add(*arrow::MakeArrayFromScalar(arrow::BinaryScalar("x"), 1).ValueOrDie());
  const auto cell = builder->Finish();
  ASSERT_TRUE(cell->IsValid(0));
  const auto filter =
      GuavaBloomView::Parse(static_cast<const arrow::BinaryArray&>(*cell).GetView(0));
  ASSERT_TRUE(filter.has_value());
  for (const char* token : {"x", "y", ""}) {
    EXPECT_TRUE(filter->MightContain(TokenHash(token)));
  }
}

TEST(ColumnIndex, AFilterWithoutABitHoldsNothingThoughItsTokensAreUnknown) {
  arrow::BinaryBuilder cells;
  ASSERT_TRUE(cells.Append(GuavaBloom(1, 0.01).Serialize()).ok());
  GuavaBloom some(1, 0.01);
  some.Put(TokenHash("x"));
  ASSERT_TRUE(cells.Append(some.Serialize()).ok());
  ASSERT_TRUE(cells.Append("no filter").ok());
  const auto stored = *cells.Finish();
  const auto probe =
      MakeProbe({Kind::kBloom, "c"}, *arrow::MakeArrayFromScalar(arrow::BinaryScalar("y"), 1), {});
  uint8_t mask[] = {1, 1, 1};
  probe->Probe(*stored, /*null_is_maybe=*/true, mask);
  EXPECT_THAT(mask, testing::ElementsAre(0, 1, 1));
}

TEST(ColumnIndex, NestedValuesMayNameAndRestrictTheirFieldsOtherwise) {
  const auto declared = arrow::list(arrow::field("element", arrow::int32()));
  const auto given = arrow::list(arrow::field("item", arrow::int32(), /*nullable=*/false));
  auto builder = MakeBuilder({Kind::kRegular, "c"}, declared, {});
  builder->Add(*Json(given, "[[1, 2], [3], [1, 2]]"));
  EXPECT_EQ(builder->distinct_count(), 2);
  const auto cell = builder->Finish();
  const auto asked = ConvertProbe("c", declared, *Json(given, "[[3]]"));
  for (const auto& type : {declared, given}) {
    // Cells as Parquet gives them back, and as a file of the other naming would.
    const auto cells = Json(arrow::list(arrow::field("element", type)), "[[[1, 2], [3]], [[4]]]");
    std::vector<uint8_t> mask = {1, 1};
    MakeProbe({Kind::kRegular, "c"}, asked, {})->Probe(*cells, false, mask.data());
    EXPECT_THAT(mask, testing::ElementsAre(1, 0));
  }
}

TEST(ColumnIndex, ValuesInAnyOfArrowsSpellingsAreTaken) {
  const auto texts = Json(arrow::large_utf8(), R"(["b", "a", null])");
  auto builder = MakeBuilder({Kind::kRegular, "c"}, arrow::utf8(), {});
  builder->Add(*texts);
  builder->Add(*Json(arrow::dictionary(arrow::int32(), arrow::utf8()), R"(["a", "c", null])"));
  EXPECT_EQ(builder->distinct_count(), 3);
  auto bloom = MakeBuilder({Kind::kBloom, "c"}, arrow::utf8(), {});
  bloom->Add(*texts);
  EXPECT_EQ(bloom->distinct_count(), 2);
  auto range = MakeBuilder({Kind::kRange, "c"}, arrow::utf8(), {});
  range->Add(*texts);
  EXPECT_TRUE(range->Finish()->Equals(
      *Json(StorageType({Kind::kRange, "c"}, arrow::utf8()), R"([{"min": "a", "max": "b"}])")));
  auto widened = MakeBuilder({Kind::kRegular, "c"}, arrow::int64(), {});
  widened->Add(*Json(arrow::int32(), "[7, 8]"));
  EXPECT_EQ(widened->distinct_count(), 2);
}

TEST(ColumnIndex, ValuesOfAnotherTypeAreRefusedByName) {
  const auto expect_refusal = [](ColumnBuilder& builder, const std::string& values) {
    try {
      builder.Add(*Json(arrow::list(arrow::int32()), values));
      ADD_FAILURE();
    } catch (const SchemaMismatch& error) {
      EXPECT_THAT(error.what(), HasSubstr("amount"));
      EXPECT_THAT(error.what(), HasSubstr("list<item: int32>"));
    }
  };
  for (const Kind kind : {Kind::kRegular, Kind::kBloom, Kind::kRange}) {
    for (const auto& type : {arrow::int64(), arrow::utf8()}) {
      SCOPED_TRACE(std::string(ToString(kind)) + " over " + type->ToString());
      expect_refusal(*MakeBuilder({kind, "amount"}, type, {}), "[[1]]");
    }
  }
}

TEST(ColumnIndex, HashesAreEqualForEqualValuesAndDifferForOthers) {
  for (const Sample& sample : Samples()) {
    SCOPED_TRACE(sample.type->ToString());
    const auto hashes = HashValues(*sample.values->Slice(1));
    for (size_t i = 0; i < hashes.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const bool equal = SqlEqual(*sample.values, i + 1, *sample.values, j + 1);
        ASSERT_EQ(hashes[i] == hashes[j], equal) << i << " " << j;
      }
    }
  }
}

}  // namespace
}  // namespace ariadne::index
