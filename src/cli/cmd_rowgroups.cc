#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/output_target.h"
#include "cli/row_group_settings.h"
#include "cli/row_output.h"
#include "cli/text_table.h"
#include "query/index_state.h"
#include "rowgroup/index_table.h"
#include "source/file_uri.h"

namespace ariadne::cli {
namespace {

using rowgroup::FileIdentity;
using rowgroup::IndexKey;
using rowgroup::IndexTable;
using rowgroup::RowGroupIndex;

/// The root's table of row-group indexes.
class KeptIndexes {
 public:
  explicit KeptIndexes(const Context& context)
      : lake_(context.Root(), context.global.options), table_(TableOf(context)) {}

  IndexTable& table() { return table_; }
  /// Throws StorageError, InvalidDeltaTable. Damaged ones are left out and said.
  void ForEach(const Context& context,
               const std::function<void(const IndexKey&, const RowGroupIndex&)>& see) const {
    const auto report = table_.Read([&](const IndexKey& key, const RowGroupIndex& index) {
      see(key, index);
      return true;
    });
    if (report.damaged > 0) {
      context.streams.err << "warning: " << report.damaged << " indexes of " << table_.url()
                          << " are damaged and not used\n";
    }
  }
  /// Under which name the file's indexes are kept.
  [[nodiscard]] std::string UrlOf(const std::string& file) const {
    return source::MapPath(source::CanonicalUri(file), lake_.options.path_map);
  }
  /// Whether the file still holds the bytes.
  [[nodiscard]] bool IsCurrent(const FileIdentity& file) {
    const auto [at, fresh] = now_.try_emplace(file.uri);
    if (fresh) at->second = rowgroup::IdentityNow(*lake_.stores, file.uri);
    return at->second == file;
  }

 private:
  [[nodiscard]] storage::ObjectRef TableOf(const Context& context) const {
    const std::string other = RowGroupOptionsOf(context.global.settings).root;
    return IndexTable::FolderBelow(
        other.empty() ? lake_.root
                      : lake_.stores->Resolve(source::DecodedUrl(source::CanonicalUri(other))));
  }

