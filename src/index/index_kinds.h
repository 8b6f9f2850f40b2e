#pragma once

#include <memory>

#include "index/column_index.h"

namespace ariadne::index {

// The kinds of index behind MakeBuilder and MakeProbe; arguments as there.

std::unique_ptr<ColumnBuilder> MakeRegularBuilder(const IndexedColumn& column,
                                                  const std::shared_ptr<arrow::DataType>& value,
                                                  const BuildContext& context);
std::unique_ptr<ColumnBuilder> MakeBloomBuilder(const IndexedColumn& column,
                                                const std::shared_ptr<arrow::DataType>& value,
                                                const BuildContext& context);
std::unique_ptr<ColumnBuilder> MakeRangeBuilder(const IndexedColumn& column,
                                                const std::shared_ptr<arrow::DataType>& value);
std::unique_ptr<ColumnBuilder> MakeTemporalBuilder(
    const IndexedColumn& column, const std::shared_ptr<arrow::DataType>& value,
    const std::shared_ptr<arrow::DataType>& timestamp, const BuildContext& context);

std::unique_ptr<ColumnProbe> MakeRegularProbe(const std::shared_ptr<arrow::Array>& values);
std::unique_ptr<ColumnProbe> MakeBloomProbe(const std::shared_ptr<arrow::Array>& values,
                                            const ProbeContext& context);
std::unique_ptr<ColumnProbe> MakeRangeProbe(const std::shared_ptr<arrow::Array>& values);
std::unique_ptr<ColumnProbe> MakeTemporalProbe(const std::shared_ptr<arrow::Array>& values);

}  // namespace ariadne::index
