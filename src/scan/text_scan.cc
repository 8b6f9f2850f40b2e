#include "scan/text_scan.h"

#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "ariadne/errors.h"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/function/table/arrow.hpp"
#include "duckdb/function/table_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/planner/table_filter.hpp"
#include "duckdb/planner/table_filter_state.hpp"
#include "duckdb/storage/table/column_segment.hpp"
#include "scan/bound_scan.h"
#include "scan/column_types.h"
#include "scan/gone_file.h"
#include "scan/row_places.h"
#include "storage/arrow_io.h"
#include "text/text_reader.h"

namespace ariadne::scan {

namespace {

using duckdb::ClientContext;
using duckdb::idx_t;
using duckdb::MultiFileReader;

struct TextScanInfo : duckdb::TableFunctionInfo {
  TextScanInfo(std::shared_ptr<const FileSets> given_sets,
               std::shared_ptr<const storage::Stores> given_stores)
      : sets(std::move(given_sets)), stores(std::move(given_stores)) {}
  std::shared_ptr<const FileSets> sets;
  std::shared_ptr<const storage::Stores> stores;
};

struct TextBindData : duckdb::TableFunctionData {
  std::shared_ptr<RegisteredSet> set;
  std::shared_ptr<const storage::Stores> stores;
  text::TextOptions options;
};

/// Where the values of a column of the result come from.
enum class Origin { kFile, kFileName, kFileIndex, kRowNumber, kNone };

struct TextGlobalState : duckdb::GlobalTableFunctionState {
  idx_t MaxThreads() const override { return std::max<idx_t>(files, 1); }

  idx_t files = 0;
  std::atomic<idx_t> next_file{0};
  std::vector<std::string> columns;  // To read, by name.
  std::vector<Origin> origins;       // Of each column that is read or made.
  // Those of the reader of Parquet files, which this one stands for: applied to every row.
  duckdb::optional_ptr<duckdb::TableFilterSet> filters;
  duckdb::vector<duckdb::LogicalType> types;  // Of each column that is read or made.
  duckdb::vector<idx_t> projection;           // Of those, what is given on; empty: all.

