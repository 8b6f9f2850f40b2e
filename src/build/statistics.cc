#include "build/statistics.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/array.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/main_rows.h"
#include "build/row_removal.h"
#include "build/table_rows.h"
#include "source/spark_schema.h"
#include "storage/delta_table.h"

namespace ariadne::build {

namespace {

/// A column of the main index and what is gathered from it.
struct Gathered {
  ColumnStatistics statistics;
  std::string storage_column;
  bool counts_values = false;
  std::vector<int64_t> counts;             ///< Distinct values, of the files whose cell has them.
  std::map<std::string, int64_t> without;  ///< FileKey of the files whose cell is null -> rows.
  double fill_sum = 0;
  double rate_sum = 0;
  double width_sum = 0;
};

void AddCounts(const arrow::Array& cells, const std::vector<std::string>& keys, Gathered* column) {
  const auto& lists = static_cast<const arrow::ListArray&>(cells);
  for (int64_t i = 0; i < lists.length(); ++i) {
    if (lists.IsNull(i)) {
      ++column->without[keys[i]];
    } else {
      column->counts.push_back(lists.value_length(i));
    }
  }
}

/// Header of a filter: docs/storage-format.md, "Guava bloom bytes".
constexpr int64_t kFilterHeader = 6;

void AddFilters(const arrow::Array& cells, Gathered* column) {
  const auto& filters = static_cast<const arrow::BinaryArray&>(cells);
  for (int64_t i = 0; i < filters.length(); ++i) {
    if (filters.IsNull(i)) continue;
    ++column->statistics.built_files;
    const std::string_view bytes = filters.GetView(i);
    const auto words = (static_cast<int64_t>(bytes.size()) - kFilterHeader) / 8;
    if (words < 1) continue;
    int64_t set = 0;
    for (int64_t word = 0; word < words; ++word) {
      uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + kFilterHeader + word * 8, sizeof(bits));
      set += std::popcount(bits);
    }
    const double fill = static_cast<double>(set) / static_cast<double>(words * 64);
    auto& total = column->statistics.fill;
    if (!total) total = ColumnStatistics::Fill{.min = fill, .max = fill};
    ++total->filters;
    total->bytes += static_cast<int64_t>(bytes.size());
    total->min = std::min(total->min, fill);
    total->max = std::max(total->max, fill);
    column->fill_sum += fill;
    column->rate_sum += std::pow(fill, static_cast<unsigned char>(bytes[1]));
  }
}

/// The values as numbers in the unit of the widths; nullptr for types without a distance.
std::shared_ptr<arrow::DoubleArray> AsNumbers(const std::shared_ptr<arrow::Array>& values) {
  std::shared_ptr<arrow::Array> plain = values;
  const auto relabel = [&](const std::shared_ptr<arrow::DataType>& type) {
    const auto viewed = values->View(type);
    if (viewed.ok()) plain = *viewed;
  };
  switch (values->type_id()) {
    case arrow::Type::DATE32:
      relabel(arrow::int32());
      break;
    case arrow::Type::TIMESTAMP:
      relabel(arrow::int64());
      break;
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DECIMAL128:
      break;
    default:
      return nullptr;
  }
  const auto numbers =
      arrow::compute::Cast(*plain, arrow::float64(), arrow::compute::CastOptions::Unsafe());
  if (!numbers.ok()) return nullptr;
  return std::static_pointer_cast<arrow::DoubleArray>(*numbers);
}

void AddRanges(const arrow::Array& cells, Gathered* column) {
  const auto& ranges = static_cast<const arrow::StructArray&>(cells);
  const auto low = AsNumbers(ranges.field(0));
  const auto high = AsNumbers(ranges.field(1));
  const double unit = ranges.field(0)->type_id() == arrow::Type::TIMESTAMP ? 1e6 : 1;
  for (int64_t i = 0; i < ranges.length(); ++i) {
    if (ranges.IsNull(i)) continue;
    ++column->statistics.built_files;
    if (low == nullptr || high == nullptr || low->IsNull(i) || high->IsNull(i)) continue;
    const double width = (high->Value(i) - low->Value(i)) / unit;
    if (!std::isfinite(width)) continue;  // Of a range that ends in NaN or infinity.
    auto& total = column->statistics.widths;
    if (!total) total = ColumnStatistics::Widths{.min = width, .max = width};
    ++total->ranges;
    total->min = std::min(total->min, width);
    total->max = std::max(total->max, width);
    column->width_sum += width;
  }
}

/// Rows of each of the files in a large index, by FileKey.
std::map<std::string, int64_t> CountLargeRows(const UpdateTarget& target,
                                              const std::string& column) {
  std::map<std::string, int64_t> rows;
  const auto table = storage::DeltaTable::Open(target.layout.large_index(column));
  if (table == nullptr) return rows;
  CheckPlain(*table);
  const auto schema = arrow::schema({arrow::field("filename", arrow::utf8())});
  std::string last;
  int64_t* count = nullptr;
  for (const storage::DataFile& file : table->files()) {
    TableRows reader(*table, file, schema);
    while (const auto batch = reader.Next()) {
      const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
      for (int64_t i = 0; i < names.length(); ++i) {
        if (names.IsNull(i)) continue;
        if (count == nullptr || names.GetView(i) != last) {
          last = names.GetString(i);
          count = &rows[FileKey(last)];
        }
        ++*count;
      }
    }
  }
  return rows;
}

void FinishValues(const UpdateTarget& target, Gathered* column) {
  ColumnStatistics& statistics = column->statistics;
  if (!column->without.empty()) {
    const auto large = CountLargeRows(target, column->storage_column);
    for (const auto& [key, rows] : column->without) {
      const auto found = large.find(key);
      if (found == large.end()) continue;  // Not built.
      for (int64_t i = 0; i < rows; ++i) column->counts.push_back(found->second);
      statistics.large_files += rows;
    }
  }
  std::vector<int64_t>& counts = column->counts;
  statistics.built_files = static_cast<int64_t>(counts.size());
  if (counts.empty()) return;
  std::sort(counts.begin(), counts.end());
  const auto n = static_cast<double>(counts.size());
  double sum = 0;
  for (const int64_t count : counts) sum += static_cast<double>(count);
  const double mean = sum / n;
  double squares = 0;
  for (const int64_t count : counts) squares += std::pow(static_cast<double>(count) - mean, 2);
  ColumnStatistics::Values values;
  values.min = counts.front();
  values.max = counts.back();
  values.average = RoundToOneDigit(mean);
  values.median = counts[(counts.size() + 1) / 2 - 1];
  if (counts.size() > 1) values.deviation = RoundToOneDigit(std::sqrt(squares / (n - 1)));
  statistics.values = values;
}

std::vector<Gathered> DeclaredIndexes(const storage::IndexMetadata& metadata,
                                      const arrow::Schema& main) {
  std::vector<Gathered> columns;
  const auto add = [&](const char* kind, const std::string& name, std::string storage_column,
                       bool counts_values) {
    Gathered column;
    column.statistics.column = name;
    column.statistics.kind = kind;
    column.storage_column = std::move(storage_column);
    column.counts_values = counts_values;
    columns.push_back(std::move(column));
  };
  for (const auto& name : metadata.regular) add("regular", name, name, true);
  for (const auto& [name, expression] : metadata.computed) add("computed", name, name, true);
  const auto by_array = ExplodedNamedByArray(metadata);
  for (const auto& field : metadata.exploded) {
    const std::string& name = field.as_column;
    const bool old = by_array.contains(name) && main.GetFieldByName(name) == nullptr;
    add("exploded", name, old ? by_array.at(name) : name, true);
  }
  for (const auto& field : metadata.temporal) add("temporal", field.column, field.column, true);
  for (const auto& bloom : metadata.bloom) {
    add("bloom", bloom.column, "bloom_" + bloom.column, false);
  }
  for (const auto& name : metadata.auto_bloom) add("auto-bloom", name, "auto_bloom_" + name, false);
  for (const auto& name : metadata.range) add("range", name, "range_" + name, false);
  return columns;
}

}  // namespace

