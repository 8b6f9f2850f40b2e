#pragma once

#include <nanobind/nanobind.h>

namespace ariadne::python {

/// Makes each class of `ariadne/errors.h` arrive in Python as the class of that name in
/// `ariadne_lake.errors`.
void BindErrors();

}  // namespace ariadne::python
