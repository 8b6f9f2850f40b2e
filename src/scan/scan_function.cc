#include "scan/scan_function.h"

// GCC 12 takes a field of its cache's entries for uninitialized.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include "duckdb/storage/object_cache.hpp"
#pragma GCC diagnostic pop

#include <arrow/type.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "duckdb/common/multi_file/multi_file_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "scan/bound_scan.h"
#include "scan/column_matching.h"
#include "scan/deleted_rows.h"
#include "scan/filter_placement.h"
#include "scan/plain_copy_file.h"
#include "scan/row_group_reader.h"
#include "scan/row_places.h"
#include "scan/text_scan.h"
#include "source/file_uri.h"
#include "source/stored_name.h"
#include "text/text_format.h"

namespace ariadne::scan {

namespace {

using duckdb::BaseFileReader;
using duckdb::ClientContext;
using duckdb::ColumnIndex;
using duckdb::MultiFileBindData;
using duckdb::MultiFileColumnDefinition;
using duckdb::MultiFileReaderBindData;
using duckdb::MultiFileReaderData;
using duckdb::OpenFileInfo;
using duckdb::optional_ptr;
using duckdb::TableFilterSet;

struct ScanFunctionInfo : duckdb::TableFunctionInfo {
  explicit ScanFunctionInfo(std::shared_ptr<const FileSets> given) : sets(std::move(given)) {}
  std::shared_ptr<const FileSets> sets;
};

struct ScanOptions : duckdb::BaseFileReaderOptions {};

struct ScanBindData : duckdb::TableFunctionData {
  explicit ScanBindData(duckdb::ParquetOptions given) : options(std::move(given)) {}
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<ScanBindData>(options);
  }
  duckdb::ParquetOptions options;
};

/// Leaves the rows of a file of which `Gives` says so, by their places in it.
template <typename Gives>
class RowsFilter final : public duckdb::DeleteFilter {
 public:
  explicit RowsFilter(Gives gives) : gives_(std::move(gives)) {}

  duckdb::idx_t Filter(duckdb::row_t first, duckdb::idx_t count,
                       duckdb::SelectionVector& selected) override {
    if (!selected.data()) selected.Initialize(STANDARD_VECTOR_SIZE);
    duckdb::idx_t kept = 0;
    for (duckdb::idx_t i = 0; i < count; ++i) {
      if (gives_(first + static_cast<int64_t>(i))) selected.set_index(kept++, i);
    }
    return kept;
  }

 private:
  Gives gives_;
};

template <typename Gives>
duckdb::unique_ptr<duckdb::DeleteFilter> Leave(Gives gives) {
  return duckdb::make_uniq<RowsFilter<Gives>>(std::move(gives));
}

/// What the table's log, or without one the folders, give of a file's columns.
std::vector<source::PartitionValue> PartitionValuesOf(const ScanFile& file) {
  if (file.partition_values) return *file.partition_values;
  return file.uri.empty() ? std::vector<source::PartitionValue>()
                          : source::PartitionValues(file.uri);
}

/// Those of `columns` that are read from the file itself: what its folders or a log give it may
/// have too, of whatever type.
arrow::FieldVector ColumnsOf(const ScanFile& file, arrow::FieldVector columns) {
  for (const auto& value : PartitionValuesOf(file)) {
    std::erase_if(columns, [&](const auto& column) {
      return duckdb::StringUtil::CIEquals(value.column, column->name());
    });
  }
  return columns;
}

/// What the engine's multi-file scan asks about the format.
class ScanInterface : public duckdb::MultiFileReaderInterface {
 public:
  explicit ScanInterface(std::shared_ptr<RegisteredSet> set) : set_(std::move(set)) {}

  duckdb::unique_ptr<duckdb::BaseFileReaderOptions> InitializeOptions(
      ClientContext&, optional_ptr<duckdb::TableFunctionInfo>) override {
    return duckdb::make_uniq<ScanOptions>();
  }
  bool ParseCopyOption(ClientContext&, const std::string&, const duckdb::vector<duckdb::Value>&,
                       duckdb::BaseFileReaderOptions&, duckdb::vector<std::string>&,
                       duckdb::vector<duckdb::LogicalType>&) override {
    return false;
  }
  bool ParseOption(ClientContext&, const std::string&, const duckdb::Value&,
                   duckdb::MultiFileOptions&, duckdb::BaseFileReaderOptions&) override {
    return false;
  }
  duckdb::unique_ptr<duckdb::TableFunctionData> InitializeBindData(
      MultiFileBindData&, duckdb::unique_ptr<duckdb::BaseFileReaderOptions>) override {
    return nullptr;
  }
  void BindReader(ClientContext&, duckdb::vector<duckdb::LogicalType>&,
                  duckdb::vector<std::string>&, MultiFileBindData&) override {}

  duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitializeGlobalState(
      ClientContext&, MultiFileBindData&, duckdb::MultiFileGlobalState& scan) override {
    if (set_->on_scan) set_->on_scan(set_);
    auto state = duckdb::make_uniq<RowGroupGlobalState>(scan);
    for (const ColumnIndex& column : scan.column_indexes) {
      if (column.IsVirtualColumn()) continue;
      state->columns.push_back(
          set_->files->schema->field(static_cast<int>(column.GetPrimaryIndex())));
    }
    return state;
  }
  duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitializeLocalState(
      duckdb::ExecutionContext&, duckdb::GlobalTableFunctionState&) override {
    return duckdb::make_uniq<RowGroupLocalState>();
  }

  duckdb::shared_ptr<BaseFileReader> CreateReader(ClientContext& context,
                                                  duckdb::GlobalTableFunctionState& global,
                                                  const OpenFileInfo& file, duckdb::idx_t place,
                                                  const MultiFileBindData& bind) override {
    // The engine looks for that once it has opened a file, and may pass over many before.
    if (context.IsInterrupted()) throw duckdb::InterruptException();
    const ScanFile& scanned = set_->files->files[place];
    const arrow::FieldVector read =
        ColumnsOf(scanned, static_cast<RowGroupGlobalState&>(global).columns);
    try {
      const auto& options = bind.bind_data->Cast<ScanBindData>().options;
      auto ruled_out = RuledOut(context, static_cast<RowGroupGlobalState&>(global).scan, file,
                                place, bind, read);
      if (ruled_out) return ruled_out;
      auto reader = duckdb::make_shared_ptr<RowGroupReader>(context, file, options, set_);
      std::vector<std::string> columns;
      for (const auto& field : read) columns.push_back(source::StoredName(*field));
      if (PlainCopyFile::IsNeeded(*reader, columns)) {
        auto copy = std::make_unique<PlainCopyFile>(context, file, columns);
        const OpenFileInfo opened = copy->Open(file.path);
        reader = duckdb::make_shared_ptr<RowGroupReader>(context, opened, options, set_,
                                                         std::move(copy));
      }
      set_->row_groups_found += static_cast<int64_t>(reader->NumRowGroups());
      MatchColumns(*reader, read);
      if (!set_->kept_rows.empty()) {
        reader->deletion_filter = Leave(
            [kept = set_->kept_rows[place]](int64_t row) { return kept && kept->Holds(row); });
      } else if (scanned.deleted_rows) {
        reader->deletion_filter =
            Leave([deleted = scanned.deleted_rows](int64_t row) { return !deleted->Holds(row); });
      }
      return reader;
    } catch (...) {
      RethrowForFile(file.path);
    }
  }
  duckdb::shared_ptr<BaseFileReader> CreateReader(ClientContext&, duckdb::GlobalTableFunctionState&,
                                                  duckdb::BaseUnionData&,
                                                  const MultiFileBindData&) override {
    throw duckdb::NotImplementedException("A scan of a file set has a declared schema");
  }

  void FinishReading(ClientContext&, duckdb::GlobalTableFunctionState&,
                     duckdb::LocalTableFunctionState& local) override {
    if (set_->indexing) CommitIndexes(static_cast<RowGroupLocalState&>(local), *set_->indexing);
  }

  duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(const MultiFileBindData&,
                                                            duckdb::idx_t) override {
    // Only the order of magnitude matters, to join order: no footer is read for it.
    constexpr int64_t kBytesPerRow = 32;
    constexpr int64_t kBytesPerUnknownFile = 16 << 20;
    int64_t rows = 1;
    for (const auto& file : set_->files->files) {
      rows += (file.size < 0 ? kBytesPerUnknownFile : file.size) / kBytesPerRow;
    }
    return duckdb::make_uniq<duckdb::NodeStatistics>(static_cast<duckdb::idx_t>(rows));
  }
  void GetVirtualColumns(ClientContext&, MultiFileBindData&,
                         duckdb::virtual_column_map_t& result) override {
    const RowPlaces places(*set_->files->schema);
    const auto put = [&result](duckdb::column_t id, const std::string& name,
                               const duckdb::LogicalType& type) {
      result.erase(id);
      result.insert({id, duckdb::TableColumn(name, type)});
    };
    put(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX, places.file,
        duckdb::LogicalType::UBIGINT);
    put(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER, places.row,
        duckdb::LogicalType::BIGINT);
  }
  duckdb::unique_ptr<duckdb::MultiFileReaderInterface> Copy() override {
    return duckdb::make_uniq<ScanInterface>(set_);
  }

