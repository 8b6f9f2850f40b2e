#include "python/arrow_exchange.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/c/abi.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "query/arrow_check.h"

namespace ariadne::python {
namespace {

namespace nb = nanobind;

constexpr char kSchema[] = "arrow_schema";
constexpr char kArray[] = "arrow_array";
constexpr char kStream[] = "arrow_array_stream";

template <typename T>
T* Content(nb::handle capsule, const char* name) {
  void* content = PyCapsule_GetPointer(capsule.ptr(), name);
  if (content == nullptr) throw nb::python_error();
  return static_cast<T*>(content);
}

// Frees a structure that no consumer has taken over (then its `release` is null).
template <typename T, const char* name>
void Destroy(PyObject* capsule) {
  auto* content = static_cast<T*>(PyCapsule_GetPointer(capsule, name));
  if (content == nullptr) return PyErr_WriteUnraisable(capsule);
  if (content->release != nullptr) content->release(content);
  delete content;
}

template <typename T, const char* name, typename Export>
nb::capsule MakeCapsule(Export&& fill) {
  auto content = std::make_unique<T>();
  content->release = nullptr;
  query::Check(fill(content.get()), "the Arrow data cannot be handed over");
  PyObject* capsule = PyCapsule_New(content.get(), name, Destroy<T, name>);
  if (capsule == nullptr) {
    content->release(content.get());
    throw nb::python_error();
  }
  (void)content.release();
  return nb::steal<nb::capsule>(capsule);
}

}  // namespace

std::shared_ptr<arrow::Schema> ImportSchema(nb::handle object) {
  const nb::object capsule = object.attr("__arrow_c_schema__")();
  return query::Check<InvalidArgument>(arrow::ImportSchema(Content<ArrowSchema>(capsule, kSchema)),
                                       "the schema cannot be read");
}

std::shared_ptr<arrow::Array> ImportArray(nb::handle object) {
  const auto capsules = nb::cast<nb::tuple>(object.attr("__arrow_c_array__")());
  return query::Check<InvalidArgument>(
      arrow::ImportArray(Content<ArrowArray>(capsules[1], kArray),
                         Content<ArrowSchema>(capsules[0], kSchema)),
      "the values cannot be read");
}

std::shared_ptr<arrow::RecordBatchReader> ImportStream(nb::handle object) {
  const nb::object capsule = object.attr("__arrow_c_stream__")();
  return query::Check<InvalidArgument>(
      arrow::ImportRecordBatchReader(Content<ArrowArrayStream>(capsule, kStream)),
      "the table cannot be read");
}

std::shared_ptr<arrow::Table> ReadAll(arrow::RecordBatchReader& reader,
                                      const std::stop_token& stop) {
  constexpr char kWhat[] = "the table cannot be read";
  arrow::RecordBatchVector batches;
  for (;;) {
    if (stop.stop_requested()) throw Cancelled("stopped while a table was read");
    std::shared_ptr<arrow::RecordBatch> batch;
    query::Check<InvalidArgument>(reader.ReadNext(&batch), kWhat);
    if (!batch) break;
    batches.push_back(std::move(batch));
  }
  return query::Check<InvalidArgument>(
      arrow::Table::FromRecordBatches(reader.schema(), std::move(batches)), kWhat);
}

nb::capsule ExportSchema(const arrow::Schema& schema) {
  return MakeCapsule<ArrowSchema, kSchema>(
      [&](ArrowSchema* out) { return arrow::ExportSchema(schema, out); });
}

nb::tuple ExportBatch(const arrow::RecordBatch& batch) {
  const nb::capsule schema = ExportSchema(*batch.schema());
  const nb::capsule array = MakeCapsule<ArrowArray, kArray>(
      [&](ArrowArray* out) { return arrow::ExportRecordBatch(batch, out); });
  return nb::make_tuple(schema, array);
}

nb::capsule ExportStream(const std::shared_ptr<arrow::RecordBatchReader>& reader) {
  return MakeCapsule<ArrowArrayStream, kStream>(
      [&](ArrowArrayStream* out) { return arrow::ExportRecordBatchReader(reader, out); });
}

}  // namespace ariadne::python
