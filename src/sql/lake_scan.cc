#include "sql/lake_scan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ariadne/errors.h"
#include "duckdb/catalog/catalog.hpp"
#include "duckdb/common/serializer/deserializer.hpp"
#include "duckdb/common/serializer/serializer.hpp"
#include "duckdb/execution/operator/scan/physical_table_scan.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/planner/filter/conjunction_filter.hpp"
#include "duckdb/planner/filter/constant_filter.hpp"
#include "duckdb/planner/filter/optional_filter.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/storage/statistics/node_statistics.hpp"
#include "query/row_condition.h"
#include "scan/bound_scan.h"
#include "sql/derived_rows.h"
#include "sql/newest_rows.h"
#include "sql/row_conditions.h"
#include "text/text_format.h"

namespace ariadne::sql {

namespace {

constexpr char kLakeScan[] = "ariadne_table";

using duckdb::ClientContext;
using duckdb::idx_t;

struct LakeScanData : duckdb::TableFunctionData {
  std::shared_ptr<const LakeTable> table;
  std::shared_ptr<PruningLog> log;
  std::shared_ptr<scan::FileSets> sets;
  duckdb::optional_ptr<duckdb::TableCatalogEntry> entry;
  int64_t plan = 0;
  query::FileSelection selection;
  std::vector<NotPruned> not_pruned;
  /// For row groups.
  std::shared_ptr<const scan::KnownConditions> conditions =
      std::make_shared<const scan::KnownConditions>();
  /// Conditions that were asked: the optimizer offers some twice.
  std::set<std::string> seen;
  /// What is asked of temporal columns, of every row: it decides whose versions are compared.
  std::map<std::string, query::RowCondition> asked_of_keys;
  /// Places of the exploded columns that the query named.
  std::set<size_t> exploded;

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<LakeScanData>(*this);
  }
  bool SupportStatementCache() const override { return false; }
};

struct LakeScanGlobal : duckdb::GlobalTableFunctionState {
  scan::BoundScan files;
  std::shared_ptr<scan::RegisteredSet> set;
  duckdb::unique_ptr<duckdb::GlobalTableFunctionState> state;
  duckdb::unique_ptr<DerivedPlan> derived;  ///< Where derived columns are wanted; else nullptr.
  ScanReport report;

  idx_t MaxThreads() const override { return state->MaxThreads(); }
};

struct LakeScanLocal : duckdb::LocalTableFunctionState {
  duckdb::unique_ptr<duckdb::LocalTableFunctionState> state;
  duckdb::unique_ptr<DerivedRows> derived;
};

/// What the files' scan is started with: the scan's own input, but for derived columns.
duckdb::TableFunctionInitInput FilesInput(const LakeScanGlobal& global,
                                          const duckdb::TableFunctionInitInput& input) {
  const auto* bind_data = global.files.bind_data.get();
  if (!global.derived) {
    return {bind_data,     input.column_indexes, input.projection_ids,
            input.filters, input.sample_options, input.op};
  }
  auto& filters = global.derived->base_filters();
  return {bind_data,
          global.derived->base_columns(),
          {},
          filters.filters.empty() ? nullptr : &filters,
          input.sample_options,
          input.op};
}

bool WantsDerived(const LakeScanData& data, const duckdb::TableFunctionInitInput& input) {
  if (!data.exploded.empty()) return true;
  return std::any_of(input.column_ids.begin(), input.column_ids.end(),
                     [&](duckdb::column_t id) { return data.table->DerivedAt(id).has_value(); });
}

void AddSteps(const query::FileSelection& selection, size_t first, const char* phase,
              ScanReport& report) {
  for (size_t i = first; i < selection.steps.size(); ++i) {
    const query::SelectionStep& step = selection.steps[i];
    report.steps.push_back(
        {phase, step.condition, step.index, "", step.files_before, step.files_after});
  }
}

void AddReasons(const std::vector<NotPruned>& reasons, const char* phase, int64_t files,
                ScanReport& report) {
  for (const NotPruned& each : reasons) {
    report.steps.push_back({phase, each.condition, "", each.reason, files, files});
  }
}

ScanReport PlanReport(const LakeScanData& data) {
  const query::LakeSnapshot& snapshot = data.table->snapshot();
  ScanReport report;
  report.plan = data.plan;
  report.table = data.table->name();
  report.total_files = snapshot.total_files();
  report.planned_files = query::CountFiles(snapshot, data.selection);
  report.files = report.planned_files;
  report.unindexed_files = static_cast<int64_t>(snapshot.tracked().unindexed.size());
  AddSteps(data.selection, 0, "plan", report);
  AddReasons(data.not_pruned, "plan", report.planned_files, report);
  return report;
}

/// Keeps a condition on a temporal column alone.
void AddKeyCondition(const LakeTable& table, const query::RowCondition& condition,
                     std::map<std::string, query::RowCondition>& asked_of_keys) {
  for (const IndexedColumn& column : table.temporal()) {
    if (condition.column != column.column) continue;
    auto& asked = asked_of_keys[column.column];
    asked = query::And(std::move(asked), condition);
  }
}

void PushdownConditions(ClientContext& context, duckdb::LogicalGet& get,
                        duckdb::FunctionData* bind_data,
                        duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) {
  auto& data = bind_data->Cast<LakeScanData>();
  ConditionReader reader(context, *data.table, get.GetColumnIds());
  query::RowCondition all;
  for (const auto& filter : filters) {
    if (!data.seen.insert(filter->ToString()).second) continue;
    auto condition = reader.Read(*filter, get.table_index);
    AddKeyCondition(*data.table, condition, data.asked_of_keys);
    all = query::And(std::move(all), std::move(condition));
  }
  data.conditions =
      scan::WithConditions(std::move(data.conditions), duckdb::MultiFilePushdownInfo(get), filters);
  query::Narrow(data.table->snapshot(), all, data.selection);
  data.not_pruned.insert(data.not_pruned.end(), reader.not_pruned().begin(),
                         reader.not_pruned().end());
}

/// What a join has made of its keys for one column, once all of them are known.
struct JoinKeys {
  bool listed = false;
  bool has_least = false;
  bool has_greatest = false;

