#pragma once

#include <memory>

#include "query/index_state.h"
#include "rowgroup/index_service.h"
#include "scan/row_group_indexing.h"

namespace ariadne::query {

/// The row-group indexes of a process over a lake; faults of their table are told on standard
/// error.
std::unique_ptr<rowgroup::IndexService> OpenRowGroups(const internal::LakeImpl& lake,
                                                      const rowgroup::RowGroupOptions& options);

/// How the scans of a session use and build them.
std::shared_ptr<const scan::RowGroupIndexing> RowGroupIndexingOf(
    const rowgroup::RowGroupOptions& options, std::shared_ptr<rowgroup::IndexStore> store);

}  // namespace ariadne::query
