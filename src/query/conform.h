#pragma once

#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace ariadne::query {

/// `array` as `type`: list and map children and struct fields keep their values whatever the file
/// calls them, struct fields go by name, a timestamp's zone is taken from `type`, everything else
/// is cast. What differs in name alone costs nothing.
arrow::Result<std::shared_ptr<arrow::Array>> Conform(const std::shared_ptr<arrow::Array>& array,
                                                     const std::shared_ptr<arrow::DataType>& type);

}  // namespace ariadne::query
