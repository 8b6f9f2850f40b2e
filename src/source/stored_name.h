#pragma once

#include <string>

#include <arrow/type_fwd.h>

namespace ariadne::source {

/// Key of an Arrow field's metadata that holds, as JSON, the metadata that its Spark field has.
inline constexpr char kSparkFieldMetadata[] = "spark:metadata";

/// The name under which Parquet files hold a declared column or member: what a Delta table with
/// column mapping says in the field's metadata (`delta.columnMapping.physicalName`), else its own.
std::string StoredName(const arrow::Field& field);

/// True where a column or a member at any depth is stored under another name than its own.
bool HasOtherStoredNames(const arrow::Schema& schema);

}  // namespace ariadne::source
