#include "query/derived_columns.h"

#include <string_view>

#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/computed_column.h"
#include "index/derived_column.h"
#include "source/name_match.h"

namespace ariadne::query {

bool IsDerived(IndexedColumn::Kind kind) {
  return kind == IndexedColumn::Kind::kComputed || kind == IndexedColumn::Kind::kExploded;
}

std::shared_ptr<arrow::DataType> IndexedType(const IndexedColumn& column,
                                             const arrow::Schema& schema) {
  return index::ValueType(column, schema, build::ComputedType);
}

void CheckDerivedNames(const std::vector<IndexedColumn>& columns, const arrow::Schema& schema,
                       const std::string& described) {
  for (const IndexedColumn& column : columns) {
    if (!IsDerived(column.kind)) continue;
    const auto name = [&](int i) -> std::string_view { return schema.field(i)->name(); };
    if (source::FindName(schema.num_fields(), name, column.column) == source::kNameMissing)
      continue;
    throw SchemaMismatch("the data has a column '" + column.column + "' itself, and " + described +
                         " calls values by that name that it derives from " + SourceText(column) +
                         "; leave the column out of the schema, or remove the index and create it "
                         "with another name for the derived values");
  }
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
