#include "scan/index_values.h"

#include <algorithm>
#include <cstring>
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

using Format = duckdb::UnifiedVectorFormat;

/// Calls `see` with the place of each value from `from` to `to` that is not NULL. `from` is the
/// first of a word of the validity mask.
template <typename See>
void ForEachValid(const Format& format, idx_t from, idx_t to, const See& see) {
  if (format.sel->IsSet()) {
    for (idx_t i = from; i < to; ++i) {
      const auto at = format.sel->get_index(i);
      if (format.validity.RowIsValid(at)) see(at);
    }
    return;
  }
  // Most words have no NULL, or only one at the end of a dictionary.
  using Mask = duckdb::ValidityMask;
  for (idx_t word = from; word < to; word += Mask::BITS_PER_VALUE) {
    const idx_t end = std::min<idx_t>(to, word + Mask::BITS_PER_VALUE);
    const auto valid = format.validity.GetValidityEntry(word / Mask::BITS_PER_VALUE);
    if (Mask::AllValid(valid)) {
      for (idx_t at = word; at < end; ++at) see(at);
    } else {
      for (idx_t at = word; at < end; ++at) {
        if (Mask::RowIsValid(valid, at - word)) see(at);
      }
    }
  }
}

/// `convert`: what an engine's value is in the index. What Collect returns.
template <typename T, typename Hash, typename Convert>
bool CollectAs(const Format& format, idx_t count, bool no_nulls,
               rowgroup::ValueCollector& collector, std::optional<uint64_t> sought,
               const Hash& hash, const Convert& convert) {
  const auto* data = Format::GetData<T>(format);
  bool found = !sought || !collector.wants_hashes();
  // A dictionary is as long as it is: a vector's worth at a time, that what is hashed is at hand.
  constexpr idx_t kAtOnce = STANDARD_VECTOR_SIZE;
  for (idx_t from = 0; collector.wants_hashes() && from < count; from += kAtOnce) {
    const idx_t to = std::min<idx_t>(count, from + kAtOnce);
    collector.AddHashes(to - from, [&](uint64_t* out) {
      uint64_t* next = out;
      ForEachValid(format, from, to, [&](idx_t at) { *next++ = hash(data[at]); });
      found = found || std::find(out, next, *sought) != next;
      return static_cast<size_t>(next - out);
    });
  }
  if (!collector.wants_range()) return found;
  const bool all_valid = format.validity.AllValid();
  for (idx_t i = 0; i < count; ++i) {
    const auto at = format.sel->get_index(i);
    if (all_valid || format.validity.RowIsValid(at)) {
      collector.range().Add(convert(data[at]));
    } else if (!no_nulls) {
      collector.AddNull();
    }
  }
  return found;
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

bool Collect(duckdb::Vector& vector, idx_t count, bool no_nulls,
             rowgroup::ValueCollector& collector, std::optional<uint64_t> sought) {
  Format format;
  vector.ToUnifiedFormat(count, format);
  const auto integer = [](auto value) { return static_cast<int64_t>(value); };
  const auto number = [](auto value) { return static_cast<double>(value); };
  const auto collect = [&]<typename T>(T, const auto& convert) {
    return CollectAs<T>(
        format, count, no_nulls, collector, sought,
        [&](const T& value) { return rowgroup::HashOf(convert(value)); }, convert);
  };
  switch (vector.GetType().InternalType()) {
    case PhysicalType::INT8:
      return collect(int8_t{}, integer);
    case PhysicalType::INT16:
      return collect(int16_t{}, integer);
    case PhysicalType::INT32:
      return collect(int32_t{}, integer);
    case PhysicalType::INT64:
      return collect(int64_t{}, integer);
    case PhysicalType::FLOAT:
      return collect(float{}, number);
    case PhysicalType::DOUBLE:
      return collect(double{}, number);
    case PhysicalType::INT128: {
      std::string bytes;
      return collect(duckdb::hugeint_t{}, [&bytes](const duckdb::hugeint_t& value) {
        bytes = OrderedBytes(value);
        return std::string_view(bytes);
      });
    }
    case PhysicalType::VARCHAR:
      return CollectAs<duckdb::string_t>(
          format, count, no_nulls, collector, sought,
          [](const duckdb::string_t& value) { return HashOfText(value); },
          [](const duckdb::string_t& value) {
            return std::string_view(value.GetData(), value.GetSize());
          });
    default:
      // IndexDomain knows no other.
      return true;
  }
}

}  // namespace ariadne::scan
