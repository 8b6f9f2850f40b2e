#include "build/consolidate.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/status.h>
#include <arrow/type.h>
#include <nlohmann/json.hpp>

#include "ariadne/errors.h"
#include "build/index_file_writer.h"
#include "build/main_rows.h"
#include "build/row_merge.h"
#include "build/staged_rows.h"
#include "build/staging_removal.h"
#include "storage/arrow_io.h"

namespace ariadne::build {

namespace {

/// Bytes at which a data file of the main index is closed.
constexpr int64_t kDataFileBytes = 128 << 20;
/// What an open input of a merge may take: a decoded batch and a row group's pages.
constexpr int64_t kInputBytes = 48 << 20;
constexpr int kCommitTries = 5;

/// One attempt to merge one staging snapshot into one main snapshot.
class Consolidation {
 public:
  Consolidation(Workspace* workspace, std::shared_ptr<storage::DeltaTable> staging,
                std::shared_ptr<storage::DeltaTable> main)
      : workspace_(workspace), staging_(std::move(staging)), main_(std::move(main)) {
    CheckPlain(*staging_);
    CheckPlain(*main_);
    schema_ = MainRowSchema(*workspace_, main_.get(), &added_columns_);
  }

  /// Throws CommitConflict, after removing what it wrote.
  void Run();

 private:
  void Choose();
  void Adopt(int32_t file);
  void Merge();
  void RemoveWritten();

