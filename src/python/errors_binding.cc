#include "python/errors_binding.h"

#include <exception>

#include "ariadne/errors.h"

namespace ariadne::python {
namespace {

namespace nb = nanobind;

// By name: the command line reports an object that is missing as a file that is.
const char* ClassName(const Error& error) {
  return dynamic_cast<const ObjectNotFound*>(&error) != nullptr ? "ObjectNotFound" : error.kind();
}

void Translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object type = nb::module_::import_("ariadne_lake.errors").attr(ClassName(error));
    // Names of files need not be UTF-8.
    const nb::object message = nb::steal(PyUnicode_DecodeUTF8(
        error.what(), static_cast<Py_ssize_t>(std::char_traits<char>::length(error.what())),
        "backslashreplace"));
    PyErr_SetObject(type.ptr(), message.ptr());
  }
}

}  // namespace

void BindErrors() { nb::register_exception_translator(Translate); }

}  // namespace ariadne::python
