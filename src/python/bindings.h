#pragma once

#include <nanobind/nanobind.h>

namespace ariadne::python {

void BindOptions(nanobind::module_& module);
void BindLake(nanobind::module_& module);
void BindIndex(nanobind::module_& module);
void BindSql(nanobind::module_& module);
void BindSpark(nanobind::module_& module);

}  // namespace ariadne::python
