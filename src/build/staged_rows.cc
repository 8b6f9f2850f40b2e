#include "build/staged_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/main_rows.h"
#include "build/table_rows.h"
#include "build/workspace.h"
#include "source/spark_schema.h"

namespace ariadne::build {

namespace {

auto Place(const StagedRow& row) { return std::tie(row.file, row.row); }

auto Rank(const StagedRow& row) {
  return std::tie(row.staged_at, row.completeness, row.batch_id, row.payload_hash);
}

std::vector<StagedRow> ReadNames(const storage::DeltaTable& staging) {
  const auto schema =
      arrow::schema({arrow::field("filename", arrow::utf8()),
                     arrow::field(kStagedAt, arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
                     arrow::field(kBatchId, arrow::utf8())});
  std::vector<StagedRow> rows;
  for (size_t file = 0; file < staging.files().size(); ++file) {
    TableRows reader(staging, staging.files()[file], schema);
    int64_t number = 0;
    while (const auto batch = reader.Next()) {
      const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
      const auto& times = static_cast<const arrow::TimestampArray&>(*batch->column(1));
      const auto& batches = static_cast<const arrow::StringArray&>(*batch->column(2));
      for (int64_t i = 0; i < names.length(); ++i, ++number) {
        if (names.IsNull(i)) continue;
        StagedRow row;
        row.uri = CanonicalOrSame(names.GetString(i));
        row.file = static_cast<int32_t>(file);
        row.row = number;
        if (times.IsValid(i)) row.staged_at = times.Value(i);
        if (batches.IsValid(i)) row.batch_id = batches.GetString(i);
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

/// Hash of the cells of one row, equal for equal cells: a slice is copied out and serialized.
uint64_t HashOfRow(const arrow::RecordBatch& row, const std::string& where) {
  arrow::ArrayVector cells;
  for (const auto& column : row.columns()) {
    auto copied = arrow::Concatenate({column});
    if (!copied.ok()) throw InvalidFile(where + ": " + copied.status().message());
    cells.push_back(copied.MoveValueUnsafe());
  }
  const auto bytes =
      arrow::ipc::SerializeRecordBatch(*arrow::RecordBatch::Make(row.schema(), 1, std::move(cells)),
                                       arrow::ipc::IpcWriteOptions::Defaults());
  if (!bytes.ok()) throw InvalidFile(where + ": " + bytes.status().message());
  return XXH3_64bits((*bytes)->data(), static_cast<size_t>((*bytes)->size()));
}

/// Fills in completeness and hash of these rows (sorted by place).
void ReadPayloads(const storage::DeltaTable& staging, const std::vector<StagedRow*>& rows) {
  const auto whole = source::FromSparkJson(staging.schema_json());
  arrow::FieldVector fields;
  for (const auto& field : whole->fields()) {
    if (field->name() != kStagedAt && field->name() != kBatchId) fields.push_back(field);
  }
  const auto schema = arrow::schema(fields);
  for (size_t at = 0; at < rows.size();) {
    const int32_t file = rows[at]->file;
    TableRows reader(staging, staging.files()[file], schema);
    int64_t first = 0;
    while (const auto batch = reader.Next()) {
      for (;
           at < rows.size() && rows[at]->file == file && rows[at]->row < first + batch->num_rows();
           ++at) {
        const auto row = batch->Slice(rows[at]->row - first, 1);
        for (const auto& cell : row->columns()) rows[at]->completeness += cell->IsValid(0) ? 1 : 0;
        rows[at]->payload_hash = HashOfRow(*row, staging.folder().path);
      }
      first += batch->num_rows();
    }
    while (at < rows.size() && rows[at]->file == file) ++at;
  }
}

}  // namespace

std::vector<StagedRow> ChooseStagedRows(const storage::DeltaTable& staging) {
  std::vector<StagedRow> rows = ReadNames(staging);
  std::sort(rows.begin(), rows.end(), [](const StagedRow& a, const StagedRow& b) {
    return std::tie(a.uri, a.file, a.row) < std::tie(b.uri, b.file, b.row);
  });
  std::vector<StagedRow*> repeated;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool as_before = i > 0 && rows[i - 1].uri == rows[i].uri;
    const bool as_after = i + 1 < rows.size() && rows[i + 1].uri == rows[i].uri;
    if (as_before || as_after) repeated.push_back(&rows[i]);
  }
  std::sort(repeated.begin(), repeated.end(),
            [](const StagedRow* a, const StagedRow* b) { return Place(*a) < Place(*b); });
  if (!repeated.empty()) ReadPayloads(staging, repeated);

  std::vector<StagedRow> chosen;
  for (StagedRow& row : rows) {
    if (chosen.empty() || chosen.back().uri != row.uri) {
      chosen.push_back(std::move(row));
    } else if (Rank(chosen.back()) < Rank(row)) {
      chosen.back() = std::move(row);
    }
  }
  std::sort(chosen.begin(), chosen.end(),
            [](const StagedRow& a, const StagedRow& b) { return Place(a) < Place(b); });
  return chosen;
}

}  // namespace ariadne::build
