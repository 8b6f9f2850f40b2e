#include <nanobind/nanobind.h>

#include <utility>

#include <arrow/table.h>

#include "ariadne/lake.h"
#include "python/arrow_exchange.h"
#include "python/bindings.h"
#include "python/index_columns.h"
#include "python/reports.h"
#include "python/watched_call.h"

namespace ariadne::python {
namespace {

namespace nb = nanobind;

ReadOptions ToReadOptions(const nb::dict& options) {
  ReadOptions result;
  for (const auto& [name, value] : options) result.emplace_back(FromStr(name), FromStr(value));
  return result;
}

Index Create(Lake lake, const nb::str& name, const nb::str& format, nb::handle schema,
             const nb::dict& read_options, const nb::list& columns, bool allow_schema_mismatch) {
  IndexDefinition definition{.format = FromStr(format),
                             .schema = ImportSchema(schema),
                             .read_options = ToReadOptions(read_options),
                             .allow_schema_mismatch = allow_schema_mismatch};
  for (const nb::handle column : columns) {
    definition.columns.push_back(ToIndexedColumn(nb::cast<nb::dict>(column)));
  }
  return Watched(AtInterrupt::kWait,
                 [lake, name = FromStr(name), definition = std::move(definition)](
                     const std::stop_token&) mutable { return lake.Create(name, definition); });
}

nb::list DescribeAll(const Lake& lake) {
  return ToList(
      Watched(AtInterrupt::kLeave, [lake](const std::stop_token&) { return lake.DescribeAll(); }));
}

// A schema that `pyarrow.schema` reads.
nb::capsule InferSchema(const Lake& lake, const nb::str& path, const nb::str& format,
                        const nb::dict& read_options) {
  const auto schema =
      Watched(AtInterrupt::kLeave, [lake, path = FromStr(path), format = FromStr(format),
                                    options = ToReadOptions(read_options)](const std::stop_token&) {
        return lake.InferSchema(path, format, options);
      });
  return ExportSchema(*schema);
}

nb::capsule ReadTable(const Lake& lake, const nb::str& path) {
  const auto table = Watched(
      AtInterrupt::kLeave,
      [lake, path = FromStr(path)](const std::stop_token&) { return lake.ReadTable(path); });
  return ExportStream(std::make_shared<arrow::TableBatchReader>(table));
}

}  // namespace

void BindLake(nb::module_& module) {
  nb::class_<Lake>(module, "Lake")
      .def("__init__", [](Lake* self, const nb::str& root,
                          const Options& options) { new (self) Lake(FromStr(root), options); })
      .def("create", &Create)
      .def("open",
           [](const Lake& lake, const nb::str& name) {
             return Watched(
                 AtInterrupt::kLeave,
                 [lake, name = FromStr(name)](const std::stop_token&) { return lake.Open(name); });
           })
      .def("exists",
           [](const Lake& lake, const nb::str& name) {
             return Watched(AtInterrupt::kLeave,
                            [lake, name = FromStr(name)](const std::stop_token&) {
                              return lake.Exists(name);
                            });
           })
      .def("list",
           [](const Lake& lake) {
             return ToStrings(Watched(AtInterrupt::kLeave,
                                      [lake](const std::stop_token&) { return lake.List(); }));
           })
      .def("describe",
           [](const Lake& lake, const nb::str& name) {
             return ToDict(
                 Watched(AtInterrupt::kLeave, [lake, name = FromStr(name)](const std::stop_token&) {
                   return lake.Describe(name);
                 }));
           })
      .def("describe_all", &DescribeAll)
      .def("find",
           [](const Lake& lake, const nb::str& file) {
             return ToStrings(Watched(
                 AtInterrupt::kLeave,
                 [lake, file = FromStr(file)](const std::stop_token&) { return lake.Find(file); }));
           })
      .def("remove",
           [](Lake lake, const nb::str& name) {
             Watched(AtInterrupt::kWait,
                     [lake, name = FromStr(name)](const std::stop_token&) mutable {
                       lake.Remove(name);
                     });
           })
      .def("infer_schema", &InferSchema)
      .def("read_table", &ReadTable);
}

}  // namespace ariadne::python
