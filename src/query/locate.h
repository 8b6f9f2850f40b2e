#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ariadne/index.h"
#include "query/index_state.h"

namespace ariadne::query {

/// `Index::Locate` with what a scan of the files needs besides.
struct LocatedFiles {
  Located report;
  /// Bytes of each of `report.files`; -1: unknown.
  std::vector<int64_t> sizes;
};

/// See Index::Locate. Without any probe the answer is empty: nothing was asked for.
LocatedFiles LocateFiles(const internal::IndexImpl& index, const std::vector<Probe>& probes);

[[nodiscard]] bool IsIndexed(const storage::IndexMetadata& metadata, const std::string& column);

/// What the metadata says of an index on `column`. Throws ColumnNotFound, whose message tells a
/// column that is not in the schema from one that has no index.
IndexedColumn FindIndexedColumn(const storage::IndexMetadata& metadata, const arrow::Schema& schema,
                                const std::string& index_name, const std::string& column);

}  // namespace ariadne::query
