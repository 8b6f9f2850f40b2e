#include "sql/lake_scan.h"

#include <set>
#include <utility>

#include "ariadne/errors.h"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/storage/statistics/node_statistics.hpp"
#include "query/row_condition.h"
#include "scan/bound_scan.h"
#include "sql/row_conditions.h"
#include "text/text_format.h"

namespace ariadne::sql {

namespace {

using duckdb::ClientContext;
using duckdb::idx_t;
using duckdb::LogicalType;

struct LakeScanData : duckdb::TableFunctionData {
  std::shared_ptr<const LakeTable> table;
  std::shared_ptr<PruningLog> log;
  duckdb::optional_ptr<duckdb::TableCatalogEntry> entry;
  int64_t plan = 0;
  query::FileSelection selection;
  std::vector<NotPruned> not_pruned;
  /// Conditions that were asked: the optimizer offers some twice.
  std::set<std::string> seen;

  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<LakeScanData>(*this);
  }
  bool SupportStatementCache() const override { return false; }
};

struct LakeScanGlobal : duckdb::GlobalTableFunctionState {
  scan::BoundScan files;
  std::shared_ptr<scan::RegisteredSet> set;
  duckdb::unique_ptr<duckdb::GlobalTableFunctionState> state;
  ScanReport report;

  idx_t MaxThreads() const override { return state->MaxThreads(); }
};

struct LakeScanLocal : duckdb::LocalTableFunctionState {
  duckdb::unique_ptr<duckdb::LocalTableFunctionState> state;
};

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

void PushdownConditions(ClientContext& context, duckdb::LogicalGet& get,
                        duckdb::FunctionData* bind_data,
                        duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) {
  auto& data = bind_data->Cast<LakeScanData>();
  ConditionReader reader(context, *data.table, get.GetColumnIds());
  query::RowCondition all;
  for (const auto& filter : filters) {
    if (!data.seen.insert(filter->ToString()).second) continue;
    all = query::And(std::move(all), reader.Read(*filter, get.table_index));
  }
  query::Narrow(data.table->snapshot(), all, data.selection);
  data.not_pruned.insert(data.not_pruned.end(), reader.not_pruned().begin(),
                         reader.not_pruned().end());
}

/// Narrows by what is known of the filters when the scan starts; those of the plan are known
/// already.
void NarrowByFilters(ClientContext& context, const LakeScanData& data,
                     const duckdb::TableFunctionInitInput& input, query::FileSelection& selection,
                     ScanReport& report) {
  if (!input.filters) return;
  ConditionReader reader(context, *data.table, input.column_indexes);
  query::RowCondition all;
  for (const auto& [place, filter] : input.filters->filters) {
    all = query::And(std::move(all), reader.Read(*filter, place));
  }
  const size_t known = selection.steps.size();
  query::Narrow(data.table->snapshot(), all, selection);
  AddSteps(selection, known, "start", report);
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitGlobal(
    ClientContext& context, duckdb::TableFunctionInitInput& input) {
  const auto& data = input.bind_data->Cast<LakeScanData>();
  const LakeTable& table = *data.table;
  auto global = duckdb::make_uniq<LakeScanGlobal>();
  global->report = PlanReport(data);
  query::FileSelection selection = data.selection;
  NarrowByFilters(context, data, input, selection, global->report);

  auto files = std::make_shared<scan::FileSet>();
  files->schema = table.index().schema();
  files->format = table.index().format();
  files->read_options = table.index().read_options();
  files->files = query::ScanFilesOf(table.snapshot(), selection);
  global->report.files = static_cast<int64_t>(files->files.size());
  global->set = std::make_shared<scan::RegisteredSet>();
  global->set->files = std::move(files);
  global->report.read = global->set;
  data.log->Add(global->report);

  try {
    global->files = scan::BindScanOf(context, global->set, table.index().lake().stores);
  } catch (const Error& error) {
    throw duckdb::InvalidInputException(std::string(error.what()));
  }
  duckdb::TableFunctionInitInput inner(global->files.bind_data.get(), input.column_indexes,
                                       input.projection_ids, input.filters, input.sample_options,
                                       input.op);
  global->state = global->files.function.init_global(context, inner);
  return global;
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitLocal(
    duckdb::ExecutionContext& context, duckdb::TableFunctionInitInput& input,
    duckdb::GlobalTableFunctionState* state) {
  auto& global = state->Cast<LakeScanGlobal>();
  auto local = duckdb::make_uniq<LakeScanLocal>();
  duckdb::TableFunctionInitInput inner(global.files.bind_data.get(), input.column_indexes,
                                       input.projection_ids, input.filters, input.sample_options,
                                       input.op);
  local->state = global.files.function.init_local(context, inner, global.state.get());
  return local;
}

void Scan(ClientContext& context, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  auto& global = input.global_state->Cast<LakeScanGlobal>();
  auto& local = input.local_state->Cast<LakeScanLocal>();
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
  data.log->Add(report);
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
  result["Row groups"] = Ratio(read.row_groups_read, read.row_groups_found);
  const auto words = Words(global.report);
  if (!words.empty()) result["Pruning"] = Joined(words);
  return result;
}

duckdb::BindInfo BindInfoOf(duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  auto& data = bind_data->Cast<LakeScanData>();
  return duckdb::BindInfo(*data.entry);
}

duckdb::virtual_column_map_t VirtualColumnsOf(
    ClientContext&, duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  return VirtualColumns(*bind_data->Cast<LakeScanData>().table);
}

}  // namespace

duckdb::TableFunction LakeScanFunction(const LakeTable& table) {
  const bool text = text::IsTextFormat(table.index().format());
  duckdb::TableFunction function("ariadne_table", {}, Scan, nullptr, InitGlobal, InitLocal);
  function.projection_pushdown = true;
  function.filter_pushdown = !text;
  function.filter_prune = !text;
  function.pushdown_complex_filter = PushdownConditions;
  function.cardinality = Cardinality;
  if (!text) {
    function.table_scan_progress = Progress;
    function.get_partition_data = PartitionData;
  }
  function.to_string = ToText;
  function.dynamic_to_string = ToTextAfterwards;
  function.get_bind_info = BindInfoOf;
  function.get_virtual_columns = VirtualColumnsOf;
  return function;
}

duckdb::unique_ptr<duckdb::FunctionData> BindLakeScan(duckdb::TableCatalogEntry& entry,
                                                      std::shared_ptr<const LakeTable> table,
                                                      std::shared_ptr<PruningLog> log) {
  auto data = duckdb::make_uniq<LakeScanData>();
  data->selection = query::SelectAll(table->snapshot());
  data->table = std::move(table);
  data->plan = log->NextPlan();
  data->log = std::move(log);
  data->entry = &entry;
  return data;
}

duckdb::virtual_column_map_t VirtualColumns(const LakeTable& table) {
  duckdb::virtual_column_map_t columns;
  const auto add = [&](duckdb::column_t id, const char* name, const LogicalType& type) {
    for (const auto& column : table.columns()) {
      if (duckdb::StringUtil::CIEquals(column.name, name)) return;
    }
    columns.insert({id, duckdb::TableColumn(name, type)});
  };
  add(duckdb::COLUMN_IDENTIFIER_EMPTY, "", LogicalType::BOOLEAN);
  add(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILENAME, "filename", LogicalType::VARCHAR);
  add(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER, "file_row_number",
      LogicalType::BIGINT);
  return columns;
}

}  // namespace ariadne::sql
