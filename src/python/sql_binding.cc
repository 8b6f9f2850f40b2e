#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include <arrow/record_batch.h>

#include "python/arrow_exchange.h"
#include "python/bindings.h"
#include "python/reports.h"
#include "python/row_stream.h"
#include "python/watched_call.h"
#include "sql/sql_session.h"

namespace ariadne::python {
namespace {

namespace nb = nanobind;

using Session = std::shared_ptr<sql::SqlSession>;

Session OpenSession(const nb::str& root, const Options& options,
                    const rowgroup::RowGroupOptions& row_groups) {
  return Watched(AtInterrupt::kLeave,
                 [root = FromStr(root), options, row_groups](const std::stop_token&) {
                   return std::make_shared<sql::SqlSession>(root, options, row_groups);
                 });
}

RowStream Query(const Session& session, const nb::str& statements, nb::object callback) {
  const auto percent = [query = std::weak_ptr(session)] {
    const Session running = query.lock();
    return running ? running->Progress() : -1;
  };
  Progress progress(std::move(callback), percent);
  std::stop_source stop;
  auto rows = Watched(
      AtInterrupt::kWait,
      [session, statements = FromStr(statements)](const std::stop_token& asked) {
        return session->Query(statements, asked);
      },
      &progress, stop);
  return {std::move(rows), stop, session, percent};
}

nb::list Scans(const Session& session) {
  nb::list scans;
  for (const sql::ScanReport& report : session->Reports()) {
    if (!report.read) continue;
    nb::list words;
    for (const std::string& line : sql::Words(report)) words.append(ToStr(line));
    nb::dict scan;
    scan["table"] = ToStr(report.table);
    scan["files"] = report.files;
    scan["total_files"] = report.total_files;
    scan["unindexed_files"] = report.unindexed_files;
    scan["row_groups"] = report.read->row_groups_found.load();
    scan["row_groups_read"] = report.read->row_groups_read.load();
    scan["why"] = words;
    scans.append(scan);
  }
  return scans;
}

void AddTable(const Session& session, const nb::str& name, nb::handle table) {
  Watched(AtInterrupt::kLeave,
          [session, name = FromStr(name), rows = ImportStream(table)](const std::stop_token& stop) {
            session->AddTable(name, *ReadAll(*rows, stop));
          });
}

// nanobind's own shared_ptr would keep the session with the interpreter's lock needed to drop it.
struct SqlHandle {
  Session session;
};

}  // namespace

void BindSql(nb::module_& module) {
  nb::class_<SqlHandle>(module, "SqlSession")
      .def("__init__",
           [](SqlHandle* self, const nb::str& root, const Options& options,
              const rowgroup::RowGroupOptions& row_groups) {
             new (self) SqlHandle{OpenSession(root, options, row_groups)};
           })
      .def(
          "query",
          [](const SqlHandle& self, const nb::str& statements, nb::object progress) {
            return Query(self.session, statements, std::move(progress));
          },
          nb::arg("statements"), nb::arg("progress").none())
      .def("add_table", [](const SqlHandle& self, const nb::str& name,
                           nb::handle table) { AddTable(self.session, name, table); })
      .def("scans", [](const SqlHandle& self) { return Scans(self.session); });
}

}  // namespace ariadne::python
