#include "scan/row_group_reader.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "ariadne/errors.h"
#include "duckdb/common/error_data.hpp"
#include "duckdb/common/exception.hpp"
#include "reader/struct_column_reader.hpp"
#include "scan/gone_file.h"
#include "scan/page_skipping.h"
#include "scan/plain_copy_file.h"
#include "scan/storage_file_system.h"

namespace ariadne::scan {

void RethrowForFile(const std::string& path) {
  try {
    throw;
  } catch (const std::exception& caught) {
    const duckdb::ErrorData error(caught);
    if (error.ExtraInfo().find(kGoneFile) != error.ExtraInfo().end()) throw;
    switch (error.Type()) {
      case duckdb::ExceptionType::INTERRUPT:
      case duckdb::ExceptionType::OUT_OF_MEMORY:
        throw;
      default:
        break;
    }
    std::string message = error.RawMessage();
    if (message.find("Invalid string encoding") != std::string::npos) {
      message +=
          " Write the file again, with the column as binary or its texts in UTF-8, or leave the "
          "column out: with --select, in SQL by not naming it";
    }
    if (message.find(path) != std::string::npos) throw duckdb::IOException("%s", message);
    throw duckdb::IOException("Reading \"%s\": %s", path, message);
  }
}

namespace {

using rowgroup::FileIdentity;

std::optional<FileIdentity> Identify(const RowGroupIndexing* indexing, const std::string& url) {
  if (!indexing) return std::nullopt;
  try {
    return rowgroup::IdentityNow(*indexing->stores, url);
  } catch (const Error&) {
    return std::nullopt;  // Reading the file will tell what is wrong, if it matters.
  }
}

/// Of a file that no descriptor will hold on to while it is read.
std::optional<FileIdentity> IdentifyElsewhere(const RowGroupIndexing* indexing,
                                              const std::string& url) {
  try {
    if (!indexing || indexing->stores->Resolve(url).store->is_local()) return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
  return Identify(indexing, url);
}

}  // namespace

void CommitIndexes(RowGroupLocalState& task, const RowGroupIndexing& indexing) {
  std::optional<FileIdentity> now;
  for (const auto& build : task.sealed) {
    if (!now || now->uri != build->file().uri) now = Identify(&indexing, build->file().uri);
    if (now == build->file()) {
      build->Commit();
    } else {
      build->Discard(rowgroup::DiscardReason::kFileChanged);
    }
  }
  task.sealed.clear();
}

RowGroupReader::RowGroupReader(duckdb::ClientContext& context, const duckdb::OpenFileInfo& file,
                               const duckdb::ParquetOptions& options,
                               const std::shared_ptr<RegisteredSet>& set,
                               std::unique_ptr<PlainCopyFile> copy)
    // A copy has other columns at other places than what the indexes of the file speak of.
    : RowGroupReader(context, file, options, set,
                     copy ? std::nullopt : IdentifyElsewhere(set->indexing.get(), file.path),
                     std::move(copy), std::nullopt) {}

RowGroupReader::RowGroupReader(duckdb::ClientContext& context, const duckdb::OpenFileInfo& file,
                               const duckdb::ParquetOptions& options,
                               const std::shared_ptr<RegisteredSet>& set, FileOutline outline)
    : RowGroupReader(context, file, options, set, IdentifyElsewhere(set->indexing.get(), file.path),
                     nullptr, std::move(outline)) {}

RowGroupReader::RowGroupReader(duckdb::ClientContext& context, const duckdb::OpenFileInfo& file,
                               const duckdb::ParquetOptions& options,
                               std::shared_ptr<RegisteredSet> set,
                               std::optional<FileIdentity> before,
                               std::unique_ptr<PlainCopyFile>&& copy,
                               std::optional<FileOutline> outline)
    : ParquetReader(context, file, options, outline ? outline->schema : nullptr),
      outline_(std::move(outline)),
      set_(std::move(set)),
      copy_(std::move(copy)) {
  identity_ = std::move(before);
  if (copy_) return;
  if (!outline_) ++set_->files_opened;
  const auto* local = set_->indexing ? LocalInputOf(GetHandle().GetFileHandle()) : nullptr;
  if (!local) return;
  // Its name may lead elsewhere by now, as a link does that a new version moves.
  identity_ = rowgroup::IdentityOfOpened(*local, file.path);
  opened_as_identified_ = true;
}

void RowGroupReader::UseIndexes(std::vector<IndexTarget> targets,
                                std::shared_ptr<const KnownConditions> conditions) {
  if (!identity_) return;
  targets_ = std::move(targets);
  conditions_ = std::move(conditions);
  if (opened_as_identified_) KeepOutline();
}

void RowGroupReader::KeepOutline() {
  if (!outline_ && !targets_.empty() && *opened_as_identified_) {
    set_->indexing->outlines->Keep(*identity_, *this);
  }
}

bool RowGroupReader::RuledOut() {
  if (ruled_out_ || !outline_ || targets_.empty() || identity_ != outline_->file) return ruled_out_;
  for (int32_t row_group = 0; row_group < outline_->row_groups; ++row_group) {
    if (MayHoldRows(targets_, *identity_, row_group, *set_->indexing->store)) return false;
  }
  set_->row_groups_found += outline_->row_groups;
  set_->row_groups_skipped_by_index += outline_->row_groups;
  ruled_out_ = true;
  return true;
}

void RowGroupReader::RequireNulls(
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& places,
    const duckdb::vector<duckdb::ColumnIndex>& projection,
    const std::vector<duckdb::idx_t>& columns) {
  for (const duckdb::idx_t column : columns) {
    const auto* schema = StoredColumn(*this, places, projection, column);
    if (schema) null_chunks_.push_back(schema->column_index);
  }
}

bool RowGroupReader::HoldsNullsRequired(duckdb::idx_t row_group) const {
  const auto& chunks = GetFileMetadata()->row_groups[row_group].columns;
  return std::all_of(null_chunks_.begin(), null_chunks_.end(), [&](duckdb::idx_t chunk) {
    if (chunk >= chunks.size() || !chunks[chunk].meta_data.__isset.statistics) return true;
    const auto& statistics = chunks[chunk].meta_data.statistics;
    return !statistics.__isset.null_count || statistics.null_count != 0;
  });
}

RowGroupReader::~RowGroupReader() = default;

bool RowGroupReader::TryInitializeScan(duckdb::ClientContext&,
                                       duckdb::GlobalTableFunctionState& global,
                                       duckdb::LocalTableFunctionState& local) {
  auto& next = static_cast<RowGroupGlobalState&>(global).next_row_group;
  for (; next < NumRowGroups(); ++next) {
    if (!HoldsNullsRequired(next)) {
      ++set_->row_groups_skipped_by_statistics;
      continue;
    }
    if (!IndexesRuleOut(static_cast<int32_t>(next))) {
      static_cast<RowGroupLocalState&>(local).row_group = next++;
      return true;
    }
    ++set_->row_groups_skipped_by_index;
  }
  return false;
}

bool RowGroupReader::IndexesRuleOut(int32_t row_group) {
  if (targets_.empty() || MayHoldRows(targets_, *identity_, row_group, *set_->indexing->store)) {
    return false;
  }
  // They speak of the file as it was before it was opened. (What is built is compared with the file
  // when it is committed, so that one of which nothing is known yet is looked at once less.)
  if (!opened_as_identified_) {
    opened_as_identified_ = Identify(set_->indexing.get(), identity_->uri) == identity_;
    KeepOutline();
  }
  return *opened_as_identified_;
}

void RowGroupReader::PrepareScan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState&,
                                 duckdb::LocalTableFunctionState& local) {
  auto& state = static_cast<RowGroupLocalState&>(local);
  state.observer.reset();
  try {
    InitializeScan(context, state.scan, {state.row_group});
    SkipPages(*this, state.scan);
  } catch (...) {
    RethrowForFile(GetFileName());
  }
}

void RowGroupReader::Observe(duckdb::ClientContext& context, RowGroupLocalState& state) {
  if (targets_.empty() || !set_->BuildsIndexes()) return;
  state.observer = RowGroupObserver::Start(context, *this, state.scan, targets_, *identity_,
                                           static_cast<int32_t>(state.row_group), *set_->indexing,
                                           state.hash_rooms);
}

bool RowGroupReader::StatisticsRuleOut(RowGroupLocalState& state) {
  if (!filters) return true;
  auto& root = state.scan.root_reader->Cast<duckdb::StructColumnReader>();
  const auto& chunks = GetFileMetadata()->row_groups[state.row_group].columns;
  bool has_bloom_filter = false;
  for (const auto& [local, filter] : filters->filters) {
    auto& column = root.GetChildReader(column_ids[duckdb::MultiFileLocalIndex(local)]);
    const auto statistics = column.Stats(state.row_group, chunks);
    if (statistics && filter->CheckStatistics(*statistics) ==
                          duckdb::FilterPropagateResult::FILTER_ALWAYS_FALSE) {
      return true;
    }
    const auto chunk = column.ColumnIndex();
    has_bloom_filter |=
        chunk < chunks.size() && chunks[chunk].meta_data.__isset.bloom_filter_offset;
  }
  return !has_bloom_filter;
}

duckdb::AsyncResult RowGroupReader::Scan(duckdb::ClientContext& context,
                                         duckdb::GlobalTableFunctionState&,
                                         duckdb::LocalTableFunctionState& local,
                                         duckdb::DataChunk& chunk) {
  auto& state = static_cast<RowGroupLocalState&>(local);
  auto& scan = state.scan;
  const auto offset = scan.offset_in_group;
  try {
    if (state.observer) {
      state.observer->Scan(*this, scan, chunk);
      set_->rows_read += static_cast<int64_t>(scan.offset_in_group - offset);
      if (static_cast<int64_t>(scan.offset_in_group) >=
          GetFileMetadata()->row_groups[state.row_group].num_rows) {
        for (auto& build : state.observer->Finish()) state.sealed.push_back(std::move(build));
        state.observer.reset();
      }
      return duckdb::SourceResultType::HAVE_MORE_OUTPUT;
    }
    const auto group = scan.current_group;
    const auto read = scan.row_groups_scanned;
    auto result = ParquetReader::Scan(context, scan, chunk);
    if (scan.current_group == group) {
      set_->rows_read += static_cast<int64_t>(scan.offset_in_group - offset);
    } else if (!scan.finished) {
      // The reader has just turned to the row group and checked its statistics.
      const bool survived = scan.row_groups_scanned > read;
      if (survived) {
        ++set_->row_groups_read;
        Observe(context, state);
      } else if (StatisticsRuleOut(state)) {
        ++set_->row_groups_skipped_by_statistics;
      } else {
        ++set_->row_groups_skipped_by_bloom_filter;
      }
    }
    return result;
  } catch (...) {
    if (state.observer) state.observer->Discard(rowgroup::DiscardReason::kFailed);
    for (const auto& build : state.sealed) build->Discard(rowgroup::DiscardReason::kFailed);
    RethrowForFile(GetFileName());
  }
}

void RowGroupReader::FinishFile(duckdb::ClientContext&, duckdb::GlobalTableFunctionState& global) {
  static_cast<RowGroupGlobalState&>(global).next_row_group = 0;
}

}  // namespace ariadne::scan
