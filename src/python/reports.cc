#include "python/reports.h"

#include "python/arrow_exchange.h"

namespace ariadne::python {

namespace nb = nanobind;

nb::str ToStr(const std::string& text) {
  PyObject* made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(made);
}

nb::list ToStrings(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(ToStr(text));
  return list;
}

std::string FromStr(nb::handle text) {
  const nb::object bytes =
      nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(bytes.ptr()), static_cast<size_t>(PyBytes_Size(bytes.ptr()))};
}

std::vector<std::string> FromStrings(nb::handle texts) {
  std::vector<std::string> strings;
  for (const nb::handle text : nb::cast<nb::list>(texts)) strings.push_back(FromStr(text));
  return strings;
}

nb::dict ToDict(const IndexedColumn& column) {
  nb::dict dict;
  dict["kind"] = ToString(column.kind);
  dict["column"] = ToStr(column.column);
  const bool bloom = column.kind == IndexedColumn::Kind::kBloom;
  dict["fpr"] = bloom ? nb::object(nb::float_(column.fpr)) : nb::none();
  dict["expression"] = ToStr(column.expression);
  dict["timestamp_column"] = ToStr(column.timestamp_column);
  dict["array_column"] = ToStr(column.array_column);
  dict["field_path"] = ToStr(column.field_path);
  return dict;
}

nb::dict ToDict(const TrackedFile& file) {
  nb::dict dict;
  dict["uri"] = ToStr(file.uri);
  dict["added_at_us"] = file.added_at_us;
  dict["indexed"] = file.indexed;
  return dict;
}

nb::dict ToDict(const AddReport& report) {
  nb::dict dict;
  dict["added"] = report.added;
  dict["already_tracked"] = report.already_tracked;
  return dict;
}

nb::dict ToDict(const UpdateReport& report) {
  nb::list failed;
  for (const FailedFile& file : report.files_failed) {
    failed.append(nb::make_tuple(ToStr(file.uri), ToStr(file.error)));
  }
  nb::dict dict;
  dict["files_indexed"] = report.files_indexed;
  dict["files_backfilled"] = report.files_backfilled;
  dict["files_failed"] = failed;
  dict["batches"] = report.batches;
  dict["bytes_indexed"] = report.bytes_indexed;
  dict["bytes_read"] = report.bytes_read;
  dict["bytes_written"] = report.bytes_written;
  dict["elapsed_ms"] = report.elapsed_ms;
  return dict;
}

nb::dict ToDict(const SyncReport& report) {
  nb::dict dict;
  dict["looked_at_us"] = report.looked_at_us;
  dict["added"] = ToStrings(report.added);
  dict["vanished"] = ToStrings(report.vanished);
  dict["changed"] = ToStrings(report.changed);
  dict["unchanged"] = report.unchanged;
  dict["update"] = ToDict(report.update);
  return dict;
}

nb::dict ToDict(const DeleteReport& report) {
  nb::dict dict;
  dict["deleted"] = report.deleted;
  dict["unknown"] = ToStrings(report.unknown);
  return dict;
}

nb::dict ToDict(const CompactReport& report) {
  nb::dict dict;
  dict["files_before"] = report.files_before;
  dict["files_after"] = report.files_after;
  dict["bytes_rewritten"] = report.bytes_rewritten;
  return dict;
}

nb::dict ToDict(const VacuumReport& report) {
  nb::dict dict;
  dict["files"] = ToStrings(report.files);
  dict["bytes"] = report.bytes;
  return dict;
}

nb::dict ToDict(const ColumnStatistics& statistics) {
  nb::object values = nb::none();
  if (const auto& of = statistics.values) {
    nb::dict dict;
    dict["min"] = of->min;
    dict["max"] = of->max;
    dict["average"] = of->average;
    dict["median"] = of->median;
    dict["deviation"] = of->deviation ? nb::object(nb::float_(*of->deviation)) : nb::none();
    values = dict;
  }
  nb::object fill = nb::none();
  if (const auto& of = statistics.fill) {
    nb::dict dict;
    dict["filters"] = of->filters;
    dict["bytes"] = of->bytes;
    dict["min"] = of->min;
    dict["average"] = of->average;
    dict["max"] = of->max;
    dict["false_positive_rate"] = of->false_positive_rate;
    fill = dict;
  }
  nb::object widths = nb::none();
  if (const auto& of = statistics.widths) {
    nb::dict dict;
    dict["ranges"] = of->ranges;
    dict["min"] = of->min;
    dict["average"] = of->average;
    dict["max"] = of->max;
    widths = dict;
  }
  nb::dict dict;
  dict["column"] = ToStr(statistics.column);
  dict["kind"] = ToStr(statistics.kind);
  dict["file_count"] = statistics.file_count;
  dict["built_files"] = statistics.built_files;
  dict["large_files"] = statistics.large_files;
  dict["values"] = values;
  dict["fill"] = fill;
  dict["widths"] = widths;
  return dict;
}

nb::dict ToDict(const Located& located) {
  nb::list steps;
  for (const PruneStep& step : located.steps) {
    steps.append(
        nb::make_tuple(ToStr(step.column), ToStr(step.kind), step.files_before, step.files_after));
  }
  nb::dict dict;
  dict["files"] = ToStrings(located.files);
  dict["unindexed_files"] = ToStrings(located.unindexed_files);
  dict["total_files"] = located.total_files;
  dict["bytes"] = located.bytes;
  dict["total_bytes"] = located.total_bytes;
  dict["index_bytes_read"] = located.index_bytes_read;
  dict["requests"] = located.requests;
  dict["elapsed_ms"] = located.elapsed_ms;
  dict["why"] = steps;
  return dict;
}

nb::dict ToDict(const ReadOptions& options) {
  nb::dict dict;
  for (const auto& [name, value] : options) dict[ToStr(name)] = ToStr(value);
  return dict;
}

nb::dict ToDict(const IndexSummary& summary) {
  nb::dict dict;
  dict["name"] = ToStr(summary.name);
  dict["format"] = ToStr(summary.format);
  dict["read_options"] = ToDict(summary.read_options);
  dict["schema"] = ExportSchema(*summary.schema);
  dict["columns"] = ToList(summary.columns);
  dict["tracked_files"] = summary.tracked_files;
  dict["indexed_files"] = summary.indexed_files;
  const bool known = summary.total_indexed_bytes >= 0;
  dict["total_indexed_bytes"] =
      known ? nb::object(nb::int_(summary.total_indexed_bytes)) : nb::none();
  dict["metadata_version"] = summary.metadata_version;
  dict["storage_format_version"] = summary.storage_format_version;
  return dict;
}

}  // namespace ariadne::python
