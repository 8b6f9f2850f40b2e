#pragma once

#include <nanobind/nanobind.h>

#include "ariadne/index.h"

namespace ariadne::python {

/// From a dictionary with the keys of `ToDict(IndexedColumn)`; what does not concern the kind may
/// lack. The kind's name was checked.
IndexedColumn ToIndexedColumn(const nanobind::dict& column);

}  // namespace ariadne::python
