#include "kinds_lake.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/table_builder.h>
#include <gtest/gtest.h>

#include "arrow_result.h"
#include "build/column_plan.h"
#include "build/update.h"
#include "index/auto_bloom.h"
#include "index/column_index.h"
#include "index/derived_column.h"
#include "source/spark_schema.h"

namespace ariadne::testing {

namespace {

using Kind = IndexedColumn::Kind;
using Files = std::map<std::string, std::shared_ptr<arrow::Table>>;
/// Text of a value ("NULL" for the NULL of a temporal column) -> text of its newest timestamp,
/// which is empty for the kinds without.
using Entries = std::map<std::string, std::string>;

const auto kTimestamp = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");

/// A value as text, equal for values that SQL calls equal.
std::string Text(const arrow::Scalar& value) {
  if (!value.is_valid) return "NULL";
  if (value.type->id() == arrow::Type::DOUBLE) {
    const double number = static_cast<const arrow::DoubleScalar&>(value).value;
    if (std::isnan(number)) return "NaN";
    if (number == 0) return "0";
  }
  if (value.type->id() == arrow::Type::STRING || value.type->id() == arrow::Type::BINARY) {
    return "'" + std::string(static_cast<const arrow::BaseBinaryScalar&>(value).view()) + "'";
  }
  return value.ToString();
}

/// The member at a path, NULL where anything on the way is.
std::shared_ptr<arrow::Scalar> Member(std::shared_ptr<arrow::Scalar> value,
                                      const std::string& path) {
  std::string rest = path;
  while (!rest.empty()) {
    const size_t dot = rest.find('.');
    const auto& type = static_cast<const arrow::StructType&>(*value->type);
    const int field = type.GetFieldIndex(rest.substr(0, dot));
    value = value->is_valid ? static_cast<const arrow::StructScalar&>(*value).value[field]
                            : arrow::MakeNullScalar(type.field(field)->type());
    rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
  }
  return value;
}

int64_t OrderOf(const arrow::Scalar& timestamp) {
  return timestamp.type->id() == arrow::Type::TIMESTAMP
             ? static_cast<const arrow::TimestampScalar&>(timestamp).value
             : static_cast<const arrow::Int64Scalar&>(timestamp).value;
}

Entries Expected(const IndexedColumn& column, const arrow::Table& rows) {
  Entries entries;
  if (column.kind == Kind::kExploded) {
    const auto arrays = rows.GetColumnByName(column.array_column);
    for (int64_t i = 0; i < arrays->length(); ++i) {
      const auto array = Get(arrays->GetScalar(i));
      if (!array->is_valid) continue;
      const auto& elements = static_cast<const arrow::ListScalar&>(*array).value;
      for (int64_t k = 0; k < elements->length(); ++k) {
        const auto value = Member(Get(elements->GetScalar(k)), column.field_path);
        if (value->is_valid) entries[Text(*value)] = "";
      }
    }
    return entries;
  }
  if (column.kind != Kind::kTemporal) {
    const auto values = ColumnValues(column, rows);
    for (int64_t i = 0; i < values->length(); ++i) {
      const auto value = Get(values->GetScalar(i));
      if (value->is_valid) entries[Text(*value)] = "";
    }
    return entries;
  }
  const auto values = rows.GetColumnByName(column.column);
  const std::string root = column.timestamp_column.substr(0, column.timestamp_column.find('.'));
  const std::string path = column.timestamp_column.size() > root.size()
                               ? column.timestamp_column.substr(root.size() + 1)
                               : "";
  const auto times = rows.GetColumnByName(root);
  std::map<std::string, std::shared_ptr<arrow::Scalar>> newest;
  for (int64_t i = 0; i < values->length(); ++i) {
    const auto time = Member(Get(times->GetScalar(i)), path);
    auto& best = newest[Text(*Get(values->GetScalar(i)))];
    if (best == nullptr ||
        (time->is_valid && (!best->is_valid || OrderOf(*best) < OrderOf(*time)))) {
      best = time;
    }
  }
  for (const auto& [value, time] : newest) entries[value] = Text(*time);
  return entries;
}

/// What the index holds: entries in their order.
void AddActual(const IndexedColumn& column, const arrow::Array& entries, Entries* into) {
  for (int64_t i = 0; i < entries.length(); ++i) {
    const auto entry = Get(entries.GetScalar(i));
    ASSERT_TRUE(entry->is_valid);
    std::string value = Text(*entry);
    std::string time;
    if (column.kind == Kind::kTemporal) {
      const auto& members = static_cast<const arrow::StructScalar&>(*entry).value;
      value = Text(*members[0]);
      time = Text(*members[1]);
    } else {
      ASSERT_NE(value, "NULL");
    }
    ASSERT_TRUE(into->emplace(value, time).second) << "twice: " << value;
  }
}

struct LargeRows {
  std::map<std::string, Entries> by_file;
};

LargeRows ReadLarge(const TestLake& lake, const IndexedColumn& column) {
  LargeRows large;
  const auto table = storage::DeltaTable::Open(lake.layout().large_index(column.column));
  if (table == nullptr) return large;
  const auto rows = TestLake::Rows(*table);
  const auto names = rows->GetColumnByName("filename");
  const auto values = rows->GetColumnByName(column.column);
  if (values == nullptr) throw std::runtime_error("no values called " + column.column);
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    const auto value = Get(values->GetScalar(i));
    AddActual(column, *Get(arrow::MakeArrayFromScalar(*value, 1)),
              &large.by_file[Get(names->GetScalar(i))->ToString()]);
  }
  return large;
}

/// Checks that the filter holds all values of the entries.
void CheckFilter(const std::shared_ptr<arrow::DataType>& value, const arrow::Scalar& filter,
                 const IndexedColumn& column, const arrow::Array& rows_of_value) {
  const auto cell = Get(arrow::MakeArrayFromScalar(filter, 1));
  IndexedColumn bloom = column;
  bloom.kind = Kind::kBloom;
  ASSERT_TRUE(rows_of_value.type()->Equals(*value));
  for (int64_t i = 0; i < rows_of_value.length(); i += 1 + rows_of_value.length() / 50) {
    if (rows_of_value.IsNull(i)) continue;
    uint8_t mask = 1;
    index::MakeProbe(bloom, rows_of_value.Slice(i, 1), index::ProbeContext())
        ->Probe(*cell, true, &mask);
    EXPECT_EQ(mask, 1) << "the filter denies " << Get(rows_of_value.GetScalar(i))->ToString();
  }
}

}  // namespace

