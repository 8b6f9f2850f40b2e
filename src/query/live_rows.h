#pragma once

#include "query/index_state.h"
#include "scan/file_scan.h"

namespace ariadne::query {

/// Has scans of these files of an index leave out the rows that the Delta table which is the lake
/// has deleted. Throws InvalidFile, StorageError where it cannot be told which they are.
void LeaveOutDeletedRows(const internal::IndexImpl& index, scan::FileSet* files);

}  // namespace ariadne::query
