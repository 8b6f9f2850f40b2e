#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "python/arrow_exchange.h"
#include "python/bindings.h"
#include "python/reports.h"
#include "python/row_stream.h"
#include "python/watched_call.h"
#include "spark/index_worker.h"
#include "spark/update_driver.h"

namespace ariadne::python {
namespace {

namespace nb = nanobind;

using spark::Condition;
using spark::IndexWorker;
using spark::RowRequest;
using spark::UpdateDriver;

struct WorkerHandle {
  std::shared_ptr<IndexWorker> worker;

  /// Calls a method that only reads.
  template <typename Work>
  auto Ask(Work work) const {
    return Watched(AtInterrupt::kLeave, [worker = worker, work = std::move(work)](
                                            const std::stop_token&) { return work(*worker); });
  }
  template <typename Work>
  nb::tuple AskBatch(Work work) const {
    return ExportBatch(*Ask(std::move(work)));
  }
};

// Pairs of a column and an object with `__arrow_c_array__`.
std::vector<Probe> ToProbes(const nb::list& probes) {
  std::vector<Probe> asked;
  for (const nb::handle each : probes) {
    const auto probe = nb::cast<nb::tuple>(each);
    asked.push_back({FromStr(probe[0]), ImportArray(probe[1])});
  }
  return asked;
}

Condition::Kind ToConditionKind(const std::string& op) {
  if (op == "<") return Condition::Kind::kLess;
  if (op == "<=") return Condition::Kind::kLessOrEqual;
  if (op == ">") return Condition::Kind::kGreater;
  if (op == ">=") return Condition::Kind::kGreaterOrEqual;
  return Condition::Kind::kIn;
}

// Triples of a column, "in" or a comparison, and an object with `__arrow_c_array__`.
std::vector<Condition> ToConditions(const nb::list& conditions) {
  std::vector<Condition> asked;
  for (const nb::handle each : conditions) {
    const auto condition = nb::cast<nb::tuple>(each);
    asked.push_back(
        {FromStr(condition[0]), ToConditionKind(FromStr(condition[1])), ImportArray(condition[2])});
  }
  return asked;
}

// The keys of the dictionary are the fields of the request; `keys` has `__arrow_c_stream__`.
RowRequest ToRequest(const nb::dict& given) {
  RowRequest request;
  request.columns = FromStrings(given["columns"]);
  if (given.contains("versions")) request.versions = FromStrings(given["versions"]);
  if (given.contains("with_places")) request.with_places = nb::cast<bool>(given["with_places"]);
  if (given.contains("where")) request.where = FromStr(given["where"]);
  if (given.contains("keys")) {
    request.keys = ReadAll(*ImportStream(given["keys"]), {});
    request.on = FromStrings(given["on"]);
  }
  return request;
}

RowStream Read(const WorkerHandle& self, const nb::list& files, const nb::dict& given) {
  std::vector<spark::NamedFile> named;
  for (const nb::handle each : files) {
    const auto file = nb::cast<nb::tuple>(each);
    named.emplace_back(FromStr(file[0]), nb::cast<int64_t>(file[1]));
  }
  std::stop_source stop;
  auto rows = Watched(
      AtInterrupt::kLeave,
      [worker = self.worker, named = std::move(named), request = ToRequest(given)](
          const std::stop_token& asked) { return worker->Read(named, request, asked); },
      nullptr, stop);
  return {std::move(rows), stop, self.worker};
}

nb::tuple Convert(const WorkerHandle& self, const nb::str& column, nb::handle values) {
  return self.AskBatch(
      [column = FromStr(column), values = ImportArray(values)](const IndexWorker& worker) {
        const auto converted = worker.ConvertKeys(column, values);
        const auto schema = arrow::schema({arrow::field(column, converted->type())});
        return arrow::RecordBatch::Make(schema, converted->length(), {converted});
      });
}

nb::tuple ListParts(const WorkerHandle& self) {
  const IndexWorker::Parts parts =
      self.Ask([](const IndexWorker& worker) { return worker.ListParts(); });
  return nb::make_tuple(ToStrings(parts.main_index), ToStrings(parts.file_list), parts.files,
                        parts.has_list);
}

nb::dict RowGroupCounters(const WorkerHandle& self) {
  const rowgroup::StoreCounters counters = self.worker->RowGroupCounters();
  nb::dict result;
  result["built"] = counters.built;
  result["loaded"] = counters.loaded;
  result["skipped"] = counters.skipped;
  return result;
}

void BindWorker(nb::module_& module) {
  nb::class_<WorkerHandle>(module, "IndexWorker")
      .def("__init__",
           [](WorkerHandle* self, const nb::str& root, const nb::str& index, const Options& options,
              const rowgroup::RowGroupOptions& row_groups) {
             new (self) WorkerHandle{
                 Watched(AtInterrupt::kLeave, [root = FromStr(root), index = FromStr(index),
                                               options, row_groups](const std::stop_token&) {
                   return std::make_shared<IndexWorker>(root, index, options, row_groups);
                 })};
           })
      .def("build_share",
           [](const WorkerHandle& self, const nb::str& share) {
             return ToStr(Watched(
                 AtInterrupt::kWait,
                 [worker = self.worker, share = FromStr(share)](const std::stop_token& stop) {
                   return worker->BuildShare(share, stop);
                 }));
           })
      .def("list_parts", &ListParts)
      .def("locate",
           [](const WorkerHandle& self, const nb::list& probes) {
             return self.AskBatch([probes = ToProbes(probes)](const IndexWorker& worker) {
               return worker.Locate(probes);
             });
           })
      .def("select",
           [](const WorkerHandle& self, const nb::list& conditions) {
             return self.AskBatch(
                 [conditions = ToConditions(conditions)](const IndexWorker& worker) {
                   return worker.Select(conditions);
                 });
           })
      .def("candidates",
           [](const WorkerHandle& self, const nb::list& parts, const nb::list& probes) {
             return self.AskBatch([parts = FromStrings(parts),
                                   probes = ToProbes(probes)](const IndexWorker& worker) {
               return worker.Candidates(parts, probes);
             });
           })
      .def("names",
           [](const WorkerHandle& self, const nb::list& parts) {
             return self.AskBatch([parts = FromStrings(parts)](const IndexWorker& worker) {
               return worker.Names(parts);
             });
           })
      .def("tracked",
           [](const WorkerHandle& self, const nb::list& parts) {
             return self.AskBatch([parts = FromStrings(parts)](const IndexWorker& worker) {
               return worker.Tracked(parts);
             });
           })
      .def("unindexed",
           [](const WorkerHandle& self, const nb::list& entries) {
             return self.AskBatch([entries = FromStrings(entries)](const IndexWorker& worker) {
               return worker.Unindexed(entries);
             });
           })
      .def("row_schema",
           [](const WorkerHandle& self, const nb::dict& request) {
             return ToStr(self.Ask([request = ToRequest(request)](const IndexWorker& worker) {
               return worker.RowSchema(request);
             }));
           })
      .def("read", &Read)
      .def("row_group_counters", &RowGroupCounters)
      .def("convert", &Convert);
}

struct DriverHandle {
  Progress progress;
  std::shared_ptr<UpdateDriver> driver;

