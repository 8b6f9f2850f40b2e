#pragma once

#include <nanobind/nanobind.h>

#include "ariadne/index.h"
#include "ariadne/lake.h"
#include "ariadne/operations.h"

namespace ariadne::python {

// What the library reports, as dictionaries whose keys are the fields of the Python class of the
// same name.

nanobind::dict ToDict(const IndexedColumn& column);
nanobind::dict ToDict(const TrackedFile& file);
nanobind::dict ToDict(const AddReport& report);
nanobind::dict ToDict(const UpdateReport& report);
nanobind::dict ToDict(const SyncReport& report);
nanobind::dict ToDict(const DeleteReport& report);
nanobind::dict ToDict(const CompactReport& report);
nanobind::dict ToDict(const VacuumReport& report);
nanobind::dict ToDict(const ColumnStatistics& statistics);
nanobind::dict ToDict(const Located& located);
nanobind::dict ToDict(const IndexSummary& summary);
nanobind::dict ToDict(const ReadOptions& options);

template <typename T>
nanobind::list ToList(const std::vector<T>& items) {
  nanobind::list list;
  for (const T& item : items) list.append(ToDict(item));
  return list;
}

/// Text that need not be UTF-8, as file names need not: foreign bytes become surrogates, as in
/// Python's own file names.
nanobind::str ToStr(const std::string& text);
nanobind::list ToStrings(const std::vector<std::string>& texts);
std::string FromStr(nanobind::handle text);
std::vector<std::string> FromStrings(nanobind::handle texts);

}  // namespace ariadne::python
