#pragma once

#include <functional>
#include <memory>
#include <string>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "source/data_file.h"

namespace ariadne::index {

/// Type that a Spark SQL expression has over rows of a schema.
using ExpressionType = std::function<std::shared_ptr<arrow::DataType>(const std::string& expression,
                                                                      const arrow::Schema& schema)>;

/// Type of the values that an index holds: that of the column, of the expression, or of the field
/// of the array's elements. `schema`: of the data files. `expression_type` answers for kComputed.
/// Throws ColumnNotFound, UnsupportedColumn.
std::shared_ptr<arrow::DataType> ValueType(const IndexedColumn& column, const arrow::Schema& schema,
                                           const ExpressionType& expression_type = {});

/// Type of the timestamps of a kTemporal index; nullptr for the other kinds. Throws
/// ColumnNotFound, UnsupportedColumn where the path leads to something without order.
std::shared_ptr<arrow::DataType> TimestampType(const IndexedColumn& column,
                                               const arrow::Schema& schema);

/// Top-level column in which a path ("meta.updated_at") begins: the column of that very name where
/// there is one, else the part before the first dot. Throws ColumnNotFound.
std::string RootOfPath(const std::string& path, const arrow::Schema& schema);

/// Where the values of a kExploded column lie. Throws ColumnNotFound.
source::ElementPath PathOfElements(const IndexedColumn& column, const arrow::Schema& schema);

/// What the path leads to in each row of `rows`, NULL where any struct on the way is. Throws
/// ColumnNotFound, UnsupportedColumn where the way leads through something that is no struct.
std::shared_ptr<arrow::Array> AtPath(const arrow::RecordBatch& rows, const std::string& path);

/// The field at `field_path` of all elements of the arrays, end to end; the elements themselves
/// where the path is empty. Null and empty arrays give nothing, a null element gives NULL.
std::shared_ptr<arrow::Array> ExplodedValues(const arrow::Array& arrays,
                                             const std::string& field_path);

}  // namespace ariadne::index
