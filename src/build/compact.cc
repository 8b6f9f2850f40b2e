#include "build/compact.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "ariadne/errors.h"
#include "build/main_rows.h"
#include "build/row_merge.h"
#include "build/row_removal.h"
#include "build/table_file_writer.h"
#include "build/table_rows.h"
#include "source/spark_schema.h"

namespace ariadne::build {

namespace {

/// Bytes that a data file should have, as consolidation closes them too.
constexpr int64_t kTargetBytes = 128 << 20;
/// Files below this size are worth packing.
constexpr int64_t kSmallBytes = kTargetBytes * 3 / 4;
/// What an open input of a merge may take at most (a decoded batch and a row group's pages), and
/// what it takes for each byte of its file: pages are compressed.
constexpr int64_t kInputBytes = 48 << 20;
constexpr int64_t kInputFactor = 10;
constexpr int64_t kInputLeast = 256 << 10;
/// Inputs that one merge may have open.
constexpr size_t kMostInputs = 512;
constexpr int64_t kMostRows = 1 << 20;
constexpr int kCommitTries = 5;

/// A data file that may be packed, and the names between which its rows lie.
struct Candidate {
  int32_t file = 0;
  int64_t rows = 0;
  int64_t memory = 0;
  std::string first_name;
  std::string last_name;
};

Candidate Examine(const storage::DeltaTable& table, int32_t number) {
  const storage::DataFile& file = table.files()[number];
  Candidate candidate;
  candidate.file = number;
  candidate.memory = std::clamp(file.size * kInputFactor, kInputLeast, kInputBytes);
  TableRows reader(table, file, arrow::schema({arrow::field("filename", arrow::utf8())}));
  bool first = true;
  while (const auto batch = reader.Next()) {
    const auto& names = static_cast<const arrow::StringArray&>(*batch->column(0));
    for (int64_t i = 0; i < names.length(); ++i) {
      const std::string_view name = names.IsNull(i) ? std::string_view() : names.GetView(i);
      if (first || name < candidate.first_name) candidate.first_name = name;
      if (first || name > candidate.last_name) candidate.last_name = name;
      first = false;
    }
  }
  candidate.rows = reader.num_rows();
  return candidate;
}

/// Small files in the order of their first names, cut into groups that become one file each. Files
/// that nothing is packed with are left out.
std::vector<std::vector<Candidate>> Pack(const storage::DeltaTable& table, int64_t memory_bytes) {
  std::vector<Candidate> small;
  for (int32_t i = 0; i < static_cast<int32_t>(table.files().size()); ++i) {
    if (table.files()[i].size < kSmallBytes) small.push_back(Examine(table, i));
  }
  std::sort(small.begin(), small.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.first_name, a.file) < std::tie(b.first_name, b.file);
  });
  std::vector<std::vector<Candidate>> groups;
  int64_t bytes = 0;
  int64_t memory = 0;
  int64_t rows = 0;
  for (Candidate& candidate : small) {
    const int64_t size = table.files()[candidate.file].size;
    const bool fits = !groups.empty() && bytes + size <= kTargetBytes &&
                      // Two inputs are always merged: there is no smaller step.
                      (memory + candidate.memory <= memory_bytes || groups.back().size() < 2) &&
                      groups.back().size() < kMostInputs && rows + candidate.rows <= kMostRows;
    if (!fits) {
      groups.emplace_back();
      bytes = memory = rows = 0;
    }
    bytes += size;
    memory += candidate.memory;
    rows += candidate.rows;
    groups.back().push_back(std::move(candidate));
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

/// True where the rows of each file lie behind those of the one before: then they are copied in
/// whole batches, which matters where a table has a row for each value.
bool FollowEachOther(const std::vector<Candidate>& group) {
  for (size_t i = 1; i < group.size(); ++i) {
    if (group[i].first_name < group[i - 1].last_name) return false;
  }
  return true;
}

storage::DataFile WriteGroup(Workspace* workspace, const storage::DeltaTable& table,
                             const std::shared_ptr<arrow::Schema>& schema,
                             const std::vector<Candidate>& group, bool with_lookups) {
  TableFileWriter writer(workspace, table.folder(), schema, with_lookups);
  const auto append = [&](const std::shared_ptr<arrow::RecordBatch>& rows) {
    writer.Append(rows);
    workspace->lock->Tick();
  };
  if (FollowEachOther(group)) {
    for (const Candidate& candidate : group) {
      TableRows reader(table, table.files()[candidate.file], schema);
      while (const auto batch = reader.Next()) append(batch);
    }
    return writer.Finish();
  }
  std::vector<MergeInput> inputs;
  for (const Candidate& candidate : group) {
    inputs.push_back(
        {&table, candidate.file, std::vector<bool>(candidate.rows, true), candidate.first_name});
  }
  const size_t fan_in = inputs.size();
  MergeRows(std::move(inputs), schema, fan_in, append, [] {});
  return writer.Finish();
}

/// One pass over one table; true where it packed something.
bool PackOnce(Workspace* workspace, const storage::ObjectRef& folder, bool with_lookups,
              const std::function<void()>& stopped, CompactReport* report) {
  for (int attempt = 1;; ++attempt) {
    const auto table = storage::DeltaTable::Open(folder);
    if (table == nullptr) return false;
    CheckPlain(*table);
    const auto groups = Pack(*table, workspace->memory_bytes / 4);
    if (groups.empty()) return false;
    const auto schema = source::FromSparkJson(table->schema_json());
    storage::TableChange change;
    change.operation = "OPTIMIZE";
    change.data_change = false;
    int64_t bytes = 0;
    for (const std::vector<Candidate>& group : groups) {
      stopped();
      change.adds.push_back(WriteGroup(workspace, *table, schema, group, with_lookups));
      for (const Candidate& candidate : group) {
        const storage::DataFile& file = table->files()[candidate.file];
        change.removes.push_back(file.path);
        bytes += file.size;
      }
    }
    workspace->lock->Sign(&change);
    try {
      table->Commit(change);
      report->bytes_rewritten += bytes;
      return true;
    } catch (const CommitConflict&) {
      for (const storage::DataFile& file : change.adds) {
        const storage::ObjectRef object = table->FileRef(file.path);
        object.store->Delete(object.path);
      }
      if (attempt == kCommitTries) throw;
    }
  }
}

int64_t CountFiles(const storage::ObjectRef& folder) {
  const auto table = storage::DeltaTable::Open(folder);
  return table == nullptr ? 0 : static_cast<int64_t>(table->files().size());
}

void CompactTable(Workspace* workspace, const storage::ObjectRef& folder, bool with_lookups,
                  const std::function<void()>& stopped, CompactReport* report) {
  report->files_before += CountFiles(folder);
  // With little memory a pass merges a few files at a time, and the next one its results.
  while (PackOnce(workspace, folder, with_lookups, stopped, report)) {
  }
  report->files_after += CountFiles(folder);
}

}  // namespace

CompactReport CompactTables(Workspace* workspace, const std::function<void()>& stopped) {
  const storage::IndexLayout& layout = workspace->target.layout;
  CompactReport report;
  CompactTable(workspace, layout.main_index(), true, stopped, &report);
  for (const std::string& column : LargeIndexColumns(layout)) {
    CompactTable(workspace, layout.large_index(column), false, stopped, &report);
  }
  return report;
}

CompactReport Compact(const UpdateTarget& target, const CompactOptions& options) {
  LockedIndex index(target, options.stop);
  const CompactReport report =
      CompactTables(&index.workspace(), [&] { index.ThrowIfStopped("compact"); });
  index.WriteTotals(0);
  return report;
}

}  // namespace ariadne::build