std::shared_ptr<arrow::Array> ColumnValues(const IndexedColumn& column, const arrow::Table& rows) {
  const auto batch = Get(rows.CombineChunksToBatch());
  if (column.kind == Kind::kExploded) {
    return index::ExplodedValues(*batch->GetColumnByName(column.array_column), column.field_path);
  }
  if (column.kind != Kind::kComputed) return batch->GetColumnByName(column.column);
  arrow::StringBuilder values;
  const auto& source = static_cast<const arrow::StringArray&>(*batch->GetColumnByName("s"));
  for (int64_t i = 0; i < source.length(); ++i) {
    Do(source.IsNull(i) ? values.AppendNull() : values.Append(source.GetString(i) + "!"));
  }
  return Get(values.Finish());
}

std::shared_ptr<arrow::Schema> KindsSchema() {
  const auto meta =
      arrow::struct_({arrow::field("at", kTimestamp),
                      arrow::field("deep", arrow::struct_({arrow::field("n", arrow::int64())}))});
  const auto tag =
      arrow::struct_({arrow::field("k", arrow::utf8()),
                      arrow::field("p", arrow::struct_({arrow::field("q", arrow::int32())}))});
  return arrow::schema(
      {arrow::field("id", arrow::int64()), arrow::field("s", arrow::utf8()),
       arrow::field("d", arrow::float64()), arrow::field("bin", arrow::binary()),
       arrow::field("key", arrow::utf8()), arrow::field("ts", kTimestamp),
       arrow::field("ver", arrow::int64()), arrow::field("meta", meta),
       arrow::field("tags", arrow::list(arrow::field("element", tag))),
       arrow::field("nums", arrow::list(arrow::field("element", arrow::int64())))});
}

