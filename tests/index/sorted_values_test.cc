#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "ariadne/errors.h"
#include "index/auto_bloom.h"
#include "index/column_index.h"
#include "index/distinct_values.h"
#include "index/ordered_bytes.h"
#include "index/temporal_values.h"
#include "sample_values.h"

namespace ariadne::index {
namespace {

std::shared_ptr<arrow::Array> Joined(const arrow::ArrayVector& parts,
                                     const std::shared_ptr<arrow::DataType>& type) {
  return parts.empty() ? arrow::MakeEmptyArray(type).ValueOrDie()
                       : arrow::Concatenate(parts).ValueOrDie();
}

std::vector<int64_t> RandomRows(std::mt19937* random, int64_t length, int64_t count) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < count; ++i) {
    rows.push_back((*random)() % 9 == 0 ? -1 : static_cast<int64_t>((*random)() % length));
  }
  return rows;
}

/// Many different values of a type beside the edge cases.
std::shared_ptr<arrow::Array> Many(const Sample& sample, std::mt19937* random) {
  switch (sample.type->id()) {
    case arrow::Type::INT64:
    case arrow::Type::STRING: {
      std::string json = "[";
      for (int i = 0; i < 3000; ++i) {
        const std::string number = std::to_string(static_cast<int>((*random)() % 5000) - 2500);
        json += (i > 0 ? "," : "") +
                (sample.type->id() == arrow::Type::STRING ? "\"s" + number + "\"" : number);
      }
      return arrow::Concatenate({sample.values, Json(sample.type, json + "]")}).ValueOrDie();
    }
    default:
      return sample.values;
  }
}

TEST(SortedValues, ComeInOrderFromMemoryAndFromDiskAndAreAllThere) {
  std::mt19937 random(1);
  for (const Sample& sample : Samples()) {
    SCOPED_TRACE(sample.type->ToString());
    const auto values = Many(sample, &random);
    for (const int64_t memory : {int64_t{1} << 30, int64_t{1}}) {
      DistinctValues distinct("c", sample.type, {.memory_bytes = memory});
      for (int part = 0; part < 5; ++part) {
        distinct.Add(*Pick(*values, RandomRows(&random, values->length(), 2000)));
      }
      const auto sorted = distinct.Sorted();
      for (const int64_t rows : {1, 7, 1 << 20}) {
        if (rows == 1 && sorted->length() > 500) continue;
        arrow::ArrayVector parts;
        distinct.ForEachSorted(rows, [&](const std::shared_ptr<arrow::Array>& part) {
          EXPECT_LE(part->length(), rows);
          EXPECT_GT(part->length(), 0);
          parts.push_back(part);
        });
        const auto joined = Joined(parts, sample.type);
        ASSERT_EQ(joined->length(), distinct.count());
        ASSERT_EQ(joined->length(), sorted->length());
        for (int64_t i = 0; i < sorted->length(); ++i) {
          ASSERT_TRUE(SqlEqual(*joined, i, *sorted, i)) << i;
          if (!sample.nested && i > 0) {
            ASSERT_TRUE(SqlLess(*joined, i - 1, *joined, i)) << i;
          }
        }
      }
      // An empty visit leaves it as it was.
      EXPECT_EQ(distinct.count(), sorted->length());
    }
  }
}

/// By brute force: for each distinct value the newest timestamp.
struct Version {
  std::shared_ptr<arrow::Array> value;      // Length 1.
  std::shared_ptr<arrow::Array> timestamp;  // Length 1.
};

