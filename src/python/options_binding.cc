#include <nanobind/nanobind.h>

#include "ariadne/errors.h"
#include "ariadne/options.h"
#include "cli/row_group_settings.h"
#include "cli/values.h"
#include "python/bindings.h"
#include "python/reports.h"
#include "rowgroup/row_group_options.h"

namespace ariadne::python {
namespace {

namespace nb = nanobind;

void SetUnindexed(Options& options, const std::string& policy) {
  options.unindexed = policy == "include"   ? Unindexed::kInclude
                      : policy == "exclude" ? Unindexed::kExclude
                                            : Unindexed::kError;
}

// What is wrong with the value, None where it was taken; False: there is no such setting.
nb::object SetRowGroups(rowgroup::RowGroupOptions& options, const std::string& name,
                        const std::string& value) {
  for (const cli::RowGroupSetting& setting : cli::RowGroupSettings()) {
    if (name != setting.name) continue;
    return setting.take(value, options) ? nb::none() : nb::object(nb::str(setting.expected));
  }
  return nb::bool_(false);
}

nb::list RowGroupNames() {
  nb::list names;
  for (const cli::RowGroupSetting& setting : cli::RowGroupSettings()) names.append(setting.name);
  return names;
}

}  // namespace

void BindOptions(nb::module_& module) {
  nb::class_<Options>(module, "Options")
      .def(nb::init<>())
      .def_rw("memory", &Options::memory_bytes)
      .def_rw("threads", &Options::threads)
      .def_rw("large_index_limit", &Options::large_index_limit)
      .def_rw("auto_bloom_fpr", &Options::auto_bloom_fpr)
      .def_rw("staging_consolidation_threshold", &Options::staging_consolidation_threshold)
      .def_rw("auto_compact_threshold", &Options::auto_compact_threshold)
      .def_rw("lock_timeout", &Options::lock_timeout_seconds)
      .def_rw("lock_retry_interval", &Options::lock_retry_interval_seconds)
      .def_rw("lock_max_wait", &Options::lock_max_wait_seconds)
      .def_rw("lock_refresh_interval", &Options::lock_refresh_interval)
      .def("set_token_time_zone",
           [](Options& options, const nb::str& zone) { options.token_time_zone = FromStr(zone); })
      .def("set_unindexed",
           [](Options& options, const nb::str& policy) { SetUnindexed(options, FromStr(policy)); })
      .def("add_path_mapping",
           [](Options& options, const nb::str& from, const nb::str& to) {
             options.path_map.push_back({FromStr(from), FromStr(to)});
           })
      .def("add_storage", [](Options& options, const nb::str& name, const nb::str& value) {
        options.storage[FromStr(name)] = FromStr(value);
      });
  nb::class_<rowgroup::RowGroupOptions>(module, "RowGroupOptions")
      .def(nb::init<>())
      .def_static("names", &RowGroupNames)
      .def("set",
           [](rowgroup::RowGroupOptions& options, const nb::str& name, const nb::str& value) {
             return SetRowGroups(options, FromStr(name), FromStr(value));
           });
  module.def("parse_size", [](const nb::str& text) { return cli::ParseSize(FromStr(text)); });
}

}  // namespace ariadne::python
