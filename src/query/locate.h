#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ariadne/index.h"
#include "build/logged_files.h"
#include "query/index_state.h"
#include "query/row_probe.h"

namespace ariadne::query {

/// `Index::Locate` with what a scan of the files needs besides.
struct LocatedFiles {
  Located report;
  /// Bytes of each of `report.files`; -1: unknown.
  std::vector<int64_t> sizes;
  /// Files that hold the newest version of a key of a probed temporal column and are ruled out by
  /// another probe: a scan needs them to tell which rows of `report.files` are superseded. Sorted.
  std::vector<std::string> newest_elsewhere;
  /// What a Delta table's log says of the files.
  std::shared_ptr<const build::LoggedFiles> logged;
};

/// See Index::Locate. Without any probe the answer is empty: nothing was asked for.
LocatedFiles LocateFiles(const internal::IndexImpl& index, const std::vector<Probe>& probes);

/// What is asked of each probed column, cheapest first. Throws as Index::Locate.
std::vector<ColumnAsk> MakeAsks(const internal::IndexImpl& index,
                                const storage::IndexMetadata& metadata,
                                const std::vector<Probe>& probes);

[[nodiscard]] bool IsIndexed(const storage::IndexMetadata& metadata, const std::string& column);

/// What the metadata says of an index on `column`. Throws ColumnNotFound, whose message tells a
/// column that is neither in the schema nor derived from one that has no index.
IndexedColumn FindIndexedColumn(const storage::IndexMetadata& metadata, const arrow::Schema& schema,
                                const std::string& index_name, const std::string& column);

}  // namespace ariadne::query
