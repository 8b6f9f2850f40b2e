#include "scan/column_types.h"

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "duckdb/common/types.hpp"

namespace ariadne::scan {

namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;

LogicalType ToStruct(const arrow::DataType& type) {
  duckdb::child_list_t<LogicalType> children;
  for (const auto& child : type.fields()) {
    children.emplace_back(child->name(), ToEngineType(*child));
  }
  return LogicalType::STRUCT(std::move(children));
}

// Decimal digits that hold every value of an integer type; 0: no integer.
int IntegerDigits(LogicalTypeId id) {
  switch (id) {
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::UTINYINT:
      return 3;
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::USMALLINT:
      return 5;
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::UINTEGER:
      return 10;
    case LogicalTypeId::BIGINT:
      return 19;
    case LogicalTypeId::UBIGINT:
      return 20;
    default:
      return 0;
  }
}

// Bits of an integer's magnitude; signed types only as a target.
int IntegerBits(LogicalTypeId id) {
  switch (id) {
    case LogicalTypeId::TINYINT:
      return 7;
    case LogicalTypeId::UTINYINT:
      return 8;
    case LogicalTypeId::SMALLINT:
      return 15;
    case LogicalTypeId::USMALLINT:
      return 16;
    case LogicalTypeId::INTEGER:
      return 31;
    case LogicalTypeId::UINTEGER:
      return 32;
    case LogicalTypeId::BIGINT:
      return 63;
    case LogicalTypeId::UBIGINT:
      return 64;
    default:
      return 0;
  }
}

bool CanWidenStruct(const LogicalType& file, const LogicalType& declared) {
  for (const auto& [name, type] : duckdb::StructType::GetChildTypes(declared)) {
    for (const auto& [file_name, file_type] : duckdb::StructType::GetChildTypes(file)) {
      if (file_name == name && !CanWiden(file_type, type)) return false;
    }
  }
  return true;
}

}  // namespace

LogicalType ToEngineType(const arrow::Field& field) {
  const arrow::DataType& type = *field.type();
  switch (type.id()) {
    case arrow::Type::NA:
      return LogicalType::SQLNULL;
    case arrow::Type::BOOL:
      return LogicalType::BOOLEAN;
    case arrow::Type::INT8:
      return LogicalType::TINYINT;
    case arrow::Type::INT16:
      return LogicalType::SMALLINT;
    case arrow::Type::INT32:
      return LogicalType::INTEGER;
    case arrow::Type::INT64:
      return LogicalType::BIGINT;
    case arrow::Type::FLOAT:
      return LogicalType::FLOAT;
    case arrow::Type::DOUBLE:
      return LogicalType::DOUBLE;
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
      return LogicalType::VARCHAR;
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
      return LogicalType::BLOB;
    case arrow::Type::DATE32:
      return LogicalType::DATE;
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      if (decimal.scale() < 0 || decimal.scale() > decimal.precision()) break;
      return LogicalType::DECIMAL(static_cast<uint8_t>(decimal.precision()),
                                  static_cast<uint8_t>(decimal.scale()));
    }
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampType&>(type).timezone().empty()
                 ? LogicalType::TIMESTAMP
                 : LogicalType::TIMESTAMP_TZ;
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
      return LogicalType::LIST(ToEngineType(*type.field(0)));
    case arrow::Type::STRUCT:
      if (type.num_fields() == 0) break;
      return ToStruct(type);
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return LogicalType::MAP(ToEngineType(*map.key_field()), ToEngineType(*map.item_field()));
    }
    default:
      break;
  }
  throw UnsupportedColumn("Column '" + field.name() + "' has type " + type.ToString() +
                          ", which no query can read: declare it with a Spark type");
}

bool HasEngineType(const arrow::Field& field) {
  try {
    ToEngineType(field);
    return true;
  } catch (const UnsupportedColumn&) {
    return false;
  }
}

bool CanWiden(const LogicalType& file, const LogicalType& declared) {
  if (file == declared || file.id() == LogicalTypeId::SQLNULL) return true;
  const LogicalTypeId from = file.id();
  const LogicalTypeId to = declared.id();
  const int from_digits = IntegerDigits(from);
  switch (to) {
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
      return from_digits > 0 && IntegerBits(from) <= IntegerBits(to);
    case LogicalTypeId::DOUBLE:
      // Spark reads byte, short and int as double, not bigint, which would lose digits.
      return from == LogicalTypeId::FLOAT || (from_digits > 0 && from_digits <= 10);
    case LogicalTypeId::DECIMAL: {
      const int scale = duckdb::DecimalType::GetScale(declared);
      const int whole = duckdb::DecimalType::GetWidth(declared) - scale;
      if (from == LogicalTypeId::DECIMAL) {
        const int from_scale = duckdb::DecimalType::GetScale(file);
        return from_scale <= scale && duckdb::DecimalType::GetWidth(file) - from_scale <= whole;
      }
      return from_digits > 0 && from_digits <= whole;
    }
    case LogicalTypeId::TIMESTAMP:
      return from == LogicalTypeId::DATE;
    case LogicalTypeId::VARCHAR:
      return from == LogicalTypeId::UUID;
    case LogicalTypeId::LIST:
      return from == LogicalTypeId::LIST && CanWiden(duckdb::ListType::GetChildType(file),
                                                     duckdb::ListType::GetChildType(declared));
    case LogicalTypeId::MAP:
      return from == LogicalTypeId::MAP &&
             CanWiden(duckdb::MapType::KeyType(file), duckdb::MapType::KeyType(declared)) &&
             CanWiden(duckdb::MapType::ValueType(file), duckdb::MapType::ValueType(declared));
    case LogicalTypeId::STRUCT:
      return from == LogicalTypeId::STRUCT && CanWidenStruct(file, declared);
    default:
      return false;
  }
}

}  // namespace ariadne::scan
