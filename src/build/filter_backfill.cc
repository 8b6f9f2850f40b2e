#include "build/filter_backfill.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/built_cells.h"
#include "build/consolidate.h"
#include "build/main_rows.h"
#include "build/staging.h"
#include "build/table_rows.h"
#include "source/spark_schema.h"

namespace ariadne::build {

namespace {

constexpr char kFilename[] = "filename";
/// Filters that are staged together, in bytes and files.
constexpr int64_t kBatchBytes = 64 << 20;
constexpr size_t kBatchFiles = 65'536;
/// Values of large files whose filters are made in one pass over the table.
constexpr int64_t kGroupValues = 50'000'000;

/// Runs of rows of one file in a large table's batch.
template <typename Visit>
void ForEachRun(const arrow::Array& names, const Visit& visit) {
  const auto& strings = static_cast<const arrow::StringArray&>(names);
  for (int64_t begin = 0; begin < strings.length();) {
    int64_t end = begin + 1;
    while (end < strings.length() && strings.IsNull(end) == strings.IsNull(begin) &&
           strings.GetView(end) == strings.GetView(begin)) {
      ++end;
    }
    if (strings.IsValid(begin)) visit(CanonicalOrSame(strings.GetString(begin)), begin, end);
    begin = end;
  }
}

/// The values of entries, which are structs in a temporal column.
std::shared_ptr<arrow::Array> ValuesOf(const std::shared_ptr<arrow::Array>& entries) {
  if (entries->type_id() != arrow::Type::STRUCT) return entries;
  auto values = static_cast<const arrow::StructArray&>(*entries).GetFlattenedField(0);
  if (!values.ok()) throw Error("cannot read temporal values: " + values.status().message());
  return values.MoveValueUnsafe();
}

/// One run over the main index for one column.
class FilterBackfill {
 public:
  FilterBackfill(Workspace* workspace, int column)
      : workspace_(workspace),
        column_(column),
        plan_(workspace->plans[column]),
        main_(storage::DeltaTable::Open(workspace->target.layout.main_index())) {}

  /// True if anything was staged.
  bool Run();

 private:
  void ReadArrays();
  void ReadLargeTable();
  /// Makes the filters of these files, of the counts given, in one pass over their rows.
  void ReadLargeFiles(const std::unordered_map<std::string, int64_t>& counts);
  template <typename Visit>
  void ForEachLargeRun(const std::function<bool(const std::string&)>& wanted, const Visit& visit);
  [[nodiscard]] std::unique_ptr<index::AutoBloom> MakeFilter(int64_t expected) const {
    return std::make_unique<index::AutoBloom>(plan_.value, expected,
                                              workspace_->target.options.auto_bloom_fpr,
                                              workspace_->context.token_time_zone);
  }
  void Add(const std::string& uri, const RowPlace& place, std::shared_ptr<arrow::Array> filter);
  void Stage();

