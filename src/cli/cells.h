#pragma once

#include <cstdint>
#include <string>

#include <arrow/type_fwd.h>

namespace ariadne::cli {

/// A value as people read it: NULL, 1.10, 2013-01-01 05:00:00Z, [1, 2], {a: 1}, \xDEAD.
std::string CellText(const arrow::Array& array, int64_t row);

/// Appends a value as JSON: numbers exact; decimals, dates, timestamps (ISO 8601, UTC ends in Z)
/// and NaN or infinities as strings; binary as base64; lists as arrays, structs as objects, maps as
/// arrays of [key, value].
void AppendCellJson(const arrow::Array& array, int64_t row, std::string& out);

/// True if people read the type best aligned right.
bool IsNumber(const arrow::DataType& type);

}  // namespace ariadne::cli
