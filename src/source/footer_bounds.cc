#include "source/footer_bounds.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array/array_base.h>
#include <arrow/compute/exec.h>
#include <arrow/datum.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <parquet/statistics.h>

#include "source/column_chunk.h"
#include "source/convert.h"
#include "source/leaf_values.h"

namespace ariadne::source {

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 4;

int64_t Add(int64_t a, int64_t b) { return a > kMost - b ? kMost : a + b; }
int64_t Multiply(int64_t a, int64_t b) { return b != 0 && a > kMost / b ? kMost : a * b; }

// Bytes that an entry of a dictionary page takes at least.
int64_t EntryBytes(const parquet::ColumnDescriptor& column) {
  switch (column.physical_type()) {
    case parquet::Type::INT64:
    case parquet::Type::DOUBLE:
      return 8;
    case parquet::Type::INT96:
      return 12;
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return std::max(column.type_length(), 1);
    case parquet::Type::BOOLEAN:
      return 0;
    default:
      return 4;
  }
}

int64_t ValuesOfType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return 2;
    case arrow::Type::INT8:
    case arrow::Type::UINT8:
      return 1 << 8;
    case arrow::Type::INT16:
    case arrow::Type::UINT16:
      return 1 << 16;
    default:
      return kMost;
  }
}

int64_t ChunkDistinct(const parquet::ColumnChunkMetaData& chunk,
                      const parquet::ColumnDescriptor& column) {
  const int64_t values = std::max<int64_t>(chunk.num_values(), 0);
  const int64_t entry = EntryBytes(column);
  if (entry == 0 || chunk.total_uncompressed_size() <= 0 || !IsAllDictionary(chunk)) return values;
  return std::min(values, chunk.total_uncompressed_size() / entry);
}

bool HasVariableLength(const parquet::ColumnDescriptor& column) {
  return column.physical_type() == parquet::Type::BYTE_ARRAY;
}

// Bytes of all values of a chunk of byte arrays. Front-coded values share prefixes, so that they
// can be larger than their pages.
int64_t ByteArrayBytes(const parquet::ColumnChunkMetaData& chunk) {
  const int64_t pages = std::max<int64_t>(chunk.total_uncompressed_size(), 0);
  const auto& encodings = chunk.encodings();
  if (std::find(encodings.begin(), encodings.end(), parquet::Encoding::DELTA_BYTE_ARRAY) ==
      encodings.end()) {
    return pages;
  }
  return Multiply(pages, std::max<int64_t>(chunk.num_values(), 1));
}

// Leaves of a top-level field.
std::vector<int> LeavesOf(const ParquetFile& file, int field) {
  const parquet::SchemaDescriptor& schema = *file.metadata().schema();
  const parquet::schema::Node* wanted = schema.group_node()->field(field).get();
  std::vector<int> leaves;
  for (int i = 0; i < schema.num_columns(); ++i) {
    if (schema.GetColumnRoot(i) == wanted) leaves.push_back(i);
  }
  return leaves;
}

int64_t NestedBytes(const ParquetFile& file, int field) {
  constexpr int64_t kSlotBytes = 16;  // The widest fixed value, or an offset, and validity.
  int64_t bytes = 0;
  for (const int leaf : LeavesOf(file, field)) {
    for (int group = 0; group < file.metadata().num_row_groups(); ++group) {
      const auto row_group = file.metadata().RowGroup(group);
      const auto chunk = row_group->ColumnChunk(leaf);
      const int64_t values = std::max<int64_t>(chunk->num_values(), 0);
      bytes = Add(bytes, Multiply(values, kSlotBytes));
      if (!HasVariableLength(*file.metadata().schema()->Column(leaf))) continue;
      // A value of the dictionary may stand in many distinct rows.
      bytes =
          Add(bytes, chunk->has_dictionary_page()
                         ? Multiply(values, std::max<int64_t>(chunk->total_uncompressed_size(), 1))
                         : ByteArrayBytes(*chunk));
    }
  }
  return bytes;
}

