#include "sql/pruning_log_function.h"

#include <utility>

#include "duckdb/function/table_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "sql/pruning_log.h"

namespace ariadne::sql {

namespace {

using duckdb::LogicalType;
using duckdb::Value;

struct LogFunctionInfo : duckdb::TableFunctionInfo {
  explicit LogFunctionInfo(std::shared_ptr<PruningLog> given) : log(std::move(given)) {}
  std::shared_ptr<PruningLog> log;
};

struct LogData : duckdb::TableFunctionData {
  std::shared_ptr<PruningLog> log;
};

struct LogState : duckdb::GlobalTableFunctionState {
  std::vector<ScanReport> reports;
  size_t next = 0;
};

LogicalType StepType() {
  return LogicalType::STRUCT({{"phase", LogicalType::VARCHAR},
                              {"condition", LogicalType::VARCHAR},
                              {"index", LogicalType::VARCHAR},
                              {"files_before", LogicalType::BIGINT},
                              {"files_after", LogicalType::BIGINT},
                              {"reason", LogicalType::VARCHAR}});
}

Value StepValue(const ScanReport::Step& step) {
  const auto text = [](const std::string& given) {
    return given.empty() ? Value(LogicalType::VARCHAR) : Value(given);
  };
  return Value::STRUCT({{"phase", Value(step.phase)},
                        {"condition", Value(step.condition)},
                        {"index", text(step.index)},
                        {"files_before", Value::BIGINT(step.files_before)},
                        {"files_after", Value::BIGINT(step.files_after)},
                        {"reason", text(step.reason)}});
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(duckdb::ClientContext&,
                                              duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<LogicalType>& types,
                                              duckdb::vector<std::string>& names) {
  for (const auto& [name, type] : std::initializer_list<std::pair<const char*, LogicalType>>{
           {"scan", LogicalType::BIGINT},
           {"table_name", LogicalType::VARCHAR},
           {"executed", LogicalType::BOOLEAN},
           {"total_files", LogicalType::BIGINT},
           {"planned_files", LogicalType::BIGINT},
           {"files", LogicalType::BIGINT},
           {"unindexed_files", LogicalType::BIGINT},
           {"files_opened", LogicalType::BIGINT},
           {"row_groups", LogicalType::BIGINT},
           {"row_groups_read", LogicalType::BIGINT},
           {"row_groups_ruled_out_by_statistics", LogicalType::BIGINT},
           {"row_groups_ruled_out_by_bloom_filters", LogicalType::BIGINT},
           {"row_groups_ruled_out_by_indexes", LogicalType::BIGINT},
           {"rows_read", LogicalType::BIGINT},
           {"steps", LogicalType::LIST(StepType())}}) {
    names.emplace_back(name);
    types.push_back(type);
  }
  auto data = duckdb::make_uniq<LogData>();
  data->log = input.info->Cast<LogFunctionInfo>().log;
  return data;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> Init(duckdb::ClientContext&,
                                                          duckdb::TableFunctionInitInput& input) {
  auto state = duckdb::make_uniq<LogState>();
  state->reports = input.bind_data->Cast<LogData>().log->Reports();
  return state;
}

void Fill(const ScanReport& report, duckdb::idx_t row, int64_t number, duckdb::DataChunk& output) {
  duckdb::idx_t column = 0;
  const auto put = [&](const Value& value) { output.SetValue(column++, row, value); };
  const auto counted = [&](const std::atomic<int64_t> scan::RegisteredSet::*counter) {
    put(report.read ? Value::BIGINT(((*report.read).*counter).load()) : Value(LogicalType::BIGINT));
  };
  put(Value::BIGINT(number));
  put(Value(report.table));
  put(Value::BOOLEAN(report.read != nullptr));
  put(Value::BIGINT(report.total_files));
  put(Value::BIGINT(report.planned_files));
  put(Value::BIGINT(report.files));
  put(Value::BIGINT(report.unindexed_files));
  using Set = scan::RegisteredSet;
  for (const auto counter :
       {&Set::files_opened, &Set::row_groups_found, &Set::row_groups_read,
        &Set::row_groups_skipped_by_statistics, &Set::row_groups_skipped_by_bloom_filter,
        &Set::row_groups_skipped_by_index, &Set::rows_read}) {
    counted(counter);
  }
  duckdb::vector<Value> steps;
  for (const ScanReport::Step& step : report.steps) steps.push_back(StepValue(step));
  put(Value::LIST(StepType(), std::move(steps)));
}

void Scan(duckdb::ClientContext&, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  auto& state = input.global_state->Cast<LogState>();
  duckdb::idx_t row = 0;
  while (state.next < state.reports.size() && row < STANDARD_VECTOR_SIZE) {
    const size_t number = state.next++;
    Fill(state.reports[number], row++, static_cast<int64_t>(number), output);
  }
  output.SetCardinality(row);
}

}  // namespace

void RegisterPruningLogFunction(duckdb::DatabaseInstance& database,
                                std::shared_ptr<PruningLog> log) {
  duckdb::TableFunction function("ariadne_pruning_log", {}, Scan, Bind, Init);
  function.function_info = duckdb::make_shared_ptr<LogFunctionInfo>(std::move(log));
  duckdb::ExtensionLoader loader(database, "ariadne");
  loader.RegisterFunction(std::move(function));
}

}  // namespace ariadne::sql
