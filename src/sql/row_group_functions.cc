#include "sql/row_group_functions.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "duckdb/function/table_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "rowgroup/index_store.h"

namespace ariadne::sql {

namespace {

using duckdb::LogicalType;
using duckdb::Value;
using Row = std::vector<Value>;

struct Column {
  const char* name;
  LogicalType type;
};

struct StoreInfo : duckdb::TableFunctionInfo {
  std::shared_ptr<rowgroup::IndexStore> store;  ///< nullptr: no switch is on.
  std::vector<Column> columns;
  std::vector<Row> (*rows)(const rowgroup::IndexStore&) = nullptr;
};

struct StoreState : duckdb::GlobalTableFunctionState {
  std::vector<Row> rows;
  size_t next = 0;
};

struct StoreBindData : duckdb::TableFunctionData {
  std::shared_ptr<const StoreInfo> info;
};

std::vector<Row> IndexRows(const rowgroup::IndexStore& store) {
  std::vector<Row> rows;
  for (const auto& [key, index] : store.List()) {
    const auto* range = std::get_if<rowgroup::ValueRange>(&index->values);
    const auto fill = index->Fill();
    rows.push_back({Value(key.file.uri), Value::BIGINT(key.file.size), Value(key.file.etag),
                    Value::INTEGER(key.row_group), Value(key.target),
                    Value(rowgroup::ToString(key.kind)), Value::BIGINT(index->rows),
                    index->distinct ? Value::BIGINT(*index->distinct) : Value(LogicalType::BIGINT),
                    Value::BIGINT(static_cast<int64_t>(index->EncodeValues().size())),
                    fill ? Value::DOUBLE(*fill) : Value(LogicalType::DOUBLE),
                    range ? Value(range->ToText()) : Value(LogicalType::VARCHAR)});
  }
  return rows;
}

std::vector<Row> CounterRows(const rowgroup::IndexStore& store) {
  const auto counters = store.counters();
  std::vector<Row> rows = {{Value("built"), Value::BIGINT(counters.built)},
                           {Value("refused"), Value::BIGINT(counters.refused)},
                           {Value("hit"), Value::BIGINT(counters.hit)},
                           {Value("skipped"), Value::BIGINT(counters.skipped)},
                           {Value("loaded"), Value::BIGINT(counters.loaded)},
                           {Value("evicted"), Value::BIGINT(counters.evicted)}};
  for (size_t i = 0; i < counters.discarded.size(); ++i) {
    const auto reason = static_cast<rowgroup::DiscardReason>(i);
    rows.push_back({Value(std::string("discarded: ") + rowgroup::ToString(reason)),
                    Value::BIGINT(counters.discarded[i])});
  }
  const auto [indexes, bytes] = store.size();
  rows.push_back({Value("held"), Value::BIGINT(indexes)});
  rows.push_back({Value("held bytes"), Value::BIGINT(bytes)});
  return rows;
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(duckdb::ClientContext&,
                                              duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<LogicalType>& types,
                                              duckdb::vector<std::string>& names) {
  const auto& info = input.info->Cast<StoreInfo>();
  if (!info.store) {
    throw duckdb::BinderException(
        "%s() has nothing to show, since no switch of row-group indexes is on: turn on "
        "rowGroupBloom, rowGroupRange, rowGroupExpressions or rowGroupPersistence, such as by "
        "--row-group-bloom or ARIADNE_ROW_GROUP_BLOOM=true",
        input.table_function.name);
  }
  for (const Column& column : info.columns) {
    names.emplace_back(column.name);
    types.push_back(column.type);
  }
  auto data = duckdb::make_uniq<StoreBindData>();
  data->info = std::make_shared<StoreInfo>(info);
  return data;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> Init(duckdb::ClientContext&,
                                                          duckdb::TableFunctionInitInput& input) {
  const auto& info = *input.bind_data->Cast<StoreBindData>().info;
  auto state = duckdb::make_uniq<StoreState>();
  state->rows = info.rows(*info.store);
  return state;
}

void Scan(duckdb::ClientContext&, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  auto& state = input.global_state->Cast<StoreState>();
  const size_t count = std::min<size_t>(STANDARD_VECTOR_SIZE, state.rows.size() - state.next);
  for (size_t row = 0; row < count; ++row) {
    const Row& values = state.rows[state.next++];
    for (size_t column = 0; column < values.size(); ++column) {
      output.SetValue(column, row, values[column]);
    }
  }
  output.SetCardinality(count);
}

void Register(duckdb::DatabaseInstance& database, const char* name,
              std::shared_ptr<rowgroup::IndexStore> store, std::vector<Column> columns,
              std::vector<Row> (*rows)(const rowgroup::IndexStore&)) {
  duckdb::TableFunction function(name, {}, Scan, Bind, Init);
  auto info = duckdb::make_shared_ptr<StoreInfo>();
  info->store = std::move(store);
  info->columns = std::move(columns);
  info->rows = rows;
  function.function_info = std::move(info);
  duckdb::ExtensionLoader loader(database, "ariadne");
  loader.RegisterFunction(std::move(function));
}

}  // namespace

void RegisterRowGroupFunctions(duckdb::DatabaseInstance& database,
                               std::shared_ptr<rowgroup::IndexStore> store) {
  Register(database, "ariadne_row_groups", store,
           {{"file", LogicalType::VARCHAR},
            {"file_size", LogicalType::BIGINT},
            {"etag", LogicalType::VARCHAR},
            {"row_group", LogicalType::INTEGER},
            {"target", LogicalType::VARCHAR},
            {"kind", LogicalType::VARCHAR},
            {"row_count", LogicalType::BIGINT},
            {"distinct_count", LogicalType::BIGINT},
            {"bytes", LogicalType::BIGINT},
            {"fill", LogicalType::DOUBLE},
            {"range", LogicalType::VARCHAR}},
           IndexRows);
  Register(database, "ariadne_row_group_counters", std::move(store),
           {{"counter", LogicalType::VARCHAR}, {"value", LogicalType::BIGINT}}, CounterRows);
}

}  // namespace ariadne::sql