 private:
  /// A reader of the file where what is remembered of it, and of its row groups, says that no row
  /// is wanted: nothing is read. nullptr: it must be opened.
  duckdb::shared_ptr<RowGroupReader> RuledOut(ClientContext& context,
                                              duckdb::MultiFileGlobalState& scan,
                                              const OpenFileInfo& file, duckdb::idx_t place,
                                              const MultiFileBindData& bind,
                                              const arrow::FieldVector& read) const {
    if (!set_->indexing) return nullptr;
    auto outline = set_->indexing->outlines->Find(file.path);
    if (!outline) return nullptr;
    try {
      MultiFileReaderData data(file);
      auto reader = duckdb::make_shared_ptr<RowGroupReader>(
          context, file, bind.bind_data->Cast<ScanBindData>().options, set_, *std::move(outline));
      MatchColumns(*reader, read);
      reader->file_list_idx = place;
      data.reader = reader;
      bind.multi_file_reader->InitializeReader(data, bind, bind.reader_bind.schema,
                                               scan.column_indexes, scan.filters, context, scan);
      return reader->RuledOut() ? reader : nullptr;
    } catch (const std::exception&) {
      return nullptr;  // Opening the file will tell what is wrong.
    }
  }

  std::shared_ptr<RegisteredSet> set_;
};

/// Maps the declared columns to those of each file.
class ScanFileReader : public duckdb::MultiFileReader {
 public:
  explicit ScanFileReader(std::shared_ptr<RegisteredSet> set) : set_(std::move(set)) {
    function_name = kScanFunction;
  }

  duckdb::unique_ptr<MultiFileReader> Copy() const override {
    auto copy = duckdb::make_uniq<ScanFileReader>(set_);
    copy->conditions_ = conditions_;
    return copy;
  }

  [[nodiscard]] const RegisteredSet& set() const { return *set_; }
  /// What was learned of the query's conditions elsewhere.
  void Know(std::shared_ptr<const KnownConditions> conditions) {
    conditions_ = std::move(conditions);
  }

  duckdb::unique_ptr<duckdb::MultiFileList> ComplexFilterPushdown(
      ClientContext& context, duckdb::MultiFileList& files, const duckdb::MultiFileOptions& options,
      duckdb::MultiFilePushdownInfo& info,
      duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) override {
    // The optimizer may come by more than once; what it has shown once stays true.
    conditions_ = WithConditions(std::move(conditions_), info, filters);
    return MultiFileReader::ComplexFilterPushdown(context, files, options, info, filters);
  }

  void FinalizeBind(MultiFileReaderData& data, const duckdb::MultiFileOptions& options,
                    const MultiFileReaderBindData& bind,
                    const duckdb::vector<MultiFileColumnDefinition>& columns,
                    const duckdb::vector<ColumnIndex>& projection, ClientContext& context,
                    optional_ptr<duckdb::MultiFileReaderGlobalState> state) override {
    MultiFileReader::FinalizeBind(data, options, bind, columns, projection, context, state);
    AddPartitionConstants(data, columns, projection);
  }

  duckdb::ReaderInitializeType CreateMapping(
      ClientContext& context, MultiFileReaderData& data,
      const duckdb::vector<MultiFileColumnDefinition>& columns,
      const duckdb::vector<ColumnIndex>& projection, optional_ptr<TableFilterSet> filters,
      duckdb::MultiFileList& files, const MultiFileReaderBindData& bind,
      const duckdb::virtual_column_map_t& virtual_columns) override {
    // The engine's own placement of filters casts constants to the file's type with rounding, and
    // knows nothing of NaN below a struct: filters are placed by PlaceFilters instead.
    auto& reader = static_cast<RowGroupReader&>(*data.reader);
    if (reader.RuledOut()) return duckdb::ReaderInitializeType::SKIP_READING_FILE;
    MultiFileReader::CreateMapping(context, data, columns, projection, nullptr, files, bind,
                                   virtual_columns);
    if (filters && !PlaceFilters(context, data, reader, *filters)) {
      return duckdb::ReaderInitializeType::SKIP_READING_FILE;
    }
    reader.RequireNulls(data.expressions, projection, conditions_->null_columns);
    if (set_->indexing) {
      reader.UseIndexes(IndexTargets(reader, data.expressions, projection, conditions_->predicates),
                        conditions_);
    }
    return duckdb::ReaderInitializeType::INITIALIZED;
  }