  Workspace* workspace_;
  int column_;
  const ColumnPlan& plan_;
  std::shared_ptr<storage::DeltaTable> main_;
  MainRows rows_;
  /// Files without filter whose values are not in the main index.
  std::unordered_map<std::string, RowPlace> elsewhere_;
  Batch batch_;
  std::optional<BatchWriter> writer_;
};

bool FilterBackfill::Run() {
  if (main_ == nullptr) return false;
  ReadArrays();
  if (!elsewhere_.empty()) ReadLargeTable();
  Stage();
  return writer_.has_value();
}

void FilterBackfill::ReadArrays() {
  const std::string filter_column = index::AutoBloomColumn(plan_.declared.column);
  const auto schema =
      arrow::schema({arrow::field(kFilename, arrow::utf8()),
                     arrow::field(index::StorageColumn(plan_.declared), plan_.storage_type()),
                     arrow::field(filter_column, arrow::binary())});
  for (int32_t file = 0; file < static_cast<int32_t>(main_->files().size()); ++file) {
    const storage::DataFile& data = main_->files()[file];
    if (StatisticsProveNoNull(data, filter_column)) continue;
    if (rows_.empty()) rows_ = LoadMainRows(*main_);
    TableRows reader(*main_, data, schema);
    int64_t row = 0;
    while (const auto batch = reader.Next()) {
      const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
      const auto& lists = static_cast<const arrow::ListArray&>(*batch->column(1));
      for (int64_t i = 0; i < batch->num_rows(); ++i, ++row) {
        if (names.IsNull(i) || batch->column(2)->IsValid(i)) continue;
        const std::string uri = CanonicalOrSame(names.GetString(i));
        // Of several spellings of one file the row that a backfill goes on from counts.
        const RowPlace& place = rows_.at(uri).back();
        if (place.file != file || place.row != row) continue;
        if (lists.IsNull(i)) {
          elsewhere_.emplace(uri, place);
          continue;
        }
        const auto values = ValuesOf(lists.value_slice(i));
        const auto filter = MakeFilter(values->length() - values->null_count());
        filter->Add(*values);
        Add(uri, place, filter->Finish());
      }
      workspace_->lock->Tick();
    }
  }
}

template <typename Visit>
void FilterBackfill::ForEachLargeRun(const std::function<bool(const std::string&)>& wanted,
                                     const Visit& visit) {
  const auto table = workspace_->large->Table(column_);
  CheckPlain(*table);
  const auto schema = arrow::schema({arrow::field(kFilename, arrow::utf8()),
                                     arrow::field(LargeValueColumn(*table), plan_.entry_type())});
  for (const storage::DataFile& data : table->files()) {
    const auto held = FilesIn(*table, data);
    if (std::none_of(held.begin(), held.end(), wanted)) continue;
    TableRows reader(*table, data, schema);
    while (const auto batch = reader.Next()) {
      ForEachRun(*batch->column(0), [&](const std::string& uri, int64_t begin, int64_t end) {
        if (wanted(uri)) visit(uri, *ValuesOf(batch->column(1)->Slice(begin, end - begin)));
      });
      workspace_->lock->Tick();
    }
  }
}

void FilterBackfill::ReadLargeTable() {
  if (!workspace_->large->HasRows(column_)) return;
  // A filter is made for the file's own count, so that is asked first. A file's rows may lie in
  // several data files, where somebody compacted them.
  std::map<std::string, int64_t> counts;
  ForEachLargeRun([this](const std::string& uri) { return elsewhere_.contains(uri); },
                  [&counts](const std::string& uri, const arrow::Array& values) {
                    counts[uri] += values.length() - values.null_count();
                  });
  std::unordered_map<std::string, int64_t> group;
  int64_t expected = 0;
  for (const auto& [uri, count] : counts) {
    group.emplace(uri, count);
    expected += count;
    if (expected < kGroupValues) continue;
    ReadLargeFiles(group);
    group.clear();
    expected = 0;
  }
  ReadLargeFiles(group);
}

void FilterBackfill::ReadLargeFiles(const std::unordered_map<std::string, int64_t>& counts) {
  if (counts.empty()) return;
  std::unordered_map<std::string, std::unique_ptr<index::AutoBloom>> filters;
  for (const auto& [uri, count] : counts) filters[uri] = MakeFilter(count);
  ForEachLargeRun([&filters](const std::string& uri) { return filters.contains(uri); },
                  [&filters](const std::string& uri, const arrow::Array& values) {
                    filters.at(uri)->Add(values);
                  });
  for (const auto& [uri, filter] : filters) Add(uri, elsewhere_.at(uri), filter->Finish());
}

void FilterBackfill::Add(const std::string& uri, const RowPlace& place,
                         std::shared_ptr<arrow::Array> filter) {
  FileRow row;
  row.uri = uri;
  row.file_size = -1;  // Whatever the row says, unknown included.
  row.old_row = place;
  row.cells.resize(workspace_->plans.size());
  row.filters.resize(workspace_->plans.size());
  batch_.bytes += static_cast<const arrow::BinaryArray&>(*filter).total_values_length();
  row.filters[column_] = std::move(filter);
  batch_.rows.push_back(std::move(row));
  if (batch_.bytes >= kBatchBytes || batch_.rows.size() >= kBatchFiles) Stage();
}

void FilterBackfill::Stage() {
  if (batch_.rows.empty()) return;
  if (!writer_) {
    writer_.emplace(workspace_, main_, main_->files(),
                    workspace_->lock->correlation_id() + "-filters");
  }
  CommitBatches(workspace_, {writer_->Write(std::exchange(batch_, Batch()), false)});
}

}  // namespace

void BackfillFilters(Workspace* workspace) {
  for (int column = 0; column < static_cast<int>(workspace->plans.size()); ++column) {
    if (!workspace->large->HasFilters(column)) continue;
    workspace->MakeMainSchema();
    if (FilterBackfill(workspace, column).Run()) ConsolidateStaging(workspace);
  }
}

void RemoveStrayLargeRows(Workspace* workspace) {
  std::shared_ptr<storage::DeltaTable> main;
  MainRows rows;
  for (int column = 0; column < static_cast<int>(workspace->plans.size()); ++column) {
    if (!workspace->plans[column].keeps_values() || !workspace->large->HasRows(column)) continue;
    if (main == nullptr) {
      main = storage::DeltaTable::Open(workspace->target.layout.main_index());
      if (main == nullptr) return;
      rows = LoadMainRows(*main);
    }
    const ColumnPlan& plan = workspace->plans[column];
    // The files of the main index's data files that must be looked into.
    std::unordered_set<std::string> stray;
    std::map<int32_t, std::map<int64_t, std::string>> asked;
    for (const std::string& uri : workspace->large->Files(column)) {
      const auto found = rows.find(uri);
      if (found == rows.end()) {
        stray.insert(uri);
        continue;
      }
      for (const RowPlace& place : found->second) asked[place.file][place.row] = uri;
    }
    const auto field = arrow::field(index::StorageColumn(plan.declared), plan.storage_type());
    for (const auto& [file, places] : asked) {
      TableRows reader(*main, main->files()[file], arrow::schema({field}));
      int64_t row = 0;
      while (const auto batch = reader.Next()) {
        for (auto at = places.lower_bound(row);
             at != places.end() && at->first < row + batch->num_rows(); ++at) {
          if (batch->column(0)->IsValid(at->first - row)) stray.insert(at->second);
        }
        row += batch->num_rows();
      }
      workspace->lock->Tick();
    }
    if (!stray.empty()) workspace->large->Commit(column, {}, stray, workspace->lock);
  }
}

}  // namespace ariadne::build