  [[nodiscard]] bool GivesAll() const { return !filters && projection.empty(); }
};

/// A filter on a column that is read.
struct RowFilter {
  idx_t column = 0;
  const duckdb::TableFilter* filter = nullptr;
  duckdb::unique_ptr<duckdb::TableFilterState> state;
};

struct TextLocalState : duckdb::LocalTableFunctionState {
  std::unique_ptr<text::TextReader> reader;
  idx_t file = 0;        // Its place in the set.
  int64_t next_row = 0;  // Of the file.
  duckdb::unique_ptr<duckdb::ArrowScanLocalState> arrow;
  duckdb::ArrowTableSchema types;
  bool typed = false;
  std::vector<RowFilter> filters;
};

// The engine ends a statement by its own exceptions only; their text reaches the user.
template <typename Work>
auto InEngine(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const Error& error) {
    throw duckdb::InvalidInputException(std::string(error.what()));
  }
}

duckdb::unique_ptr<TextBindData> BindSet(std::shared_ptr<RegisteredSet> set,
                                         std::shared_ptr<const storage::Stores> stores) {
  auto bind = duckdb::make_uniq<TextBindData>();
  const FileSet& files = *set->files;
  bind->options = text::ReadTextOptions({files.format, files.read_options});
  bind->set = std::move(set);
  bind->stores = std::move(stores);
  return bind;
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(ClientContext&, duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<duckdb::LogicalType>& return_types,
                                              duckdb::vector<std::string>& names) {
  const auto& info = input.info->Cast<TextScanInfo>();
  const std::string name = input.inputs[0].ToString();
  auto set = info.sets->Find(name);
  if (!set) throw duckdb::BinderException("No file set named \"%s\" was registered", name);
  return InEngine([&] {
    for (const auto& field : set->files->schema->fields()) {
      return_types.push_back(ToEngineType(*field));
      names.push_back(field->name());
    }
    return BindSet(std::move(set), info.stores);
  });
}

duckdb::LogicalType TypeOf(Origin origin) {
  switch (origin) {
    case Origin::kFileName:
      return duckdb::LogicalType::VARCHAR;
    case Origin::kFileIndex:
      return duckdb::LogicalType::UBIGINT;
    case Origin::kRowNumber:
      return duckdb::LogicalType::BIGINT;
    case Origin::kNone:
    case Origin::kFile:
      break;
  }
  return duckdb::LogicalType::BOOLEAN;
}

Origin OriginOf(duckdb::column_t column, const arrow::Schema& schema) {
  if (column < static_cast<idx_t>(schema.num_fields())) return Origin::kFile;
  if (column == MultiFileReader::COLUMN_IDENTIFIER_FILENAME) return Origin::kFileName;
  if (column == MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX) return Origin::kFileIndex;
  if (column == MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER) return Origin::kRowNumber;
  return Origin::kNone;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitGlobal(
    ClientContext&, duckdb::TableFunctionInitInput& input) {
  const auto& bind = input.bind_data->Cast<TextBindData>();
  auto state = duckdb::make_uniq<TextGlobalState>();
  state->files = bind.set->files->files.size();
  for (const auto column : input.column_ids) {
    state->origins.push_back(OriginOf(column, *bind.set->files->schema));
    state->types.push_back(TypeOf(state->origins.back()));
    if (state->origins.back() == Origin::kFile) {
      const auto& field = bind.set->files->schema->field(static_cast<int>(column));
      state->columns.push_back(field->name());
      state->types.back() = ToEngineType(*field);
    }
  }
  state->filters = input.filters;
  state->projection = input.projection_ids;
  return state;
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitLocal(duckdb::ExecutionContext& context,
                                                              duckdb::TableFunctionInitInput& input,
                                                              duckdb::GlobalTableFunctionState*) {
  auto state = duckdb::make_uniq<TextLocalState>();
  if (!input.filters) return state;
  for (const auto& [column, filter] : input.filters->filters) {
    state->filters.push_back(
        {column, filter.get(), duckdb::TableFilterState::Initialize(context.client, *filter)});
  }
  return state;
}

std::unique_ptr<text::TextReader> Open(const TextBindData& bind, const TextGlobalState& global,
                                       idx_t file) {
  const ScanFile& scanned = bind.set->files->files[file];
  const auto size = scanned.size < 0 ? std::nullopt : std::optional<int64_t>(scanned.size);
  std::shared_ptr<arrow::io::RandomAccessFile> input;
  try {
    input = storage::OpenInput(bind.stores->Resolve(scanned.url), size);
  } catch (const ObjectNotFound&) {
    ThrowGone(scanned.url);
  }
  ++bind.set->files_opened;
  return std::make_unique<text::TextReader>(input, text::TextName{scanned.uri, scanned.url},
                                            bind.set->files->schema, bind.options, global.columns,
                                            STANDARD_VECTOR_SIZE);
}

// Gives the rows of a batch to the engine, which keeps the batch's memory where it refers to it.
void Give(ClientContext& context, const arrow::RecordBatch& batch, TextLocalState& local,
          duckdb::DataChunk& chunk) {
  if (!local.typed) {
    duckdb::ArrowSchemaWrapper schema;
    if (!arrow::ExportSchema(*batch.schema(), &schema.arrow_schema).ok()) throw std::bad_alloc();
    duckdb::ArrowTableFunction::PopulateArrowTableSchema(context, local.types, schema.arrow_schema);
    local.typed = true;
  }
  auto exported = duckdb::make_uniq<duckdb::ArrowArrayWrapper>();
  if (!arrow::ExportRecordBatch(batch, &exported->arrow_array).ok()) throw std::bad_alloc();
  local.arrow = duckdb::make_uniq<duckdb::ArrowScanLocalState>(std::move(exported), context);
  duckdb::ArrowTableFunction::ArrowToDuckDB(*local.arrow, local.types.GetColumns(), chunk);
}

void GiveVirtual(Origin origin, const FileSet& files, const TextLocalState& local, idx_t rows,
                 duckdb::Vector& column) {
  switch (origin) {
    case Origin::kFileName:
      column.Reference(duckdb::Value(files.files[local.file].url));
      return;
    case Origin::kFileIndex:
      column.Reference(duckdb::Value::UBIGINT(local.file));
      return;
    case Origin::kRowNumber:
      column.Sequence(local.next_row, 1, rows);
      return;
    case Origin::kNone:
    case Origin::kFile:
      column.Reference(duckdb::Value(column.GetType()));
  }
}

// The next rows of all columns; none: the end.
void ReadRows(ClientContext& context, const TextBindData& bind, TextGlobalState& global,
              TextLocalState& local, duckdb::DataChunk& output) {
  const auto batch = InEngine([&]() -> std::shared_ptr<arrow::RecordBatch> {
    while (true) {
      if (!local.reader) {
        local.file = global.next_file++;
        local.next_row = 0;
        if (local.file >= global.files) return nullptr;
        local.reader = Open(bind, global, local.file);
      }
      if (auto rows = local.reader->Next()) return rows;
      local.reader.reset();
    }
  });
  if (!batch) return;
  bind.set->rows_read += batch->num_rows();
  const auto rows = static_cast<idx_t>(batch->num_rows());
  output.SetCardinality(rows);
  if (global.columns.size() == global.origins.size()) {
    Give(context, *batch, local, output);
    return;
  }
  duckdb::DataChunk columns;
  if (!global.columns.empty()) {
    duckdb::vector<duckdb::LogicalType> types;
    for (idx_t i = 0; i < output.ColumnCount(); ++i) {
      if (global.origins[i] == Origin::kFile) types.push_back(output.data[i].GetType());
    }
    columns.Initialize(context, types);
    columns.SetCardinality(rows);
    Give(context, *batch, local, columns);
  }
  idx_t next = 0;
  for (idx_t i = 0; i < output.ColumnCount(); ++i) {
    if (global.origins[i] == Origin::kFile) {
      output.data[i].Reference(columns.data[next++]);
    } else {
      GiveVirtual(global.origins[i], *bind.set->files, local, rows, output.data[i]);
    }
  }
  local.next_row += batch->num_rows();
}

// Gives on what is wanted of the rows that pass the filters; false: none does.
bool GiveFiltered(const TextGlobalState& global, TextLocalState& local, duckdb::DataChunk& rows,
                  duckdb::DataChunk& output) {
  duckdb::SelectionVector passing;
  idx_t left = rows.size();
  for (auto& [column, filter, state] : local.filters) {
    duckdb::Vector& values = rows.data[column];
    duckdb::UnifiedVectorFormat format;
    values.ToUnifiedFormat(rows.size(), format);
    duckdb::ColumnSegment::FilterSelection(passing, values, format, *filter, *state, rows.size(),
                                           left);
    if (left == 0) return false;
  }
  for (idx_t i = 0; i < output.ColumnCount(); ++i) {
    auto& values = rows.data[global.projection.empty() ? i : global.projection[i]];
    if (left == rows.size()) {
      output.data[i].Reference(values);
      continue;
    }
    if (values.GetVectorType() == duckdb::VectorType::SEQUENCE_VECTOR) values.Flatten(rows.size());
    output.data[i].Slice(values, passing, left);
  }
  output.SetCardinality(left);
  return true;
}

void Scan(ClientContext& context, duckdb::TableFunctionInput& input, duckdb::DataChunk& output) {
  const auto& bind = input.bind_data->Cast<TextBindData>();
  auto& global = input.global_state->Cast<TextGlobalState>();
  auto& local = input.local_state->Cast<TextLocalState>();
  if (global.GivesAll()) return ReadRows(context, bind, global, local, output);
  for (;;) {
    duckdb::DataChunk rows;
    rows.Initialize(context, global.types);
    ReadRows(context, bind, global, local, rows);
    if (rows.size() == 0 || GiveFiltered(global, local, rows, output)) return;
  }
}

duckdb::unique_ptr<duckdb::NodeStatistics> Cardinality(ClientContext&,
                                                       const duckdb::FunctionData* data) {
  // Only the order of magnitude matters, to join order.
  constexpr int64_t kBytesPerRow = 64;
  constexpr int64_t kBytesPerUnknownFile = 16 << 20;
  int64_t rows = 1;
  for (const auto& file : data->Cast<TextBindData>().set->files->files) {
    rows += (file.size < 0 ? kBytesPerUnknownFile : file.size) / kBytesPerRow;
  }
  return duckdb::make_uniq<duckdb::NodeStatistics>(static_cast<idx_t>(rows));
}

duckdb::virtual_column_map_t VirtualColumns(ClientContext&,
                                            duckdb::optional_ptr<duckdb::FunctionData> data) {
  const RowPlaces places(*data->Cast<TextBindData>().set->files->schema);
  duckdb::virtual_column_map_t columns;
  // What count(*) asks for.
  columns.insert(
      {duckdb::COLUMN_IDENTIFIER_EMPTY, duckdb::TableColumn("", duckdb::LogicalType::BOOLEAN)});
  // As the scan of Parquet files has them.
  columns.insert({MultiFileReader::COLUMN_IDENTIFIER_FILENAME,
                  duckdb::TableColumn("filename", duckdb::LogicalType::VARCHAR)});
  columns.insert({MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX,
                  duckdb::TableColumn(places.file, duckdb::LogicalType::UBIGINT)});
  columns.insert({MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER,
                  duckdb::TableColumn(places.row, duckdb::LogicalType::BIGINT)});
  return columns;
}

duckdb::TableFunction MakeFunction() {
  duckdb::TableFunction function(kTextScanFunction, {duckdb::LogicalType::VARCHAR}, Scan, Bind,
                                 InitGlobal, InitLocal);
  function.projection_pushdown = true;
  function.cardinality = Cardinality;
  function.get_virtual_columns = VirtualColumns;
  return function;
}

}  // namespace

void RegisterTextScanFunction(duckdb::DatabaseInstance& database,
                              std::shared_ptr<const FileSets> sets,
                              std::shared_ptr<const storage::Stores> stores) {
  duckdb::TableFunction function = MakeFunction();
  function.function_info =
      duckdb::make_shared_ptr<TextScanInfo>(std::move(sets), std::move(stores));
  duckdb::ExtensionLoader loader(database, "ariadne");
  loader.RegisterFunction(std::move(function));
}

BoundScan BindTextScanOf(std::shared_ptr<RegisteredSet> set,
                         std::shared_ptr<const storage::Stores> stores) {
  BoundScan scan;
  scan.function = MakeFunction();
  scan.bind_data = BindSet(std::move(set), std::move(stores));
  return scan;
}

}  // namespace ariadne::scan