 private:
  void AddPartitionConstants(MultiFileReaderData& data,
                             const duckdb::vector<MultiFileColumnDefinition>& columns,
                             const duckdb::vector<ColumnIndex>& projection) const {
    const auto values =
        PartitionValuesOf(set_->files->files[data.reader->file_list_idx.GetIndex()]);
    if (values.empty()) return;
    for (duckdb::idx_t i = 0; i < projection.size(); ++i) {
      if (projection[i].IsVirtualColumn()) continue;
      const auto& column = columns[projection[i].GetPrimaryIndex()];
      for (const auto& value : values) {
        if (!duckdb::StringUtil::CIEquals(value.column, column.name)) continue;
        data.constant_map.Add(duckdb::MultiFileGlobalIndex(i),
                              PartitionConstant(value, column, data.reader->GetFileName()));
        break;
      }
    }
  }

  static duckdb::Value PartitionConstant(const source::PartitionValue& value,
                                         const MultiFileColumnDefinition& column,
                                         const std::string& path) {
    if (value.is_null) return duckdb::Value(column.type);
    if (column.type.id() == duckdb::LogicalTypeId::BLOB)
      return duckdb::Value::BLOB_RAW(value.value);
    duckdb::Value constant(value.value);
    if (!constant.DefaultTryCastAs(column.type)) {
      throw duckdb::InvalidInputException(
          "Reading \"%s\": the value '%s' of partition column \"%s\" is no %s", path, value.value,
          column.name, column.type.ToString());
    }
    return constant;
  }

  std::shared_ptr<RegisteredSet> set_;
  std::shared_ptr<const KnownConditions> conditions_ = std::make_shared<const KnownConditions>();
};

duckdb::shared_ptr<duckdb::MultiFileList> ListFiles(const FileSet& set) {
  duckdb::vector<OpenFileInfo> files;
  files.reserve(set.files.size());
  for (const auto& file : set.files) {
    OpenFileInfo info(file.url);
    if (file.size >= 0) {
      info.extended_info = duckdb::make_shared_ptr<duckdb::ExtendedOpenFileInfo>();
      info.extended_info->options["file_size"] =
          duckdb::Value::UBIGINT(static_cast<uint64_t>(file.size));
    }
    files.push_back(std::move(info));
  }
  return duckdb::make_shared_ptr<duckdb::SimpleMultiFileList>(std::move(files));
}

duckdb::unique_ptr<MultiFileBindData> BindSet(const std::shared_ptr<RegisteredSet>& set) {
  auto bind = duckdb::make_uniq<MultiFileBindData>();
  bind->multi_file_reader = duckdb::make_uniq<ScanFileReader>(set);
  bind->file_list = ListFiles(*set->files);
  bind->file_options.auto_detect_hive_partitioning = false;
  bind->interface = duckdb::make_uniq<ScanInterface>(set);
  duckdb::ParquetOptions options;
  options.can_have_nan = true;
  bind->bind_data = duckdb::make_uniq<ScanBindData>(std::move(options));
  for (const auto& field : set->files->schema->fields()) {
    auto column = DeclareColumn(*field);
    bind->names.push_back(column.name);
    bind->types.push_back(column.type);
    bind->columns.push_back(column);
    bind->reader_bind.schema.push_back(std::move(column));
  }
  return bind;
}

duckdb::unique_ptr<duckdb::FunctionData> BindScan(ClientContext&,
                                                  duckdb::TableFunctionBindInput& input,
                                                  duckdb::vector<duckdb::LogicalType>& return_types,
                                                  duckdb::vector<std::string>& names) {
  const std::string name = input.inputs[0].ToString();
  const auto set = input.info->Cast<ScanFunctionInfo>().sets->Find(name);
  if (!set) throw duckdb::BinderException("No file set named \"%s\" was registered", name);
  auto bind = BindSet(set);
  return_types = bind->types;
  names = bind->names;
  return bind;
}

// Sets of CSV and JSON files have a scan of their own, under the one name.
duckdb::unique_ptr<duckdb::TableRef> ReplaceTextScan(ClientContext&,
                                                     duckdb::TableFunctionBindInput& input) {
  const auto set = input.info->Cast<ScanFunctionInfo>().sets->Find(input.inputs[0].ToString());
  if (!set || !text::IsTextFormat(set->files->format)) return nullptr;
  duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> arguments;
  arguments.push_back(duckdb::make_uniq<duckdb::ConstantExpression>(input.inputs[0]));
  auto scan = duckdb::make_uniq<duckdb::TableFunctionRef>();
  scan->function =
      duckdb::make_uniq<duckdb::FunctionExpression>(kTextScanFunction, std::move(arguments));
  return scan;
}

// Lends the multi-file scan's callbacks; the interface comes from BindScan.
struct ScanCallbacks {
  static duckdb::unique_ptr<duckdb::MultiFileReaderInterface> CreateInterface(ClientContext&) {
    throw duckdb::InternalException("A scan of a file set is bound by BindScan");
  }
};

constexpr char kSessionIndexing[] = "ariadne_row_group_indexing";

/// How scans of a database find its indexes that are not bound through RegisterScanFunction's sets.
struct SessionIndexing : duckdb::ObjectCacheEntry {
  std::shared_ptr<const RowGroupIndexing> indexing;