// Writers whose footers hold a byte array bound whole or not at all.
bool NeverTruncates(const parquet::FileMetaData& metadata) {
  return metadata.writer_version().application_ == "parquet-cpp-arrow";
}

// Writers known to order decimals stored as bytes by their value.
bool OrdersDecimals(const parquet::FileMetaData& metadata) {
  const auto& writer = metadata.writer_version();
  if (writer.application_ == "parquet-cpp-arrow") return writer.version.major >= 5;
  return writer.application_ == "parquet-mr" &&
         !writer.VersionLt(parquet::ApplicationVersion("parquet-mr", 1, 10, 0));
}

// Statistics of this column mean what they say, if the chunk has them.
bool CanTrustOrder(const ParquetFile& file, const FileColumn& column) {
  const parquet::ColumnDescriptor& leaf = *file.metadata().schema()->Column(column.leaf);
  const bool defined = leaf.column_order().get_order() == parquet::ColumnOrder::TYPE_DEFINED_ORDER;
  const bool decimal = column.leaf_type->id() == arrow::Type::DECIMAL128;
  switch (leaf.physical_type()) {
    case parquet::Type::BOOLEAN:
      return defined;
    case parquet::Type::INT32:
    case parquet::Type::INT64:
      // Before column orders were stored, bounds were those of signed numbers.
      return defined || leaf.sort_order() == parquet::SortOrder::SIGNED;
    case parquet::Type::BYTE_ARRAY:
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return defined && (!decimal || OrdersDecimals(file.metadata()));
    default:
      return false;  // Floats may hold NaN and -0.0; INT96 has no order.
  }
}

template <typename T>
LeafResult FixedBounds(const std::vector<std::string>& bounds, const FileColumn& column) {
  const auto values = std::make_unique<T[]>(bounds.size());
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i].size() != sizeof(T)) return arrow::Status::Invalid("a bound has a wrong length");
    std::memcpy(&values[i], bounds[i].data(), sizeof(T));
  }
  return LeafArray(values.get(), static_cast<int64_t>(bounds.size()), 0, column.leaf_type);
}

// Plain-encoded bounds as an array of the column's type in the file.
LeafResult BoundArray(const std::vector<std::string>& bounds, const FileColumn& column,
                      const parquet::ColumnDescriptor& leaf) {
  switch (leaf.physical_type()) {
    case parquet::Type::BOOLEAN:
      return FixedBounds<bool>(bounds, column);
    case parquet::Type::INT32:
      return FixedBounds<int32_t>(bounds, column);
    case parquet::Type::INT64:
      return FixedBounds<int64_t>(bounds, column);
    case parquet::Type::BYTE_ARRAY: {
      std::vector<parquet::ByteArray> values;
      for (const std::string& bound : bounds) values.emplace_back(std::string_view(bound));
      return LeafArray(values.data(), static_cast<int64_t>(values.size()), 0, column.leaf_type);
    }
    case parquet::Type::FIXED_LEN_BYTE_ARRAY: {
      std::vector<parquet::FixedLenByteArray> values;
      for (const std::string& bound : bounds) {
        if (static_cast<int>(bound.size()) != leaf.type_length()) {
          return arrow::Status::Invalid("a bound has a wrong length");
        }
        values.emplace_back(reinterpret_cast<const uint8_t*>(bound.data()));
      }
      return LeafArray(values.data(), static_cast<int64_t>(values.size()), leaf.type_length(),
                       column.leaf_type);
    }
    default:
      return arrow::Status::NotImplemented("no bounds of this type");
  }
}

arrow::Result<MinMax> RangeOf(const arrow::Array& values) {
  ARROW_RETURN_NOT_OK(InitializeCompute());
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum result,
                        arrow::compute::CallFunction("min_max", {arrow::Datum(values.data())}));
  const auto& both = static_cast<const arrow::StructScalar&>(*result.scalar());
  return MinMax{both.value[0], both.value[1]};
}

