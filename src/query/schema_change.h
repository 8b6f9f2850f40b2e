#pragma once

#include <string>

#include <arrow/type_fwd.h>

#include "ariadne/options.h"
#include "storage/layout.h"
#include "storage/metadata.h"

namespace ariadne::query {

/// Puts another schema into the metadata, under the update lock, and returns what was written.
/// Throws SchemaMismatch where an indexed column is not in the new schema or has another type there
/// (the index was built from the old values), where it has one under the name of derived values, or
/// where the columns of text files would be read otherwise; LockTimeout, StorageError.
storage::IndexMetadata ChangeSchema(const storage::IndexLayout& layout, const Options& options,
                                    const arrow::Schema& schema, const std::string& described);

}  // namespace ariadne::query