  Workspace* workspace_;
  std::shared_ptr<storage::DeltaTable> staging_;
  std::shared_ptr<storage::DeltaTable> main_;
  std::shared_ptr<arrow::Schema> schema_;
  std::string added_columns_;
  std::vector<int32_t> adopted_;    ///< Staged files that become data files as they are.
  std::vector<MergeInput> inputs_;  ///< What is merged, replaced data files of main included.
  storage::TableChange change_;
};

/// Decides what becomes of each staged file and which rows of the main index are replaced.
void Consolidation::Choose() {
  const std::vector<StagedRow> chosen = ChooseStagedRows(*staging_);
  const MainRows main_rows = main_->files().empty() ? MainRows() : LoadMainRows(*main_);

  // Staged files that an earlier, cut off consolidation of this table adopted already.
  std::set<std::string> in_main;
  for (const storage::DataFile& file : main_->files()) in_main.insert(file.path);

  struct Staged {
    int64_t rows = 0;       ///< That count.
    bool replaces = false;  ///< One of them is in the main index.
    std::vector<bool> keep;
    std::string first_name;
  };
  std::map<int32_t, Staged> staged;
  std::map<int32_t, std::vector<bool>> replaced;  // By data file of main.
  for (const StagedRow& row : chosen) {
    const storage::DataFile& file = staging_->files()[row.file];
    if (in_main.contains(file.path)) continue;
    Staged& entry = staged[row.file];
    if (entry.rows == 0 || row.uri < entry.first_name) entry.first_name = row.uri;
    ++entry.rows;
    if (static_cast<int64_t>(entry.keep.size()) <= row.row) entry.keep.resize(row.row + 1, false);
    entry.keep[row.row] = true;
    const auto found = main_rows.find(row.uri);
    if (found == main_rows.end()) continue;
    entry.replaces = true;
    for (const RowPlace& place : found->second) {
      auto& drop = replaced[place.file];
      if (static_cast<int64_t>(drop.size()) <= place.row) drop.resize(place.row + 1, false);
      drop[place.row] = true;
    }
  }

  for (auto& [file, entry] : staged) {
    const storage::DataFile& data = staging_->files()[file];
    const bool whole = data.num_records == entry.rows;
    if (whole && !entry.replaces && workspace_->adoptable.contains(data.path)) {
      adopted_.push_back(file);
      continue;
    }
    TableRows rows(*staging_, data, schema_);
    entry.keep.resize(rows.num_rows(), false);
    inputs_.push_back({staging_.get(), file, std::move(entry.keep), std::move(entry.first_name)});
  }
  std::map<int32_t, std::string> first_names;
  for (const auto& [name, places] : main_rows) {
    for (const RowPlace& place : places) {
      if (!replaced.contains(place.file)) continue;
      std::string& first = first_names[place.file];
      if (first.empty() || name < first) first = name;
    }
  }
  for (auto& [file, drop] : replaced) {
    TableRows rows(*main_, main_->files()[file], schema_);
    drop.resize(rows.num_rows(), false);
    drop.flip();
    inputs_.push_back({main_.get(), file, std::move(drop), first_names[file]});
    change_.removes.push_back(main_->files()[file].path);
  }
}

/// Copies a staged data file into the main index under its name: the lookup files that were
/// written for it are found by that name.
void Consolidation::Adopt(int32_t number) {
  storage::DataFile file = staging_->files()[number];
  const storage::ObjectRef from = staging_->FileRef(file.path);
  const storage::ObjectRef to = main_->FileRef(file.path);
  const auto check = [&](const arrow::Status& status) {
    if (!status.ok()) {
      throw StorageError("cannot copy " + from.path + " to " + to.path + ": " + status.message());
    }
  };
  const auto input = storage::OpenInput(from, file.size);
  const auto output = storage::OpenOutput(to);
  for (int64_t at = 0; at < file.size;) {
    const auto piece = input->ReadAt(at, std::min<int64_t>(8 << 20, file.size - at));
    check(piece.status());
    if ((*piece)->size() == 0) throw InvalidFile(from.path + " is shorter than its table says");
    check(output->Write(*piece));
    at += (*piece)->size();
    workspace_->lock->Tick();
  }
  check(output->Close());

  auto statistics = nlohmann::json::parse(file.stats_json, nullptr, false);
  if (statistics.is_object()) {
    for (auto& member : statistics) {
      if (!member.is_object()) continue;
      member.erase(kStagedAt);
      member.erase(kBatchId);
    }
    file.stats_json = statistics.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  file.modified_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  change_.adds.push_back(std::move(file));
}

void Consolidation::Merge() {
  if (inputs_.empty()) return;
  const size_t fan_in =
      std::clamp<size_t>(static_cast<size_t>(workspace_->memory_bytes / 4 / kInputBytes), 2, 32);
  std::unique_ptr<IndexFileWriter> writer;
  const auto finish = [&] {
    if (writer == nullptr) return;
    change_.adds.push_back(writer->Finish());
    writer = nullptr;
  };
  MergeRows(
      std::move(inputs_), schema_, fan_in,
      [&](const std::shared_ptr<arrow::RecordBatch>& row) {
        if (writer == nullptr) {
          writer = std::make_unique<IndexFileWriter>(
              main_->folder(), schema_, workspace_->LookupColumns(),
              workspace_->target.layout.native(), workspace_->context);
        }
        writer->Append(row);
        if (writer->bytes() >= kDataFileBytes) finish();
        workspace_->lock->Tick();
      },
      // Names of the next group may lie before those of the last: a file holds ascending names.
      finish);
  finish();
}

void Consolidation::RemoveWritten() {
  for (const storage::DataFile& file : change_.adds) {
    const storage::ObjectRef object = main_->FileRef(file.path);
    object.store->Delete(object.path);
  }
}

void Consolidation::Run() {
  Choose();
  for (const int32_t file : adopted_) Adopt(file);
  Merge();
  if (change_.adds.empty() && change_.removes.empty()) return;
  change_.operation = "MERGE";
  change_.add_columns_json = added_columns_;
  workspace_->lock->Sign(&change_);
  try {
    main_->Commit(change_);
  } catch (const CommitConflict&) {
    RemoveWritten();
    throw;
  }
}

}  // namespace

void ConsolidateStaging(Workspace* workspace) {
  const storage::IndexLayout& layout = workspace->target.layout;
  FinishStagingRemoval(layout);
  const auto staging = storage::DeltaTable::Open(layout.staging());
  if (staging == nullptr) return;
  for (int attempt = 1;; ++attempt) {
    try {
      const auto main =
          storage::DeltaTable::Create(layout.main_index(), workspace->main_schema_json);
      Consolidation(workspace, staging, main).Run();
      break;
    } catch (const CommitConflict&) {
      if (attempt == kCommitTries) throw;
    }
  }
  RemoveStaging(layout, *staging);
  workspace->adoptable.clear();
}

}  // namespace ariadne::build