double RoundToOneDigit(double value) {
  // From here on a double has no tenths.
  if (!std::isfinite(value) || std::abs(value) >= 1e15) return value;
  char text[512];  // The smallest double takes 326 characters.
  const auto end =
      std::to_chars(text, text + sizeof(text), std::abs(value), std::chars_format::fixed);
  std::string_view digits(text, end.ptr - text);
  const size_t point = digits.find('.');
  if (point == std::string_view::npos || digits.size() <= point + 2) return value;
  double tenths = 0;
  const std::string kept = std::string(digits.substr(0, point)) + digits[point + 1];
  std::from_chars(kept.data(), kept.data() + kept.size(), tenths);
  if (digits[point + 2] >= '5') ++tenths;
  return std::copysign(tenths / 10, value);
}

std::vector<ColumnStatistics> ComputeStatistics(const UpdateTarget& target,
                                                const storage::IndexMetadata& metadata) {
  const auto main = storage::DeltaTable::Open(target.layout.main_index());
  if (main == nullptr) return {};
  CheckPlain(*main);
  const auto main_schema = source::FromSparkJson(main->schema_json());
  std::vector<Gathered> columns = DeclaredIndexes(metadata, *main_schema);
  arrow::FieldVector fields = {arrow::field("filename", arrow::utf8())};
  std::vector<int> place(columns.size(), -1);
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto field = main_schema->GetFieldByName(columns[i].storage_column);
    if (field == nullptr) continue;  // Declared, and no update has built it.
    const auto wanted = columns[i].counts_values                     ? arrow::Type::LIST
                        : field->type()->id() == arrow::Type::STRUCT ? arrow::Type::STRUCT
                                                                     : arrow::Type::BINARY;
    if (field->type()->id() != wanted) continue;
    place[i] = static_cast<int>(fields.size());
    fields.push_back(field);
  }
  const auto schema = arrow::schema(fields);
  int64_t rows = 0;
  for (const storage::DataFile& file : main->files()) {
    TableRows reader(*main, file, schema);
    while (const auto batch = reader.Next()) {
      rows += batch->num_rows();
      const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
      std::vector<std::string> keys;
      for (int64_t i = 0; i < names.length(); ++i) {
        keys.push_back(names.IsNull(i) ? "" : FileKey(names.GetString(i)));
      }
      for (size_t i = 0; i < columns.size(); ++i) {
        if (place[i] < 0) continue;
        const arrow::Array& cells = *batch->column(place[i]);
        if (columns[i].counts_values) {
          AddCounts(cells, keys, &columns[i]);
        } else if (cells.type_id() == arrow::Type::STRUCT) {
          AddRanges(cells, &columns[i]);
        } else {
          AddFilters(cells, &columns[i]);
        }
      }
    }
  }
  std::vector<ColumnStatistics> result;
  for (Gathered& column : columns) {
    ColumnStatistics& statistics = column.statistics;
    statistics.file_count = rows;
    if (column.counts_values) FinishValues(target, &column);
    if (statistics.fill) {
      const auto n = static_cast<double>(statistics.fill->filters);
      statistics.fill->average = column.fill_sum / n;
      statistics.fill->false_positive_rate = column.rate_sum / n;
    }
    if (statistics.widths) {
      statistics.widths->average =
          column.width_sum / static_cast<double>(statistics.widths->ranges);
    }
    result.push_back(std::move(statistics));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.column < b.column; });
  return result;
}

}  // namespace ariadne::build
