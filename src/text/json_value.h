#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>
#include <arrow/util/decimal.h>

namespace ariadne::text {

/// A value of a declared type while its record is read: later fields of the same name replace it.
struct JsonValue {
  bool is_null = true;
  int64_t integer = 0;  ///< Booleans, integers, days and microseconds too.
  double real = 0;
  arrow::Decimal128 decimal;
  std::string text;
  /// Members of a struct, elements of an array, or keys and values of a map in turns.
  std::vector<JsonValue> children;
};

/// Appends `value` to a builder of its type. Throws std::bad_alloc and the like only.
void AppendJson(const JsonValue& value, const arrow::DataType& type, arrow::ArrayBuilder* builder);

}  // namespace ariadne::text
