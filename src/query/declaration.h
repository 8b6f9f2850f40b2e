#pragma once

#include <optional>
#include <string>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "storage/metadata.h"

namespace ariadne::query {

/// Adds an index to the metadata; false where it is declared already. Throws ColumnNotFound,
/// IndexTypeConflict (a column carries one kind, made in one way; the name of derived values is
/// that of a column of the data), UnsupportedColumn (nested path, type, reserved name, two names
/// that differ in case alone, an expression that is not supported), InvalidArgument (a rate that
/// gives no filter, a part of the declaration that is missing).
bool Declare(storage::IndexMetadata& metadata, const arrow::Schema& schema,
             const IndexedColumn& column);

/// The first difference between two schemas in words, "stored" first; nullopt where they have the
/// same columns of the same types in the same order. Nullability and field metadata do not count:
/// Spark reads every column of a file as nullable.
std::optional<std::string> SchemaDifference(const arrow::Schema& stored,
                                            const arrow::Schema& given);

}  // namespace ariadne::query
