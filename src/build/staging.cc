#include "build/staging.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/index_file_writer.h"
#include "build/table_rows.h"
#include "index/column_index.h"
#include "source/spark_schema.h"

namespace ariadne::build {

namespace {

/// Cells from which on a batch's data file is large enough to stay one in the main index.
constexpr int64_t kAdoptBytes = 48 << 20;

template <typename T>
T Unwrap(arrow::Result<T> result) {
  if (!result.ok()) throw Error("cannot make staged rows: " + result.status().message());
  return result.MoveValueUnsafe();
}

std::shared_ptr<arrow::Array> Constant(const arrow::Scalar& value) {
  return Unwrap(arrow::MakeArrayFromScalar(value, 1));
}

/// Old rows of the main index, one batch of one row for each place; places lie in one data file.
std::map<int64_t, std::shared_ptr<arrow::RecordBatch>> ReadOldRows(
    const storage::DeltaTable& main, const storage::DataFile& file,
    const std::vector<int64_t>& places, const std::shared_ptr<arrow::Schema>& schema) {
  TableRows reader(main, file, schema);
  std::vector<int> groups;
  std::vector<int64_t> numbers;  // Row of the file for each row read.
  const auto all = reader.row_groups();
  for (size_t i = 0; i < all.size(); ++i) {
    const auto [first, count] = all[i];
    const auto place = std::lower_bound(places.begin(), places.end(), first);
    if (place == places.end() || *place >= first + count) continue;
    groups.push_back(static_cast<int>(i));
    for (int64_t row = first; row < first + count; ++row) numbers.push_back(row);
  }
  reader.SelectRowGroups(groups);
  std::map<int64_t, std::shared_ptr<arrow::RecordBatch>> rows;
  size_t at = 0;
  while (const auto batch = reader.Next()) {
    for (int64_t i = 0; i < batch->num_rows(); ++i, ++at) {
      if (std::binary_search(places.begin(), places.end(), numbers[at])) {
        rows[numbers[at]] = batch->Slice(i, 1);
      }
    }
  }
  return rows;
}

/// Spark fields of these schemas that the table lacks, as `TableChange::add_columns_json`.
std::string MissingFields(const std::set<std::string>& schemas, const storage::DeltaTable& table) {
  const auto existing = source::FromSparkJson(table.schema_json());
  std::set<std::string> added;
  std::string fields;
  for (const std::string& schema_json : schemas) {
    const auto schema = source::FromSparkJson(schema_json);
    for (const auto& field : schema->fields()) {
      if (existing->GetFieldByName(field->name()) != nullptr) continue;
      if (!added.insert(field->name()).second) continue;
      fields += fields.empty() ? "[" : ",";
      fields += source::FieldToSparkJson(*field);
    }
  }
  return fields.empty() ? fields : fields + "]";
}

void CommitLarge(Workspace* workspace, const std::vector<StagedBatch>& batches) {
  std::map<int, std::pair<std::vector<storage::DataFile>, std::unordered_set<std::string>>> pairs;
  for (const StagedBatch& batch : batches) {
    for (const StagedBatch::Large& large : batch.large) {
      auto& [files, uris] = pairs[large.column];
      files.push_back(large.file);
      uris.insert(large.uri);
    }
  }
  for (const auto& [column, pair] : pairs) {
    workspace->large->Commit(column, pair.first, pair.second, workspace->lock);
  }
}

}  // namespace

BatchWriter::BatchWriter(Workspace* workspace, std::shared_ptr<storage::DeltaTable> main,
                         std::vector<storage::DataFile> old_files, std::string run)
    : workspace_(workspace),
      main_(std::move(main)),
      old_files_(std::move(old_files)),
      run_(std::move(run)) {}

std::vector<index::TokenZones::Entry> BatchWriter::TokenZonesOf(const Batch& batch) const {
  std::vector<index::TokenZones::Entry> entries;
  const auto add = [&](const FileRow& row, const std::string& column,
                       const std::shared_ptr<arrow::Array>& cell) {
    if (cell == nullptr) return;
    const auto filter = static_cast<const arrow::BinaryArray&>(*cell).GetView(0);
    entries.push_back({row.uri, column, index::TokenZones::Checksum(filter),
                       workspace_->context.token_time_zone});
  };
  for (size_t i = 0; i < workspace_->plans.size(); ++i) {
    const ColumnPlan& plan = workspace_->plans[i];
    if (plan.value->id() != arrow::Type::TIMESTAMP) continue;
    const std::string& column = plan.declared.column;
    for (const FileRow& row : batch.rows) {
      if (plan.declared.kind == IndexedColumn::Kind::kBloom) add(row, column, row.cells[i]);
      add(row, column, row.filters[i]);
    }
  }
  return entries;
}

StagedBatch BatchWriter::Write(Batch batch, bool adopt_small) {
  Workspace& workspace = *workspace_;
  std::sort(batch.rows.begin(), batch.rows.end(),
            [](const FileRow& a, const FileRow& b) { return a.uri < b.uri; });
  StagedBatch staged;
  staged.token_zones = TokenZonesOf(batch);
  for (const FileRow& row : batch.rows) {
    staged.rows.push_back({row.uri, row.old_row.has_value()});
    for (const FileRow::Large& large : row.large) {
      staged.large.push_back({large.column, row.uri, large.file});
    }
  }
  // The first large file of a column brings its filters with it.
  workspace.MakeMainSchema();
  const auto row_schema = MainRowSchema(workspace, main_.get());

  std::map<int32_t, std::vector<int64_t>> old_places;
  for (const FileRow& row : batch.rows) {
    if (row.old_row) old_places[row.old_row->file].push_back(row.old_row->row);
  }
  std::map<std::pair<int32_t, int64_t>, std::shared_ptr<arrow::RecordBatch>> old_rows;
  for (auto& [file, places] : old_places) {
    std::sort(places.begin(), places.end());
    for (auto& [row, cells] : ReadOldRows(*main_, old_files_.at(file), places, row_schema)) {
      old_rows[{file, row}] = std::move(cells);
    }
    workspace.KeepLock();
  }

  const storage::ObjectRef folder = workspace.target.layout.staging();
  const auto schema = StagedRowSchema(*row_schema);
  staged.schema_json = source::ToSparkJson(*schema);
  // The table comes first: a data file without a log beside it would be taken for somebody else's.
  storage::DeltaTable::Create(folder, staged.schema_json);

  // Later batches rank higher, also where the clock stands still or is set back.
  last_staged_at_ = std::max<int64_t>(last_staged_at_ + 1,
                                      std::chrono::duration_cast<std::chrono::microseconds>(
                                          std::chrono::system_clock::now().time_since_epoch())
                                          .count());
  char number[16];
  std::snprintf(number, sizeof(number), "-%06lld", static_cast<long long>(number_++));
  const auto staged_at = Constant(
      arrow::TimestampScalar(last_staged_at_, arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")));
  const auto batch_id = Constant(arrow::StringScalar(run_ + number));

  staged.adoptable = old_rows.empty() && (batch.bytes >= kAdoptBytes || adopt_small);
  IndexFileWriter writer(folder, schema,
                         staged.adoptable ? workspace.LookupColumns() : std::vector<std::string>(),
                         workspace.target.layout.native(), workspace.context);
  for (FileRow& row : batch.rows) {
    std::shared_ptr<arrow::RecordBatch> old;
    if (row.old_row) {
      const auto found = old_rows.find({row.old_row->file, row.old_row->row});
      if (found != old_rows.end()) old = found->second;
    }
    arrow::ArrayVector cells;
    for (int i = 0; i < row_schema->num_fields(); ++i) {
      const auto& type = row_schema->field(i)->type();
      cells.push_back(old != nullptr ? old->column(i) : Unwrap(arrow::MakeArrayOfNull(type, 1)));
    }
    cells[row_schema->GetFieldIndex("filename")] = Constant(arrow::StringScalar(row.uri));
    auto& size = cells[row_schema->GetFieldIndex("file_size")];
    if (size->IsNull(0) && row.file_size >= 0) {
      size = Constant(arrow::Int64Scalar(row.file_size));
    }
    for (size_t column = 0; column < row.cells.size(); ++column) {
      if (row.cells[column] == nullptr) continue;
      const int i = row_schema->GetFieldIndex(index::StorageColumn(workspace.columns[column]));
      cells[i] = ConformCells(row.cells[column], row_schema->field(i)->type(), row.uri);
    }
    for (size_t column = 0; column < row.filters.size(); ++column) {
      if (row.filters[column] == nullptr) continue;
      const int i =
          row_schema->GetFieldIndex(index::AutoBloomColumn(workspace.columns[column].column));
      if (i >= 0) cells[i] = row.filters[column];
    }
    cells.push_back(staged_at);
    cells.push_back(batch_id);
    row.cells.clear();
    row.filters.clear();
    writer.Append(arrow::RecordBatch::Make(schema, 1, std::move(cells)));
    workspace.KeepLock();
  }
  staged.file = writer.Finish();
  // Of a writer that its driver has given up, staging may have been taken away meanwhile.
  if (workspace.lock == nullptr) storage::DeltaTable::Create(folder, staged.schema_json);
  return staged;
}

void CommitBatches(Workspace* workspace, const std::vector<StagedBatch>& batches) {
  if (batches.empty()) return;
  CommitLarge(workspace, batches);
  std::vector<index::TokenZones::Entry> zones;
  std::set<std::string> schemas;
  for (const StagedBatch& batch : batches) {
    zones.insert(zones.end(), batch.token_zones.begin(), batch.token_zones.end());
    schemas.insert(batch.schema_json);
  }
  index::TokenZones::Record(workspace->target.layout.native(), zones);
  storage::DeltaTable::CommitWithRetry(
      workspace->target.layout.staging(), *schemas.begin(),
      [&](const storage::DeltaTable& table) -> std::optional<storage::TableChange> {
        storage::TableChange change;
        change.operation = "WRITE";
        for (const StagedBatch& batch : batches) change.adds.push_back(batch.file);
        change.add_columns_json = MissingFields(schemas, table);
        workspace->lock->Sign(&change);
        return change;
      });
  for (const StagedBatch& batch : batches) {
    if (batch.adoptable) workspace->adoptable.insert(batch.file.path);
  }
}

}  // namespace ariadne::build
