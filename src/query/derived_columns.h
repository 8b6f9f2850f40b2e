#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"

namespace ariadne::query {

/// True for the kinds whose values are under a name of their own, which no file has.
bool IsDerived(IndexedColumn::Kind kind);

/// Type of the values of an indexed column. Throws ColumnNotFound, UnsupportedColumn.
std::shared_ptr<arrow::DataType> IndexedType(const IndexedColumn& column,
                                             const arrow::Schema& schema);

/// Throws SchemaMismatch where the data has a column, by whatever case, under the name of derived
/// values: neither could be asked for. `described`: the index, for the message.
void CheckDerivedNames(const std::vector<IndexedColumn>& columns, const arrow::Schema& schema,
                       const std::string& described);

/// What an indexed column is made of, in words: "day", "year(ts)", "tags.k".
std::string SourceText(const IndexedColumn& column);

}  // namespace ariadne::query
