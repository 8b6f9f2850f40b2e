#include "query/derived_columns.h"

#include <arrow/type.h>

#include "build/computed_column.h"
#include "index/derived_column.h"

namespace ariadne::query {

bool IsDerived(IndexedColumn::Kind kind) {
  return kind == IndexedColumn::Kind::kComputed || kind == IndexedColumn::Kind::kExploded;
}

std::shared_ptr<arrow::DataType> IndexedType(const IndexedColumn& column,
                                             const arrow::Schema& schema) {
  return index::ValueType(column, schema, build::ComputedType);
}

std::string SourceText(const IndexedColumn& column) {
  switch (column.kind) {
    case IndexedColumn::Kind::kComputed:
      return column.expression;
    case IndexedColumn::Kind::kExploded:
      return column.array_column + (column.field_path.empty() ? "" : "." + column.field_path);
    default:
      return column.column;
  }
}

}  // namespace ariadne::query
