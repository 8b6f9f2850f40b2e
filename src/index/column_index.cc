#include "index/column_index.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <arrow/array/array_base.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "index/guava_bloom.h"
#include "index/index_kinds.h"
#include "index/value_key.h"
#include "source/spark_schema.h"

namespace ariadne {

const char* ToString(IndexedColumn::Kind kind) {
  switch (kind) {
    case IndexedColumn::Kind::kRegular:
      return "regular";
    case IndexedColumn::Kind::kBloom:
      return "bloom";
    case IndexedColumn::Kind::kRange:
      return "range";
    case IndexedColumn::Kind::kComputed:
      return "computed";
    case IndexedColumn::Kind::kTemporal:
      return "temporal";
    case IndexedColumn::Kind::kExploded:
      return "exploded";
  }
  return "unknown";
}

}  // namespace ariadne

namespace ariadne::index {

std::string StorageColumn(const IndexedColumn& column) {
  switch (column.kind) {
    case IndexedColumn::Kind::kBloom:
      return "bloom_" + column.column;
    case IndexedColumn::Kind::kRange:
      return "range_" + column.column;
    case IndexedColumn::Kind::kRegular:
    case IndexedColumn::Kind::kComputed:
    case IndexedColumn::Kind::kTemporal:
    case IndexedColumn::Kind::kExploded:
      break;
  }
  return column.column;
}

bool KeepsValues(IndexedColumn::Kind kind) {
  return kind != IndexedColumn::Kind::kBloom && kind != IndexedColumn::Kind::kRange;
}

std::string AutoBloomColumn(const std::string& column) { return "auto_bloom_" + column; }

std::shared_ptr<arrow::DataType> EntryType(const IndexedColumn& column,
                                           const std::shared_ptr<arrow::DataType>& value,
                                           const std::shared_ptr<arrow::DataType>& timestamp) {
  if (column.kind != IndexedColumn::Kind::kTemporal) return value;
  return arrow::struct_(
      {arrow::field("value", value),
       arrow::field("max_ts", timestamp != nullptr
                                  ? timestamp
                                  : arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"))});
}

std::shared_ptr<arrow::DataType> StorageType(const IndexedColumn& column,
                                             const std::shared_ptr<arrow::DataType>& value,
                                             const std::shared_ptr<arrow::DataType>& timestamp) {
  switch (column.kind) {
    case IndexedColumn::Kind::kBloom:
      return arrow::binary();
    case IndexedColumn::Kind::kRange:
      return arrow::struct_({arrow::field("min", value), arrow::field("max", value)});
    case IndexedColumn::Kind::kRegular:
    case IndexedColumn::Kind::kComputed:
    case IndexedColumn::Kind::kTemporal:
    case IndexedColumn::Kind::kExploded:
      break;
  }
  // Spark's name for the inner field, in Parquet too.
  return arrow::list(arrow::field("element", EntryType(column, value, timestamp)));
}

void CheckSupported(const IndexedColumn& column, const arrow::DataType& value) {
  const std::string what = "column '" + column.column + "' of type " +
                           source::SparkTypeName(value) + " cannot carry a " +
                           ToString(column.kind) + " index: ";
  KeyShape shape{};
  try {
    shape = ShapeOf(value);
  } catch (const UnsupportedColumn& error) {
    throw UnsupportedColumn(what + error.what());
  }
  if (KeepsValues(column.kind) && column.kind != IndexedColumn::Kind::kTemporal) return;
  if (shape == KeyShape::kNested) {
    throw UnsupportedColumn(what + "nested values have no " +
                            (column.kind == IndexedColumn::Kind::kBloom ? "token" : "order") +
                            "; use a regular index, or index one of their fields");
  }
  if (column.kind != IndexedColumn::Kind::kBloom) return;
  if (value.id() == arrow::Type::BINARY) {
    throw UnsupportedColumn(what +
                            "the shared format has no token for binary; use a regular or "
                            "range index");
  }
  GuavaBloom::CheckRate(column.fpr, column.column);
}

void ColumnBuilder::ForEachSorted(int64_t /*rows*/, const EntryVisit& /*visit*/) const {
  throw InvalidArgument("this kind of index keeps no values");
}

std::unique_ptr<ColumnBuilder> MakeBuilder(const IndexedColumn& column,
                                           const std::shared_ptr<arrow::DataType>& value,
                                           const BuildContext& context,
                                           const std::shared_ptr<arrow::DataType>& timestamp) {
  // A bloom index that declaring refuses may be there all the same, in an index of the JVM library.
  if (column.kind != IndexedColumn::Kind::kBloom) CheckSupported(column, *value);
  switch (column.kind) {
    case IndexedColumn::Kind::kBloom:
      return MakeBloomBuilder(column, value, context);
    case IndexedColumn::Kind::kRange:
      return MakeRangeBuilder(column, value);
    case IndexedColumn::Kind::kTemporal:
      return MakeTemporalBuilder(
          column, value,
          timestamp != nullptr ? timestamp : arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
          context);
    case IndexedColumn::Kind::kRegular:
    case IndexedColumn::Kind::kComputed:
    case IndexedColumn::Kind::kExploded:
      break;
  }
  return MakeRegularBuilder(column, value, context);
}

std::unique_ptr<ColumnProbe> MakeProbe(const IndexedColumn& column,
                                       const std::shared_ptr<arrow::Array>& values,
                                       const ProbeContext& context) {
  switch (column.kind) {
    case IndexedColumn::Kind::kBloom:
      return MakeBloomProbe(values, context);
    case IndexedColumn::Kind::kRange:
      return MakeRangeProbe(values);
    case IndexedColumn::Kind::kTemporal:
      return MakeTemporalProbe(values);
    case IndexedColumn::Kind::kRegular:
    case IndexedColumn::Kind::kComputed:
    case IndexedColumn::Kind::kExploded:
      break;
  }
  return MakeRegularProbe(values);
}

std::vector<uint64_t> HashValues(const arrow::Array& values) {
  const int64_t length = values.length();
  std::vector<uint64_t> hashes(length);
  switch (ShapeOf(*values.type())) {
    case KeyShape::kWord:
      WordKeys(values, 0, length, hashes.data());
      for (uint64_t& hash : hashes) hash = XXH3_64bits(&hash, sizeof(hash));
      break;
    case KeyShape::kDoubleWord:
      for (int64_t i = 0; i < length; ++i) {
        const Key128 key = DecimalKey(values, i);
        hashes[i] = XXH3_64bits(&key, sizeof(key));
      }
      break;
    case KeyShape::kBytes:
      for (int64_t i = 0; i < length; ++i) {
        const std::string_view bytes = BytesAt(values, i);
        hashes[i] = XXH3_64bits(bytes.data(), bytes.size());
      }
      break;
    case KeyShape::kNested: {
      std::string bytes;
      for (int64_t i = 0; i < length; ++i) {
        bytes.clear();
        AppendCanonicalBytes(values, i, &bytes);
        hashes[i] = XXH3_64bits(bytes.data(), bytes.size());
      }
      break;
    }
  }
  return hashes;
}

}  // namespace ariadne::index