  static std::string ObjectType() { return kSessionIndexing; }
  std::string GetObjectType() override { return ObjectType(); }
  // None: never evicted.
  duckdb::optional_idx GetEstimatedCacheMemory() const override { return {}; }
};

/// Beside the files: how many row groups each means left. The counts are those of all scans of the
/// set so far.
duckdb::InsertionOrderPreservingMap<std::string> Explain(
    duckdb::TableFunctionDynamicToStringInput& input) {
  auto result = duckdb::MultiFileFunction<ScanCallbacks>::MultiFileDynamicToString(input);
  const auto& bind = input.bind_data->Cast<MultiFileBindData>();
  const auto& set = static_cast<const ScanFileReader&>(*bind.multi_file_reader).set();
  for (auto& [title, text] : set.RowGroupsInWords()) result[title] = std::move(text);
  return result;
}

duckdb::TableFunction MakeFunction() {
  using Function = duckdb::MultiFileFunction<ScanCallbacks>;
  Function function(kScanFunction);
  function.bind = BindScan;
  function.bind_replace = ReplaceTextScan;
  function.named_parameters.clear();
  function.filter_pushdown = true;
  function.filter_prune = true;
  function.dynamic_to_string = Explain;
  return static_cast<duckdb::TableFunction>(function);
}

}  // namespace

void RegisterScanFunction(duckdb::DatabaseInstance& database, std::shared_ptr<const FileSets> sets,
                          std::shared_ptr<const RowGroupIndexing> indexing) {
  auto session = duckdb::make_shared_ptr<SessionIndexing>();
  session->indexing = std::move(indexing);
  database.GetObjectCache().Put(kSessionIndexing, std::move(session));
  auto function = MakeFunction();
  function.function_info = duckdb::make_shared_ptr<ScanFunctionInfo>(std::move(sets));
  duckdb::ExtensionLoader loader(database, "ariadne");
  loader.RegisterFunction(std::move(function));
}

const RegisteredSet* SetOf(const duckdb::LogicalGet& get) {
  if (get.function.name != kScanFunction) return nullptr;
  const auto& bind = get.bind_data->Cast<MultiFileBindData>();
  return &static_cast<const ScanFileReader&>(*bind.multi_file_reader).set();
}

BoundScan BindScanOf(ClientContext& context, std::shared_ptr<RegisteredSet> set,
                     const std::shared_ptr<const storage::Stores>& stores,
                     std::shared_ptr<const KnownConditions> conditions) {
  if (text::IsTextFormat(set->files->format)) return BindTextScanOf(std::move(set), stores);
  const auto session =
      duckdb::ObjectCache::GetObjectCache(context).Get<SessionIndexing>(kSessionIndexing);
  if (session) set->indexing = session->indexing;
  BoundScan scan;
  scan.function = MakeFunction();
  auto bind = BindSet(set);
  static_cast<ScanFileReader&>(*bind->multi_file_reader).Know(std::move(conditions));
  scan.bind_data = std::move(bind);
  // It fills the bind data's map of virtual columns.
  scan.function.get_virtual_columns(context, scan.bind_data.get());
  return scan;
}

}  // namespace ariadne::scan
