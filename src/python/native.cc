#include <nanobind/nanobind.h>

#include "cli/version.h"
#include "python/bindings.h"
#include "python/errors_binding.h"
#include "python/row_stream.h"
#include "python/watched_call.h"

// What `ariadne_lake` is made of. Its Python files check and convert what a person gives; here the
// arguments are taken to be right.
NB_MODULE(_native, module) {
  namespace python = ariadne::python;
  // Objects may outlive the interpreter's end, as in a thread that still runs.
  nanobind::set_leak_warnings(false);
  module.attr("version") = ariadne::cli::kVersion;
  module.def("wait_for_left_calls", &python::WaitForLeftCalls);
  python::BindErrors();
  python::BindOptions(module);
  python::BindRowStream(module);
  python::BindIndex(module);
  python::BindLake(module);
  python::BindSql(module);
  python::BindSpark(module);
}
