#pragma once

#include <memory>

#include <arrow/type_fwd.h>

namespace ariadne::query {

/// The table with views (`string_view`, `binary_view`, `list_view`, at any depth) as what holds its
/// values itself: Arrow has no kernel that picks rows of them. Polars and DuckDB hand them out.
std::shared_ptr<arrow::Table> WithoutViews(const std::shared_ptr<arrow::Table>& table);

}  // namespace ariadne::query
