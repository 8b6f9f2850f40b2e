#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

namespace ariadne::index {

/// A type and values of it, edge cases first; equal ones in several spellings among them.
struct Sample {
  std::shared_ptr<arrow::DataType> type;
  std::shared_ptr<arrow::Array> values;
  bool nested = false;
};

/// Every type that a column can have.
std::vector<Sample> Samples();

/// An array from Arrow's JSON notation.
std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type,
                                   const std::string& json);
/// Rows of `values`, -1 for NULL.
std::shared_ptr<arrow::Array> Pick(const arrow::Array& values, const std::vector<int64_t>& rows);

/// SQL's equality (NaN = NaN, 0.0 = -0.0) and order (NaN last), by other means than the library's.
bool SqlEqual(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j);
bool SqlLess(const arrow::Array& a, int64_t i, const arrow::Array& b, int64_t j);

}  // namespace ariadne::index
