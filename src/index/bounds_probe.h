#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "index/column_index.h"

namespace ariadne::index {

/// An interval of values in SQL's order (NaN is the greatest number). Each end is an array of one,
/// or nullptr where the interval is open; with both open every value but NULL is in it.
struct ValueBounds {
  std::shared_ptr<arrow::Array> lower;
  std::shared_ptr<arrow::Array> upper;
  bool lower_inclusive = true;
  bool upper_inclusive = true;
};

/// Asks the cells of one index which files can hold a value within the bounds, whose type is
/// `value`, the column's. A bloom filter knows only whether there is any value.
std::unique_ptr<ColumnProbe> MakeBoundsProbe(const IndexedColumn& column,
                                             const std::shared_ptr<arrow::DataType>& value,
                                             const ValueBounds& bounds);

}  // namespace ariadne::index