  internal::LakeImpl lake_;
  IndexTable table_;
  std::map<std::string, std::optional<FileIdentity>> now_;
};

int64_t Bytes(const RowGroupIndex& index) {
  return static_cast<int64_t>(index.EncodeValues().size());
}

std::string Percent(std::optional<double> share) {
  if (!share) return "";
  char text[16];
  std::snprintf(text, sizeof(text), "%.1f%%", *share * 100);
  return text;
}

std::string CountText(std::optional<int64_t> count) { return count ? std::to_string(*count) : "-"; }

std::string RangeText(const RowGroupIndex& index) {
  const auto* range = std::get_if<rowgroup::ValueRange>(&index.values);
  return range ? range->ToText() : "";
}

ExitCode List(const Context& context, KeptIndexes& kept) {
  struct Sum {
    int64_t row_groups = 0;
    std::optional<int64_t> distinct;
    int64_t bytes = 0;
    double fill = 0;
    bool current = false;
  };
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Sum> sums;
  kept.ForEach(context, [&](const IndexKey& key, const RowGroupIndex& index) {
    Sum& sum = sums[{key.file.uri, key.target, ToString(key.kind),
                     key.file.etag.empty() ? std::to_string(key.file.modified_ms) : key.file.etag}];
    ++sum.row_groups;
    sum.distinct = std::max(sum.distinct, index.distinct);
    sum.bytes += Bytes(index);
    sum.fill = std::max(sum.fill, index.Fill().value_or(0));
    sum.current = kept.IsCurrent(key.file);
  });
  Json list = Json::array();
  TextTable table({{"file"},
                   {"of"},
                   {"kind"},
                   {"row groups", true},
                   {"distinct", true},
                   {"bytes", true},
                   {"fill", true},
                   {""}});
  for (const auto& [key, sum] : sums) {
    const auto& [file, target, kind, version] = key;
    list.push_back({{"file", file},
                    {"target", target},
                    {"kind", kind},
                    {"row_groups", sum.row_groups},
                    {"most_distinct", sum.distinct ? Json(*sum.distinct) : Json(nullptr)},
                    {"bytes", sum.bytes},
                    {"most_fill", kind == "bloom" ? Json(sum.fill) : Json(nullptr)},
                    {"current", sum.current}});
    table.AddRow({file, target, kind, std::to_string(sum.row_groups), CountText(sum.distinct),
                  std::to_string(sum.bytes), kind == "bloom" ? Percent(sum.fill) : std::string(),
                  sum.current ? "" : "stale"});
  }
  if (context.global.json) {
    PrintJson(context.streams.out, {{"row_group_indexes", std::move(list)}});
  } else {
    table.Print(context.streams.out, static_cast<size_t>(context.streams.out_width));
  }
  return ExitCode::kDone;
}

ExitCode Show(const Context& context, KeptIndexes& kept, const std::string& file) {
  const std::string url = kept.UrlOf(file);
  Json list = Json::array();
  TextTable table({{"row group", true},
                   {"of"},
                   {"kind"},
                   {"rows", true},
                   {"distinct", true},
                   {"bytes", true},
                   {"fill", true},
                   {"range"},
                   {""}});
  struct Row {
    Json json;
    std::vector<std::string> cells;
  };
  std::multimap<std::tuple<std::string, std::string, int32_t>, Row> rows;
  kept.ForEach(context, [&](const IndexKey& key, const RowGroupIndex& index) {
    if (key.file.uri != url) return;
    const auto fill = index.Fill();
    const bool current = kept.IsCurrent(key.file);
    const int64_t bytes = Bytes(index);
    const std::string range = RangeText(index);
    Json json = {{"row_group", key.row_group},
                 {"target", key.target},
                 {"kind", ToString(key.kind)},
                 {"rows", index.rows},
                 {"distinct", index.distinct ? Json(*index.distinct) : Json(nullptr)},
                 {"bytes", bytes},
                 {"fill", fill ? Json(*fill) : Json(nullptr)},
                 {"range", fill ? Json(nullptr) : Json(range)},
                 {"current", current}};
    rows.emplace(std::tuple(key.target, std::string(ToString(key.kind)), key.row_group),
                 Row{std::move(json),
                     {std::to_string(key.row_group), key.target, ToString(key.kind),
                      std::to_string(index.rows), CountText(index.distinct), std::to_string(bytes),
                      Percent(fill), range, current ? "" : "stale"}});
  });
  for (auto& [key, row] : rows) {
    list.push_back(std::move(row.json));
    table.AddRow(std::move(row.cells));
  }
  if (list.empty()) {
    throw FileNotFound("no row-group index of " + url + " is kept; 'ariadne rowgroups list' says " +
                       "of which files there are");
  }
  if (context.global.json) {
    PrintJson(context.streams.out, {{"file", url}, {"row_group_indexes", std::move(list)}});
  } else {
    table.Print(context.streams.out, static_cast<size_t>(context.streams.out_width));
  }
  return ExitCode::kDone;
}

void CheckStatus(const arrow::Status& status) {
  if (!status.ok()) throw Error("the row-group indexes cannot be dumped: " + status.message());
}

ExitCode Dump(const Context& context, KeptIndexes& kept, const std::string& output) {
  CheckOutputSuffix(output);
  CheckOutput(output, context.OpenLake(), context.global);
  arrow::StringBuilder file, etag, target, kind, range;
  arrow::Int64Builder size, modified, rows, distinct;
  arrow::Int32Builder row_group;
  arrow::DoubleBuilder fill;
  arrow::BinaryBuilder values;
  int64_t count = 0;
  kept.ForEach(context, [&](const IndexKey& key, const RowGroupIndex& index) {
    const auto share = index.Fill();
    CheckStatus(file.Append(key.file.uri));
    CheckStatus(size.Append(key.file.size));
    CheckStatus(modified.Append(key.file.modified_ms));
    CheckStatus(etag.Append(key.file.etag));
    CheckStatus(row_group.Append(key.row_group));
    CheckStatus(target.Append(key.target));
    CheckStatus(kind.Append(ToString(key.kind)));
    CheckStatus(rows.Append(index.rows));
    CheckStatus(index.distinct ? distinct.Append(*index.distinct) : distinct.AppendNull());
    CheckStatus(share ? fill.Append(*share) : fill.AppendNull());
    CheckStatus(share ? range.AppendNull() : range.Append(RangeText(index)));
    CheckStatus(values.Append(index.EncodeValues()));
    ++count;
  });
  const std::pair<const char*, arrow::ArrayBuilder*> columns[] = {
      {"file", &file}, {"size", &size},           {"modified_ms", &modified},
      {"etag", &etag}, {"row_group", &row_group}, {"target", &target},
      {"kind", &kind}, {"row_count", &rows},      {"distinct_count", &distinct},
      {"fill", &fill}, {"range", &range},         {"values", &values}};
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const auto& [name, builder] : columns) {
    fields.push_back(arrow::field(name, builder->type()));
    CheckStatus(builder->Finish(&arrays.emplace_back()));
  }
  const auto batch = arrow::RecordBatch::Make(arrow::schema(fields), count, std::move(arrays));
  const auto reader = arrow::RecordBatchReader::Make({batch});
  CheckStatus(reader.status());
  WriteRows(output, *reader, context);
  if (context.global.json) {
    PrintJson(context.streams.out, {{"row_group_indexes", count}, {"output", output}});
  } else {
    context.streams.err << "wrote " << count << " row-group indexes to " << output << "\n";
  }
  return ExitCode::kDone;
}

ExitCode Drop(const Context& context, KeptIndexes& kept, const RowGroupsArguments& arguments) {
  std::optional<int64_t> dropped;
  if (arguments.all) {
    dropped = kept.table().DropAll();
  } else {
    const std::string url = arguments.file.empty() ? "" : kept.UrlOf(arguments.file);
    dropped = kept.table().Drop([&](const IndexKey& key) {
      return arguments.stale ? !kept.IsCurrent(key.file) : key.file.uri == url;
    });
  }
  if (context.global.json) {
    PrintJson(context.streams.out, {{"dropped", dropped ? Json(*dropped) : Json(nullptr)}});
  } else if (dropped) {
    context.streams.out << "dropped " << *dropped << " row-group indexes\n";
  } else {
    context.streams.out << "dropped all row-group indexes: removed " << kept.table().url()
                        << ", whose Delta log could not be read\n";
  }
  return ExitCode::kDone;
}

}  // namespace

ExitCode Run(const RowGroupsArguments& arguments, const Context& context) {
  KeptIndexes kept(context);
  switch (arguments.action) {
    case RowGroupsArguments::Action::kList:
      return List(context, kept);
    case RowGroupsArguments::Action::kShow:
      return Show(context, kept, arguments.file);
    case RowGroupsArguments::Action::kDump:
      return Dump(context, kept, arguments.output);
    case RowGroupsArguments::Action::kDrop:
      return Drop(context, kept, arguments);
  }
  return ExitCode::kFailed;
}

}  // namespace ariadne::cli
