#pragma once

#include <memory>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

namespace ariadne::source {

/// `array` as `type`, by widening: the conversions that `CanReadAs` allows, member by member in
/// nested types (by name; members that are missing become NULL). A value that would change is an
/// error. Bytes become text without a look at whether they are UTF-8, as in Spark.
arrow::Result<std::shared_ptr<arrow::Array>> ConvertExactly(
    const std::shared_ptr<arrow::Array>& array, const std::shared_ptr<arrow::DataType>& type);

/// Registers Arrow's compute kernels, once a process; functions called by name need it.
arrow::Status InitializeCompute();

}  // namespace ariadne::source
