#include "scan/index_values.h"

#include <string>
#include <string_view>

#include "duckdb/common/types/hugeint.hpp"
#include "duckdb/common/types/string_type.hpp"

namespace ariadne::scan {

namespace {

using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::PhysicalType;
using rowgroup::Domain;

/// Sixteen bytes whose order as bytes is that of the numbers.
std::string OrderedBytes(const duckdb::hugeint_t& value) {
  std::string bytes(16, '\0');
  auto upper = static_cast<uint64_t>(value.upper) ^ (uint64_t{1} << 63);
  uint64_t lower = value.lower;
  for (size_t i = 8; i-- > 0; upper >>= 8, lower >>= 8) {
    bytes[i] = static_cast<char>(upper & 0xFF);
    bytes[i + 8] = static_cast<char>(lower & 0xFF);
  }
  return bytes;
}

template <typename T, typename Convert>
void CollectAs(const duckdb::UnifiedVectorFormat& format, idx_t count, bool no_nulls,
               rowgroup::ValueCollector& collector, const Convert& convert) {
  const auto* data = duckdb::UnifiedVectorFormat::GetData<T>(format);
  if (format.validity.AllValid()) {
    for (idx_t i = 0; i < count; ++i) convert(data[format.sel->get_index(i)]);
    return;
  }
  for (idx_t i = 0; i < count; ++i) {
    const auto at = format.sel->get_index(i);
    if (format.validity.RowIsValid(at)) {
      convert(data[at]);
    } else if (!no_nulls) {
      collector.AddNull();
    }
  }
}

}  // namespace

std::optional<Domain> IndexDomain(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::DATE:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
      return Domain::kInteger;
    case LogicalTypeId::DECIMAL:
      return type.InternalType() == PhysicalType::INT128 ? Domain::kBytes : Domain::kInteger;
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE:
      return Domain::kDouble;
    case LogicalTypeId::VARCHAR:
      // A collation compares other than by bytes.
      if (!duckdb::StringType::GetCollation(type).empty()) return std::nullopt;
      return Domain::kBytes;
    case LogicalTypeId::BLOB:
      return Domain::kBytes;
    default:
      return std::nullopt;
  }
}

std::optional<rowgroup::Value> ToIndexValue(const duckdb::Value& value, const LogicalType& type) {
  if (value.IsNull() || value.type() != type || !IndexDomain(type)) return std::nullopt;
  switch (type.InternalType()) {
    case PhysicalType::INT8:
      return value.GetValueUnsafe<int8_t>();
    case PhysicalType::INT16:
      return value.GetValueUnsafe<int16_t>();
    case PhysicalType::INT32:
      return value.GetValueUnsafe<int32_t>();
    case PhysicalType::INT64:
      return value.GetValueUnsafe<int64_t>();
    case PhysicalType::INT128:
      return OrderedBytes(value.GetValueUnsafe<duckdb::hugeint_t>());
    case PhysicalType::FLOAT:
      return static_cast<double>(value.GetValueUnsafe<float>());
    case PhysicalType::DOUBLE:
      return value.GetValueUnsafe<double>();
    case PhysicalType::VARCHAR:
      return duckdb::StringValue::Get(value);
    default:
      return std::nullopt;
  }
}

void Collect(duckdb::Vector& vector, idx_t count, bool no_nulls,
             rowgroup::ValueCollector& collector) {
  duckdb::UnifiedVectorFormat format;
  vector.ToUnifiedFormat(count, format);
  const auto integer = [&collector](auto value) { collector.Add(static_cast<int64_t>(value)); };
  const auto number = [&collector](auto value) { collector.Add(static_cast<double>(value)); };
  switch (vector.GetType().InternalType()) {
    case PhysicalType::INT8:
      return CollectAs<int8_t>(format, count, no_nulls, collector, integer);
    case PhysicalType::INT16:
      return CollectAs<int16_t>(format, count, no_nulls, collector, integer);
    case PhysicalType::INT32:
      return CollectAs<int32_t>(format, count, no_nulls, collector, integer);
    case PhysicalType::INT64:
      return CollectAs<int64_t>(format, count, no_nulls, collector, integer);
    case PhysicalType::INT128:
      return CollectAs<duckdb::hugeint_t>(format, count, no_nulls, collector,
                                          [&collector](const duckdb::hugeint_t& value) {
                                            collector.Add(std::string_view(OrderedBytes(value)));
                                          });
    case PhysicalType::FLOAT:
      return CollectAs<float>(format, count, no_nulls, collector, number);
    case PhysicalType::DOUBLE:
      return CollectAs<double>(format, count, no_nulls, collector, number);
    case PhysicalType::VARCHAR:
      return CollectAs<duckdb::string_t>(
          format, count, no_nulls, collector, [&collector](const duckdb::string_t& value) {
            collector.Add(std::string_view(value.GetData(), value.GetSize()));
          });
    default:
      // IndexDomain knows no other.
      return;
  }
}

}  // namespace ariadne::scan