TEST(TemporalValues, KeepTheNewestTimestampOfEachValueAndTheNull) {
  std::mt19937 random(2);
  const auto samples = Samples();
  for (const Sample& sample : samples) {
    if (sample.nested) {
      EXPECT_THROW(TemporalValues("c", sample.type, arrow::int64(), {}), UnsupportedColumn);
      continue;
    }
    for (const Sample& time : samples) {
      if (time.nested || random() % 3 != 0) continue;
      SCOPED_TRACE(sample.type->ToString() + " by " + time.type->ToString());
      for (const int64_t memory : {int64_t{1} << 30, int64_t{1}}) {
        TemporalValues temporal("c", sample.type, time.type, {.memory_bytes = memory});
        std::vector<Version> versions;
        for (int part = 0; part < 3; ++part) {
          const auto values =
              Pick(*sample.values, RandomRows(&random, sample.values->length(), 30));
          const auto times = Pick(*time.values, RandomRows(&random, time.values->length(), 30));
          temporal.Add(*values, *times);
          for (int64_t i = 0; i < values->length(); ++i) {
            Version* found = nullptr;
            for (Version& version : versions) {
              const bool same = values->IsNull(i) || version.value->IsNull(0)
                                    ? values->IsNull(i) && version.value->IsNull(0)
                                    : SqlEqual(*version.value, 0, *values, i);
              if (same) found = &version;
            }
            if (found == nullptr) {
              versions.push_back({values->Slice(i, 1), times->Slice(i, 1)});
            } else if (times->IsValid(i) &&
                       (found->timestamp->IsNull(0) || SqlLess(*found->timestamp, 0, *times, i))) {
              found->timestamp = times->Slice(i, 1);
            }
          }
        }
        ASSERT_EQ(temporal.count(), static_cast<int64_t>(versions.size()));
        arrow::ArrayVector parts;
        temporal.ForEachSorted(4, [&](const auto& part) { parts.push_back(part); });
        const auto type =
            EntryType({.kind = IndexedColumn::Kind::kTemporal}, sample.type, time.type);
        const auto joined = Joined(parts, type);
        ASSERT_EQ(joined->length(), static_cast<int64_t>(versions.size()));
        const auto& entries = static_cast<const arrow::StructArray&>(*joined);
        const auto& value = *entries.field(0);
        const auto& newest = *entries.field(1);
        for (int64_t i = 0; i < entries.length(); ++i) {
          ASSERT_TRUE(entries.IsValid(i));
          if (value.IsNull(i)) {
            ASSERT_EQ(i, 0) << "the NULL comes first";
          } else if (i > 0 && value.IsValid(i - 1)) {
            ASSERT_TRUE(SqlLess(value, i - 1, value, i));
          }
          bool found = false;
          for (const Version& version : versions) {
            if (value.IsNull(i) != version.value->IsNull(0)) continue;
            if (value.IsValid(i) && !SqlEqual(value, i, *version.value, 0)) continue;
            found = true;
            ASSERT_EQ(newest.IsNull(i), version.timestamp->IsNull(0));
            if (newest.IsValid(i)) {
              ASSERT_TRUE(SqlEqual(newest, i, *version.timestamp, 0));
            }
          }
          ASSERT_TRUE(found);
        }
      }
    }
  }
}

TEST(TemporalBuilder, GivesACellThatTheProbeFindsItsValuesIn) {
  std::mt19937 random(3);
  const IndexedColumn column = {.kind = IndexedColumn::Kind::kTemporal, .column = "c"};
  for (const Sample& sample : Samples()) {
    if (sample.nested) continue;
    SCOPED_TRACE(sample.type->ToString());
    const auto times = arrow::int64();
    const auto builder = MakeBuilder(column, sample.type, {}, times);
    const auto values = Pick(*sample.values, RandomRows(&random, sample.values->length(), 5));
    const auto stamps = Json(times, "[1, 2, null, 4, 5]");
    builder->Add(arrow::StructArray(EntryType(column, sample.type, times), values->length(),
                                    {values, stamps}));
    const auto cell = builder->Finish();
    EXPECT_TRUE(cell->type()->Equals(StorageType(column, sample.type, times)));
    for (int64_t i = 0; i < sample.values->length(); ++i) {
      if (sample.values->IsNull(i)) continue;
      bool expected = false;
      for (int64_t k = 0; k < values->length(); ++k) {
        expected = expected || (values->IsValid(k) && SqlEqual(*values, k, *sample.values, i));
      }
      uint8_t mask = 1;
      MakeProbe(column, sample.values->Slice(i, 1), {})->Probe(*cell, true, &mask);
      EXPECT_EQ(mask == 1, expected) << i;
    }
  }
}

TEST(AutoBloom, IsByteForByteTheFilterThatABloomIndexHas) {
  for (const Sample& sample : Samples()) {
    if (!AutoBloom::Supports(*sample.type)) continue;
    SCOPED_TRACE(sample.type->ToString());
    const IndexedColumn bloom = {.kind = IndexedColumn::Kind::kBloom, .column = "c", .fpr = 0.03};
    const auto builder = MakeBuilder(bloom, sample.type, {});
    builder->Add(*sample.values);
    DistinctValues distinct("c", sample.type, {});
    distinct.Add(*sample.values);
    AutoBloom filter(sample.type, distinct.count(), 0.03, "UTC");
    distinct.ForEachSorted(3, [&](const auto& part) { filter.Add(*part); });
    EXPECT_TRUE(filter.Finish()->Equals(builder->Finish()));
  }
  AutoBloom empty(arrow::int64(), 0, 0.01, "UTC");
  uint8_t mask = 1;
  MakeProbe({.kind = IndexedColumn::Kind::kBloom, .column = "c"}, Json(arrow::int64(), "[1]"), {})
      ->Probe(*empty.Finish(), true, &mask);
  EXPECT_EQ(mask, 0) << "a file without values holds none";
  EXPECT_FALSE(AutoBloom::Supports(*arrow::binary()));
  EXPECT_FALSE(AutoBloom::Supports(*arrow::list(arrow::binary())));
}

}  // namespace
}  // namespace ariadne::index