// Collects exact bounds of all chunks; false where one does not prove them.
bool CollectBounds(const ParquetFile& file, const FileColumn& column,
                   std::vector<std::string>* bounds) {
  const bool bytes = HasVariableLength(*file.metadata().schema()->Column(column.leaf));
  for (int group = 0; group < file.metadata().num_row_groups(); ++group) {
    const auto row_group = file.metadata().RowGroup(group);
    const auto chunk = row_group->ColumnChunk(column.leaf);
    if (row_group->num_rows() == 0) continue;
    if (chunk->num_values() != row_group->num_rows() || chunk->crypto_metadata() != nullptr ||
        !chunk->is_stats_set()) {
      return false;
    }
    const auto statistics = chunk->statistics();
    if (statistics == nullptr) return false;
    if (statistics->HasNullCount() && statistics->null_count() == chunk->num_values()) continue;
    if (!statistics->HasMinMax()) return false;
    const auto min_exact = statistics->is_min_value_exact();
    const auto max_exact = statistics->is_max_value_exact();
    if (!min_exact.value_or(true) || !max_exact.value_or(true)) return false;
    if (bytes && !(min_exact.has_value() && max_exact.has_value()) &&
        !NeverTruncates(file.metadata())) {
      return false;
    }
    bounds->push_back(statistics->EncodeMin());
    bounds->push_back(statistics->EncodeMax());
  }
  return true;
}

}  // namespace

int64_t DistinctBound(const ParquetFile& file, const FileColumn& column) {
  return file.Guard(column.name, [&] {
    int64_t bound = 0;
    for (int group = 0; group < file.metadata().num_row_groups(); ++group) {
      const auto row_group = file.metadata().RowGroup(group);
      bound = Add(bound, column.leaf < 0
                             ? row_group->num_rows()
                             : ChunkDistinct(*row_group->ColumnChunk(column.leaf),
                                             *file.metadata().schema()->Column(column.leaf)));
    }
    return column.leaf < 0 ? bound : std::min(bound, ValuesOfType(*column.leaf_type));
  });
}

int64_t MemoryBound(const ParquetFile& file, const FileColumn& column) {
  return file.Guard(column.name, [&] {
    if (column.leaf < 0) return NestedBytes(file, column.field);
    constexpr int64_t kOffsetBytes = 4;
    const int64_t distinct = DistinctBound(file, column);
    const auto type = column.type->id();
    if (type != arrow::Type::STRING && type != arrow::Type::BINARY) {
      const int bits = arrow::is_fixed_width(type) ? column.type->bit_width() : 128;
      return Multiply(distinct, arrow::bit_util::BytesForBits(bits));
    }
    const parquet::ColumnDescriptor& leaf = *file.metadata().schema()->Column(column.leaf);
    if (!HasVariableLength(leaf)) return Multiply(distinct, leaf.type_length() + kOffsetBytes);
    int64_t bytes = Multiply(distinct, kOffsetBytes);
    for (int group = 0; group < file.metadata().num_row_groups(); ++group) {
      const auto row_group = file.metadata().RowGroup(group);
      bytes = Add(bytes, ByteArrayBytes(*row_group->ColumnChunk(column.leaf)));
    }
    return bytes;
  });
}

std::optional<MinMax> StatisticsRange(const ParquetFile& file, const FileColumn& column) {
  if (column.leaf < 0) return std::nullopt;
  return file.Guard(column.name, [&]() -> std::optional<MinMax> {
    if (file.metadata().num_rows() > 0 && !CanTrustOrder(file, column)) return std::nullopt;
    std::vector<std::string> bounds;
    if (!CollectBounds(file, column, &bounds)) return std::nullopt;
    if (bounds.empty()) {
      const std::shared_ptr<arrow::Scalar> none = arrow::MakeNullScalar(column.type);
      return MinMax{none, none};
    }
    const auto range = [&]() -> arrow::Result<MinMax> {
      ARROW_ASSIGN_OR_RAISE(
          auto array, BoundArray(bounds, column, *file.metadata().schema()->Column(column.leaf)));
      ARROW_ASSIGN_OR_RAISE(array, ConvertExactly(array, column.type));
      return RangeOf(*array);
    }();
    return range.ok() ? std::optional<MinMax>(*range) : std::nullopt;
  });
}

}  // namespace ariadne::source