  /// Calls a method that changes the index.
  template <typename Work>
  auto Tell(Work work) {
    return Watched(
        AtInterrupt::kWait,
        [driver = driver, work = std::move(work)](const std::stop_token&) { return work(*driver); },
        &progress);
  }
};

void OpenDriver(DriverHandle* self, const nb::str& root, const nb::str& index,
                const Options& options, int parallelism, nb::object callback) {
  new (self) DriverHandle{Progress(std::move(callback)), nullptr};
  self->driver = Watched(
      AtInterrupt::kWait,
      [root = FromStr(root), index = FromStr(index), options, parallelism,
       report = self->progress.reporter()](const std::stop_token& stop) {
        const UpdateOptions update{.progress = report, .stop = stop};
        return std::make_shared<UpdateDriver>(root, index, options, update, parallelism);
      },
      &self->progress);
}

nb::object NextShare(DriverHandle& self) {
  const std::optional<std::string> share =
      self.Tell([](UpdateDriver& driver) { return driver.NextShare(); });
  return share ? nb::object(ToStr(*share)) : nb::none();
}

void BindDriver(nb::module_& module) {
  nb::class_<DriverHandle>(module, "UpdateDriver")
      .def("__init__", &OpenDriver, nb::arg("root"), nb::arg("index"), nb::arg("options"),
           nb::arg("parallelism"), nb::arg("progress").none())
      .def_prop_ro("done", [](const DriverHandle& self) { return self.driver->done(); })
      .def("next_share", &NextShare)
      .def("commit",
           [](DriverHandle& self, const nb::list& results) {
             self.Tell([results = FromStrings(results)](UpdateDriver& driver) {
               driver.Commit(results);
             });
           })
      .def("keep_lock",
           [](DriverHandle& self) { self.Tell([](UpdateDriver& driver) { driver.KeepLock(); }); })
      .def("finish",
           [](DriverHandle& self) {
             return ToDict(self.Tell([](UpdateDriver& driver) { return driver.Finish(); }));
           })
      .def("close", [](DriverHandle& self) {
        const nb::gil_scoped_release released;
        self.driver = nullptr;
      });
}

}  // namespace

void BindSpark(nb::module_& module) {
  BindWorker(module);
  BindDriver(module);
}

}  // namespace ariadne::python