std::shared_ptr<arrow::Table> RandomKinds(std::mt19937* random, int64_t rows, int64_t spread) {
  const auto schema = KindsSchema();
  const auto builder = Get(arrow::RecordBatchBuilder::Make(schema, arrow::default_memory_pool()));
  const auto number = [&] { return static_cast<int64_t>((*random)() % spread); };
  const bool no_arrays = (*random)() % 6 == 0;
  const bool no_keys = (*random)() % 8 == 0;
  const auto null = [&] { return (*random)() % 8 == 0; };
  const auto word = [&](int64_t i) {
    static const std::vector<std::string> kWords = {"", "a b", "100%", "Ärger", "😀", "NULL"};
    return i < static_cast<int64_t>(kWords.size()) ? kWords[i] : "w-" + std::to_string(i);
  };
  auto& id = *builder->GetFieldAs<arrow::Int64Builder>(0);
  auto& s = *builder->GetFieldAs<arrow::StringBuilder>(1);
  auto& d = *builder->GetFieldAs<arrow::DoubleBuilder>(2);
  auto& bin = *builder->GetFieldAs<arrow::BinaryBuilder>(3);
  auto& key = *builder->GetFieldAs<arrow::StringBuilder>(4);
  auto& ts = *builder->GetFieldAs<arrow::TimestampBuilder>(5);
  auto& ver = *builder->GetFieldAs<arrow::Int64Builder>(6);
  auto& meta = *builder->GetFieldAs<arrow::StructBuilder>(7);
  auto& at = static_cast<arrow::TimestampBuilder&>(*meta.child(0));
  auto& deep = static_cast<arrow::StructBuilder&>(*meta.child(1));
  auto& n = static_cast<arrow::Int64Builder&>(*deep.child(0));
  auto& tags = *builder->GetFieldAs<arrow::ListBuilder>(8);
  auto& tag = static_cast<arrow::StructBuilder&>(*tags.value_builder());
  auto& k = static_cast<arrow::StringBuilder&>(*tag.child(0));
  auto& p = static_cast<arrow::StructBuilder&>(*tag.child(1));
  auto& q = static_cast<arrow::Int32Builder&>(*p.child(0));
  auto& nums = *builder->GetFieldAs<arrow::ListBuilder>(9);
  auto& num = static_cast<arrow::Int64Builder&>(*nums.value_builder());
  static const double kNumbers[] = {0.0, -0.0, std::nan(""), INFINITY, -INFINITY};
  for (int64_t i = 0; i < rows; ++i) {
    Do(null() ? id.AppendNull() : id.Append(number() - spread / 2));
    Do(null() ? s.AppendNull() : s.Append(word(number())));
    const int64_t place = number();
    Do(null() ? d.AppendNull()
              : d.Append(place < 5 ? kNumbers[place] : static_cast<double>(place) / 8));
    Do(null() ? bin.AppendNull() : bin.Append(word(number()) + std::string("\0\xff", 2)));
    Do(null() || no_keys ? key.AppendNull() : key.Append(word(number())));
    Do(null() ? ts.AppendNull() : ts.Append((number() - spread / 2) * 86'400'000'123));
    Do(null() ? ver.AppendNull() : ver.Append(number() % 5));
    if (null()) {
      Do(meta.AppendNull());
    } else {
      Do(meta.Append());
      Do(null() ? at.AppendNull() : at.Append(number() % 7 * 1'000'000));
      if (null()) {
        Do(deep.AppendNull());
      } else {
        Do(deep.Append());
        Do(null() ? n.AppendNull() : n.Append(number()));
      }
    }
    if (null()) {
      Do(tags.AppendNull());
    } else {
      Do(tags.Append());
      for (int64_t e = no_arrays ? 0 : (*random)() % 4; e > 0; --e) {
        if (null()) {
          Do(tag.AppendNull());
          continue;
        }
        Do(tag.Append());
        Do(null() ? k.AppendNull() : k.Append(word(number())));
        if (null()) {
          Do(p.AppendNull());
        } else {
          Do(p.Append());
          Do(null() ? q.AppendNull() : q.Append(static_cast<int32_t>(number())));
        }
      }
    }
    if (null()) {
      Do(nums.AppendNull());
    } else {
      Do(nums.Append());
      for (int64_t e = no_arrays ? 0 : (*random)() % 4; e > 0; --e) {
        Do(null() ? num.AppendNull() : num.Append(number()));
      }
    }
  }
  return Get(arrow::Table::FromRecordBatches(schema, {Get(builder->Flush())}));
}

IndexedColumn Regular(const std::string& column) {
  return {.kind = Kind::kRegular, .column = column};
}

IndexedColumn Bloom(const std::string& column) { return {.kind = Kind::kBloom, .column = column}; }

IndexedColumn Range(const std::string& column) { return {.kind = Kind::kRange, .column = column}; }

IndexedColumn Computed(const std::string& name) {
  return {.kind = Kind::kComputed, .column = name, .expression = "concat(s, '!')"};
}

IndexedColumn Temporal(const std::string& column, const std::string& timestamp) {
  return {.kind = Kind::kTemporal, .column = column, .timestamp_column = timestamp};
}

IndexedColumn Exploded(const std::string& name, const std::string& array, const std::string& path) {
  return {.kind = Kind::kExploded, .column = name, .array_column = array, .field_path = path};
}

void DeclareKinds(TestLake* lake, const std::vector<IndexedColumn>& columns) {
  storage::IndexMetadata metadata =
      storage::IndexMetadata::Read(lake->layout().metadata()).value_or(storage::IndexMetadata());
  metadata.format = "parquet";
  metadata.schema_json = source::ToSparkJson(*KindsSchema());
  metadata.regular.clear();
  metadata.bloom.clear();
  metadata.range.clear();
  metadata.computed.clear();
  metadata.temporal.clear();
  metadata.exploded.clear();
  for (const IndexedColumn& column : columns) {
    switch (column.kind) {
      case Kind::kRegular:
        metadata.regular.push_back(column.column);
        break;
      case Kind::kBloom:
        metadata.bloom.push_back({column.column, column.fpr});
        break;
      case Kind::kRange:
        metadata.range.push_back(column.column);
        break;
      case Kind::kComputed:
        metadata.computed.emplace_back(column.column, column.expression);
        break;
      case Kind::kTemporal:
        metadata.temporal.push_back({column.column, column.timestamp_column});
        break;
      case Kind::kExploded:
        metadata.exploded.push_back({column.array_column, column.field_path, column.column});
        break;
    }
  }
  metadata.Write(lake->layout().metadata());
}

void CheckKinds(const TestLake& lake, const Files& files, int64_t limit) {
  const storage::IndexMetadata metadata = lake.Metadata();
  const auto main = lake.Main();
  ASSERT_NE(main, nullptr);
  const auto rows = TestLake::Rows(*main);
  std::map<std::string, int64_t> row_of;
  for (int64_t i = 0; i < rows->num_rows(); ++i) {
    const std::string name = Get(rows->GetColumnByName("filename")->GetScalar(i))->ToString();
    EXPECT_TRUE(row_of.emplace(name, i).second) << "two rows of " << name;
  }
  EXPECT_EQ(row_of.size(), files.size());
  for (const build::ColumnPlan& plan :
       build::PlanColumns(build::DeclaredColumns(metadata), *KindsSchema())) {
    const IndexedColumn& column = plan.declared;
    if (!plan.keeps_values()) continue;
    SCOPED_TRACE(column.column);
    const LargeRows large = ReadLarge(lake, column);
    const auto cells = rows->GetColumnByName(column.column);
    const auto filters = rows->GetColumnByName(index::AutoBloomColumn(column.column));
    ASSERT_NE(cells, nullptr);
    const bool filtered = plan.can_filter() && !large.by_file.empty();
    const bool listed = std::find(metadata.auto_bloom.begin(), metadata.auto_bloom.end(),
                                  column.column) != metadata.auto_bloom.end();
    EXPECT_EQ(listed, filtered);
    for (const auto& [uri, data] : files) {
      SCOPED_TRACE(uri);
      ASSERT_TRUE(row_of.contains(uri));
      const Entries expected = Expected(column, *data);
      const auto cell = Get(cells->GetScalar(row_of.at(uri)));
      const bool is_large = static_cast<int64_t>(expected.size()) >= limit;
      EXPECT_EQ(!cell->is_valid, is_large);
      EXPECT_EQ(large.by_file.contains(uri), is_large);
      Entries actual;
      if (cell->is_valid) {
        AddActual(column, *static_cast<const arrow::ListScalar&>(*cell).value, &actual);
      } else if (large.by_file.contains(uri)) {
        actual = large.by_file.at(uri);
      }
      EXPECT_EQ(actual, expected);
      if (!filtered) continue;
      ASSERT_NE(filters, nullptr);
      const auto filter = Get(filters->GetScalar(row_of.at(uri)));
      ASSERT_TRUE(filter->is_valid) << "a filter is missing";
      CheckFilter(plan.value, *filter, column, *ColumnValues(column, *data));
    }
    for (const auto& [uri, entries] : large.by_file) {
      EXPECT_TRUE(files.contains(uri)) << "large rows of " << uri;
    }
  }
  EXPECT_EQ(storage::DeltaTable::Open(lake.layout().staging()), nullptr);
}

void CheckKindsThatAreThere(const TestLake& lake, const Files& files) {
  const auto main = lake.Main();
  if (main == nullptr) return;
  const auto rows = TestLake::Rows(*main);
  for (const build::ColumnPlan& plan :
       build::PlanColumns(build::DeclaredColumns(lake.Metadata()), *KindsSchema())) {
    const IndexedColumn& column = plan.declared;
    if (!plan.keeps_values()) continue;
    SCOPED_TRACE(column.column);
    const LargeRows large = ReadLarge(lake, column);
    for (const auto& [uri, entries] : large.by_file) {
      EXPECT_EQ(entries, Expected(column, *files.at(uri))) << "large rows are whole: " << uri;
    }
    const auto cells = rows->GetColumnByName(column.column);
    const auto filters = rows->GetColumnByName(index::AutoBloomColumn(column.column));
    for (int64_t i = 0; i < rows->num_rows(); ++i) {
      const std::string uri = Get(rows->GetColumnByName("filename")->GetScalar(i))->ToString();
      SCOPED_TRACE(uri);
      const arrow::Table& data = *files.at(uri);
      if (cells != nullptr) {
        const auto cell = Get(cells->GetScalar(i));
        if (cell->is_valid) {
          Entries actual;
          AddActual(column, *static_cast<const arrow::ListScalar&>(*cell).value, &actual);
          EXPECT_EQ(actual, Expected(column, data));
        }
      }
      if (filters == nullptr) continue;
      const auto filter = Get(filters->GetScalar(i));
      if (filter->is_valid) CheckFilter(plan.value, *filter, column, *ColumnValues(column, data));
    }
  }
}

}  // namespace ariadne::testing
