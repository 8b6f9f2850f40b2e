#include <nanobind/nanobind.h>

#include <memory>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "ariadne/index.h"
#include "python/arrow_exchange.h"
#include "python/bindings.h"
#include "python/index_columns.h"
#include "python/reports.h"
#include "python/row_stream.h"
#include "python/watched_call.h"

namespace ariadne::python {

namespace nb = nanobind;

IndexedColumn ToIndexedColumn(const nb::dict& column) {
  using Kind = IndexedColumn::Kind;
  const auto text = [&](const char* key) -> std::string {
    return column.contains(key) ? FromStr(column[key]) : std::string();
  };
  IndexedColumn result;
  const std::string kind = text("kind");
  for (const Kind each : {Kind::kRegular, Kind::kBloom, Kind::kRange, Kind::kComputed,
                          Kind::kTemporal, Kind::kExploded}) {
    if (kind == ToString(each)) result.kind = each;
  }
  result.column = text("column");
  if (column.contains("fpr")) result.fpr = nb::cast<double>(column["fpr"]);
  result.expression = text("expression");
  result.timestamp_column = text("timestamp_column");
  result.array_column = text("array_column");
  result.field_path = text("field_path");
  return result;
}

namespace {

// An index is a handle: who writes through it takes a copy.

nb::dict AddFiles(Index index, const nb::list& paths) {
  return ToDict(Watched(AtInterrupt::kWait,
                        [index, paths = FromStrings(paths)](const std::stop_token&) mutable {
                          return index.AddFiles(paths);
                        }));
}

nb::dict Update(Index index, nb::object callback) {
  Progress progress(std::move(callback));
  return ToDict(Watched(
      AtInterrupt::kWait,
      [index, report = progress.reporter()](const std::stop_token& stop) mutable {
        return index.Update({.progress = report, .stop = stop});
      },
      &progress));
}

nb::dict Sync(Index index, const nb::str& lake, bool dry_run, nb::object callback) {
  Progress progress(std::move(callback));
  return ToDict(Watched(
      AtInterrupt::kWait,
      [index, lake = FromStr(lake), dry_run,
       report = progress.reporter()](const std::stop_token& stop) mutable {
        return index.Sync(
            {.lake = lake, .dry_run = dry_run, .update = {.progress = report, .stop = stop}});
      },
      &progress));
}

nb::dict Delete(Index index, const nb::list& files) {
  return ToDict(Watched(AtInterrupt::kWait,
                        [index, files = FromStrings(files)](const std::stop_token&) mutable {
                          return index.Delete(files);
                        }));
}

nb::dict Compact(Index index, nb::object callback) {
  Progress progress(std::move(callback));
  return ToDict(Watched(
      AtInterrupt::kWait,
      [index](const std::stop_token& stop) mutable { return index.Compact({.stop = stop}); },
      &progress));
}

nb::dict Vacuum(Index index, double retention_hours, bool force, bool dry_run,
                nb::object callback) {
  Progress progress(std::move(callback));
  return ToDict(Watched(
      AtInterrupt::kWait,
      [=](const std::stop_token& stop) mutable {
        return index.Vacuum(
            {.retention_hours = retention_hours, .force = force, .dry_run = dry_run, .stop = stop});
      },
      &progress));
}

// `probes`: pairs of a column and an object with `__arrow_c_array__`.
nb::dict Locate(const Index& index, const nb::list& probes) {
  std::vector<Probe> asked;
  for (const nb::handle each : probes) {
    const auto probe = nb::cast<nb::tuple>(each);
    asked.push_back({FromStr(probe[0]), ImportArray(probe[1])});
  }
  return ToDict(Watched(
      AtInterrupt::kLeave,
      [index, asked = std::move(asked)](const std::stop_token&) { return index.Locate(asked); }));
}

// `keys`: an object with `__arrow_c_stream__`.
nb::dict LocateKeys(const Index& index, nb::handle keys, const nb::list& on) {
  return ToDict(Watched(AtInterrupt::kLeave, [index, keys = ImportStream(keys),
                                              on = FromStrings(on)](const std::stop_token& stop) {
    return index.Locate(*ReadAll(*keys, stop), on);
  }));
}

JoinType ToJoinType(const std::string& how) {
  if (how == "left") return JoinType::kLeft;
  if (how == "right") return JoinType::kRight;
  if (how == "left_semi") return JoinType::kLeftSemi;
  if (how == "left_anti") return JoinType::kLeftAnti;
  return JoinType::kInner;
}

nb::tuple Join(const Index& index, nb::handle keys, const nb::list& on, const nb::str& how,
               bool keys_left, const nb::list& select, nb::object callback) {
  Progress progress(std::move(callback));
  std::stop_source stop;
  JoinOptions options{.on = FromStrings(on),
                      .how = ToJoinType(FromStr(how)),
                      .keys_left = keys_left,
                      .select = FromStrings(select),
                      .stop = stop.get_token()};
  Joined joined = Watched(
      AtInterrupt::kLeave,
      [index, keys = ImportStream(keys), options = std::move(options)](
          const std::stop_token& asked) { return index.Join(ReadAll(*keys, asked), options); },
      &progress, stop);
  return nb::make_tuple(RowStream(std::move(joined.rows), stop), ToDict(joined.located));
}

}  // namespace

void BindIndex(nb::module_& module) {
  nb::class_<Index>(module, "Index")
      .def_prop_ro("name", [](const Index& index) { return ToStr(index.name()); })
      .def_prop_ro("format", [](const Index& index) { return ToStr(index.format()); })
      .def_prop_ro("read_options", [](const Index& index) { return ToDict(index.read_options()); })
      .def("schema", [](const Index& index) { return ExportSchema(*index.schema()); })
      .def("columns",
           [](const Index& index) {
             return ToList(Watched(AtInterrupt::kLeave,
                                   [index](const std::stop_token&) { return index.columns(); }));
           })
      .def("add_index",
           [](Index index, const nb::dict& column) {
             Watched(AtInterrupt::kWait,
                     [index, column = ToIndexedColumn(column)](const std::stop_token&) mutable {
                       index.AddIndex(column);
                     });
           })
      .def("add_files", &AddFiles)
      .def("files",
           [](const Index& index) {
             return ToList(Watched(AtInterrupt::kLeave,
                                   [index](const std::stop_token&) { return index.Files(); }));
           })
      .def("update", &Update, nb::arg("progress").none())
      .def("sync", &Sync, nb::arg("lake"), nb::arg("dry_run"), nb::arg("progress").none())
      .def("delete", &Delete)
      .def("compact", &Compact, nb::arg("progress").none())
      .def("vacuum", &Vacuum, nb::arg("retention_hours"), nb::arg("force"), nb::arg("dry_run"),
           nb::arg("progress").none())
      .def("stats",
           [](const Index& index) {
             return ToList(Watched(AtInterrupt::kLeave,
                                   [index](const std::stop_token&) { return index.Stats(); }));
           })
      .def("locate", &Locate)
      .def("locate_keys", &LocateKeys)
      .def("join", &Join, nb::arg("keys"), nb::arg("on"), nb::arg("how"), nb::arg("keys_left"),
           nb::arg("select"), nb::arg("progress").none());
}

}  // namespace ariadne::python
