#pragma once

#include <memory>
#include <stop_token>

#include <arrow/type_fwd.h>
#include <nanobind/nanobind.h>

namespace ariadne::python {

// Arrow data between libraries of Python, by the capsules of the Arrow C data interface. Objects
// were checked to have the method that is called. What Arrow refuses is InvalidArgument.

/// From `__arrow_c_schema__`.
std::shared_ptr<arrow::Schema> ImportSchema(nanobind::handle object);
/// From `__arrow_c_array__`.
std::shared_ptr<arrow::Array> ImportArray(nanobind::handle object);
/// From `__arrow_c_stream__`. Nothing is read yet; reading needs no interpreter.
std::shared_ptr<arrow::RecordBatchReader> ImportStream(nanobind::handle object);
/// All batches. Throws Cancelled between two of them, and InvalidArgument with what the producer
/// said where it fails.
std::shared_ptr<arrow::Table> ReadAll(arrow::RecordBatchReader& reader,
                                      const std::stop_token& stop);

/// Capsules for `__arrow_c_schema__`, `__arrow_c_array__` and `__arrow_c_stream__`.
nanobind::capsule ExportSchema(const arrow::Schema& schema);
nanobind::tuple ExportBatch(const arrow::RecordBatch& batch);
nanobind::capsule ExportStream(const std::shared_ptr<arrow::RecordBatchReader>& reader);

}  // namespace ariadne::python