  void Add(const duckdb::TableFilter& filter) {
    using duckdb::TableFilterType;
    switch (filter.filter_type) {
      case TableFilterType::CONJUNCTION_AND:
        for (const auto& child : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
          Add(*child);
        }
        break;
      case TableFilterType::OPTIONAL_FILTER:
        if (const auto& child = filter.Cast<duckdb::OptionalFilter>().child_filter) Add(*child);
        break;
      case TableFilterType::IN_FILTER:
        listed = true;
        break;
      case TableFilterType::CONSTANT_COMPARISON: {
        const auto comparison = filter.Cast<duckdb::ConstantFilter>().comparison_type;
        has_least |= comparison == duckdb::ExpressionType::COMPARE_GREATERTHANOREQUALTO;
        has_greatest |= comparison == duckdb::ExpressionType::COMPARE_LESSTHANOREQUALTO;
        break;
      }
      default:
        break;
    }
  }
  /// Past some number of keys a join gives their ends alone.
  [[nodiscard]] bool too_many() const { return !listed && has_least && has_greatest; }
};

/// Up to how many keys come as a list.
std::string ListedKeys(const ClientContext& context) {
  duckdb::Value most;
  return context.TryGetCurrentSetting("dynamic_or_filter_threshold", most) ? most.ToString() : "";
}

/// Why what joins gave for columns when the scan started did not prune, in place of the many
/// conditions that they make of their keys.
void AddReasonsOfJoins(ClientContext& context, const LakeScanData& data,
                       const duckdb::TableFunctionInitInput& input, int64_t files,
                       ScanReport& report) {
  if (!input.op || input.op->type != duckdb::PhysicalOperatorType::TABLE_SCAN) return;
  const auto& planned = input.op->Cast<duckdb::PhysicalTableScan>().table_filters;
  std::vector<NotPruned> reasons;
  for (const auto& [place, filter] : input.filters->filters) {
    if (planned) {
      const auto known = planned->filters.find(place);
      if (known != planned->filters.end() && known->second->Equals(*filter)) continue;
    }
    const auto* column = data.table->Find(input.column_indexes[place].GetPrimaryIndex());
    JoinKeys keys;
    keys.Add(*filter);
    if (!column || !(keys.listed || keys.too_many())) continue;
    NotPruned reason{column->name + ", by the keys of a join", ""};
    ConditionReader reader(context, *data.table, input.column_indexes);
    (void)reader.Read(*filter, place);
    if (column->index && keys.too_many()) {
      reason.reason = "too many keys: of more than " + ListedKeys(context) +
                      " only the least and greatest are asked";
    } else if (!reader.not_pruned().empty()) {
      reason.reason = reader.not_pruned().front().reason;
    } else {
      reason.reason = "every file can hold one of them";
    }
    reasons.push_back(std::move(reason));
  }
  AddReasons(reasons, "start", files, report);
}

/// Narrows by what is known of the filters when the scan starts; those of the plan are known
/// already.
void NarrowByFilters(ClientContext& context, const LakeScanData& data,
                     const duckdb::TableFunctionInitInput& input, query::FileSelection& selection,
                     std::map<std::string, query::RowCondition>& asked_of_keys,
                     ScanReport& report) {
  if (!input.filters) return;
  ConditionReader reader(context, *data.table, input.column_indexes);
  query::RowCondition all;
  for (const auto& [place, filter] : input.filters->filters) {
    auto condition = reader.Read(*filter, place);
    AddKeyCondition(*data.table, condition, asked_of_keys);
    all = query::And(std::move(all), std::move(condition));
  }
  const size_t known = selection.steps.size();
  query::Narrow(data.table->snapshot(), all, selection);
  // Those of the plan are among them, and have removed what they can.
  std::erase_if(selection.steps, [&, place = size_t{0}](const query::SelectionStep& step) mutable {
    return place++ >= known && step.files_before == step.files_after;
  });
  AddSteps(selection, known, "start", report);
  if (selection.steps.size() == known) {
    AddReasonsOfJoins(context, data, input, report.planned_files, report);
  }
}

/// Leaves of the set's files the newest rows of each temporal column's keys. Versions are compared
/// in all files that may hold the newest of a key that is asked for, whatever else rules them out.
void KeepNewestRows(ClientContext& context, const LakeScanData& data,
                    const std::map<std::string, query::RowCondition>& asked_of_keys,
                    scan::RegisteredSet& set) {
  const LakeTable& table = *data.table;
  for (const IndexedColumn& column : table.temporal()) {
    query::FileSelection compared = query::SelectAll(table.snapshot());
    const auto asked = asked_of_keys.find(column.column);
    if (asked != asked_of_keys.end()) query::Narrow(table.snapshot(), asked->second, compared);
    const auto newest = NewestRows(context, *data.sets, table, column,
                                   query::ScanFilesOf(table.snapshot(), compared));
    const bool first = set.kept_rows.empty();
    for (size_t i = 0; i < set.files->files.size(); ++i) {
      const auto rows = newest.find(set.files->files[i].uri);
      std::shared_ptr<scan::KeptRows> kept = rows == newest.end() ? nullptr : rows->second;
      if (first) {
        set.kept_rows.push_back(std::move(kept));
      } else if (kept && set.kept_rows[i]) {
        kept->Intersect(*set.kept_rows[i]);
        set.kept_rows[i] = std::move(kept);
      } else {
        set.kept_rows[i] = nullptr;
      }
    }
  }
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitGlobal(
    ClientContext& context, duckdb::TableFunctionInitInput& input) {
  const auto& data = input.bind_data->Cast<LakeScanData>();
  const LakeTable& table = *data.table;
  auto global = duckdb::make_uniq<LakeScanGlobal>();
  global->report = PlanReport(data);
  query::FileSelection selection = data.selection;
  auto asked_of_keys = data.asked_of_keys;
  NarrowByFilters(context, data, input, selection, asked_of_keys, global->report);

  auto files = std::make_shared<scan::FileSet>();
  files->schema = table.index().schema();
  files->format = table.index().format();
  files->read_options = table.index().read_options();
  files->files = query::ScanFilesOf(table.snapshot(), selection);
  global->report.files = static_cast<int64_t>(files->files.size());
  global->set = std::make_shared<scan::RegisteredSet>();
  global->set->files = std::move(files);
  KeepNewestRows(context, data, asked_of_keys, *global->set);
  global->report.read = global->set;
  data.log->Add(global->report);

  try {
    global->files =
        scan::BindScanOf(context, global->set, table.index().lake().stores, data.conditions);
  } catch (const Error& error) {
    throw duckdb::InvalidInputException(std::string(error.what()));
  }
  // The reader of Parquet files leaves the rows that are kept by itself.
  const bool text = text::IsTextFormat(table.index().format());
  const auto* kept = text && !global->set->kept_rows.empty() ? &global->set->kept_rows : nullptr;
  if (kept || WantsDerived(data, input)) {
    global->derived = duckdb::make_uniq<DerivedPlan>(context, table, input, data.exploded, kept);
  }
  auto inner = FilesInput(*global, input);
  global->state = global->files.function.init_global(context, inner);
  return global;
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitLocal(
    duckdb::ExecutionContext& context, duckdb::TableFunctionInitInput& input,
    duckdb::GlobalTableFunctionState* state) {
  auto& global = state->Cast<LakeScanGlobal>();
  auto local = duckdb::make_uniq<LakeScanLocal>();
  auto inner = FilesInput(global, input);
  local->state = global.files.function.init_local(context, inner, global.state.get());
  if (global.derived) {
    local->derived = duckdb::make_uniq<DerivedRows>(context.client, *global.derived);
  }
  return local;
}

/// Rows with derived columns.
void ScanDerived(ClientContext& context, LakeScanGlobal& global, LakeScanLocal& local,
                 duckdb::DataChunk& output) {
  DerivedRows& rows = *local.derived;
  while (!rows.Next(output)) {
    duckdb::TableFunctionInput inner(global.files.bind_data.get(), local.state.get(),
                                     global.state.get());
    rows.base().Reset();
    global.files.function.function(context, inner, rows.base());
    if (rows.base().size() == 0) return;
    rows.Take();
  }
}

void Scan(ClientContext& context, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  auto& global = input.global_state->Cast<LakeScanGlobal>();
  auto& local = input.local_state->Cast<LakeScanLocal>();
  if (local.derived) return ScanDerived(context, global, local, output);
  duckdb::TableFunctionInput inner(global.files.bind_data.get(), local.state.get(),
                                   global.state.get());
  inner.async_result = std::move(input.async_result);
  inner.results_execution_mode = input.results_execution_mode;
  global.files.function.function(context, inner, output);
  input.async_result = std::move(inner.async_result);
}

duckdb::unique_ptr<duckdb::NodeStatistics> Cardinality(ClientContext&,
                                                       const duckdb::FunctionData* bind_data) {
  // Only the order of magnitude matters, to join order: no footer is read for it.
  constexpr int64_t kBytesPerRow = 32;
  const auto& data = bind_data->Cast<LakeScanData>();
  const int64_t bytes = query::SizeOf(data.table->snapshot(), data.selection);
  return duckdb::make_uniq<duckdb::NodeStatistics>(static_cast<idx_t>(1 + bytes / kBytesPerRow));
}

double Progress(ClientContext& context, const duckdb::FunctionData*,
                const duckdb::GlobalTableFunctionState* state) {
  const auto& global = state->Cast<LakeScanGlobal>();
  return global.files.function.table_scan_progress(context, global.files.bind_data.get(),
                                                   global.state.get());
}

duckdb::OperatorPartitionData PartitionData(ClientContext& context,
                                            duckdb::TableFunctionGetPartitionInput& input) {
  auto& global = input.global_state->Cast<LakeScanGlobal>();
  auto& local = input.local_state->Cast<LakeScanLocal>();
  duckdb::TableFunctionGetPartitionInput inner(global.files.bind_data.get(), local.state.get(),
                                               global.state.get(), input.partition_info);
  return global.files.function.get_partition_data(context, inner);
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

duckdb::InsertionOrderPreservingMap<std::string> ToText(duckdb::TableFunctionToStringInput& input) {
  const auto& data = input.bind_data->Cast<LakeScanData>();
  const ScanReport report = PlanReport(data);
  duckdb::InsertionOrderPreservingMap<std::string> result;
  result["Table"] = report.table;
  result["Files"] = Ratio(report.files, report.total_files);
  const auto words = Words(report);
  if (!words.empty()) result["Pruning"] = Joined(words);
  return result;
}

duckdb::InsertionOrderPreservingMap<std::string> ToTextAfterwards(
    duckdb::TableFunctionDynamicToStringInput& input) {
  const auto& global = input.global_state->Cast<LakeScanGlobal>();
  const scan::RegisteredSet& read = *global.set;
  duckdb::InsertionOrderPreservingMap<std::string> result;
  result["Files"] = Ratio(global.report.files, global.report.total_files);
  for (auto& [title, text] : read.RowGroupsInWords()) result[title] = std::move(text);
  const auto words = Words(global.report);
  if (!words.empty()) result["Pruning"] = Joined(words);
  return result;
}

duckdb::BindInfo BindInfoOf(duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  auto& data = bind_data->Cast<LakeScanData>();
  return duckdb::BindInfo(*data.entry);
}

// A plan that is copied is written and read again, within one transaction: the table is looked up
// once more. What its conditions left is asked again when the scan starts.
void WriteScan(duckdb::Serializer& serializer, duckdb::optional_ptr<duckdb::FunctionData> bind_data,
               const duckdb::TableFunction&) {
  const auto& data = bind_data->Cast<LakeScanData>();
  serializer.WriteProperty(100, "catalog", data.entry->ParentCatalog().GetName());
  serializer.WriteProperty(101, "schema", data.entry->ParentSchema().name);
  serializer.WriteProperty(102, "table", data.entry->name);
  duckdb::vector<uint64_t> exploded(data.exploded.begin(), data.exploded.end());
  serializer.WriteProperty(103, "exploded", exploded);
}

duckdb::unique_ptr<duckdb::FunctionData> ReadScan(duckdb::Deserializer& deserializer,
                                                  duckdb::TableFunction& function) {
  auto& context = deserializer.Get<ClientContext&>();
  const auto catalog = deserializer.ReadProperty<std::string>(100, "catalog");
  const auto schema = deserializer.ReadProperty<std::string>(101, "schema");
  const auto table = deserializer.ReadProperty<std::string>(102, "table");
  const auto exploded = deserializer.ReadProperty<duckdb::vector<uint64_t>>(103, "exploded");
  auto& entry =
      duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(context, catalog, schema, table);
  duckdb::unique_ptr<duckdb::FunctionData> bind_data;
  function = entry.GetScanFunction(context, bind_data);
  bind_data->Cast<LakeScanData>().exploded.insert(exploded.begin(), exploded.end());
  return bind_data;
}

duckdb::unique_ptr<duckdb::FunctionData> RefuseCall(duckdb::ClientContext&,
                                                    duckdb::TableFunctionBindInput&,
                                                    duckdb::vector<duckdb::LogicalType>&,
                                                    duckdb::vector<std::string>&) {
  throw duckdb::BinderException("%s is no function to call: name a table of an attached lake",
                                kLakeScan);
}

duckdb::virtual_column_map_t VirtualColumnsOf(
    ClientContext&, duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  return bind_data->Cast<LakeScanData>().table->VirtualColumns();
}

duckdb::TableFunction ScanFunction() {
  duckdb::TableFunction function(kLakeScan, {}, Scan, RefuseCall, InitGlobal, InitLocal);
  function.serialize = WriteScan;
  function.deserialize = ReadScan;
  function.get_bind_info = BindInfoOf;
  function.get_virtual_columns = VirtualColumnsOf;
  return function;
}

}  // namespace

duckdb::TableFunction LakeScanFunction(const LakeTable& table) {
  const bool text = text::IsTextFormat(table.index().format());
  auto function = ScanFunction();
  function.projection_pushdown = true;
  function.filter_pushdown = true;
  function.filter_prune = true;
  function.pushdown_complex_filter = PushdownConditions;
  function.cardinality = Cardinality;
  if (!text) {
    function.table_scan_progress = Progress;
    function.get_partition_data = PartitionData;
  }
  function.to_string = ToText;
  function.dynamic_to_string = ToTextAfterwards;
  return function;
}

void RegisterLakeScan(duckdb::DatabaseInstance& database) {
  duckdb::ExtensionLoader loader(database, "ariadne");
  loader.RegisterFunction(ScanFunction());
}

duckdb::unique_ptr<duckdb::FunctionData> BindLakeScan(duckdb::TableCatalogEntry& entry,
                                                      std::shared_ptr<const LakeTable> table,
                                                      std::shared_ptr<PruningLog> log,
                                                      std::shared_ptr<scan::FileSets> sets) {
  auto data = duckdb::make_uniq<LakeScanData>();
  data->selection = query::SelectAll(table->snapshot());
  data->table = std::move(table);
  data->plan = log->NextPlan();
  data->log = std::move(log);
  data->sets = std::move(sets);
  data->entry = &entry;
  return data;
}

void NoteNamedColumns(duckdb::LogicalGet& get) {
  if (get.function.name != kLakeScan) return;
  auto& data = get.bind_data->Cast<LakeScanData>();
  for (const auto& column : get.GetColumnIds()) {
    const auto derived = data.table->DerivedAt(column.GetPrimaryIndex());
    if (derived && data.table->derived()[*derived].index->kind == IndexedColumn::Kind::kExploded) {
      data.exploded.insert(*derived);
    }
  }
}

void LogExplained(const duckdb::LogicalGet& get, bool planned) {
  if (get.function.name != kLakeScan) return;
  const auto& data = get.bind_data->Cast<LakeScanData>();
  const ScanReport report = PlanReport(data);
  data.log->Add(planned ? report : LeftOut(report));
}

}  // namespace ariadne::sql
