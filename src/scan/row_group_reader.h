#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "duckdb/common/multi_file/multi_file_states.hpp"
#include "parquet_reader.hpp"
#include "scan/file_outlines.h"
#include "scan/file_sets.h"
#include "scan/row_group_observer.h"

namespace ariadne::scan {

/// Shared by the threads of one scan: which row group of the open file comes next. Guarded by the
/// lock that the engine holds around TryInitializeScan and FinishFile.
struct RowGroupGlobalState : duckdb::GlobalTableFunctionState {
  explicit RowGroupGlobalState(duckdb::MultiFileGlobalState& of) : scan(of) {}
  duckdb::MultiFileGlobalState& scan;  ///< Which holds this.
  duckdb::idx_t next_row_group = 0;
  arrow::FieldVector columns;  ///< Those of the set's schema that the scan reads.
};

struct RowGroupLocalState : duckdb::LocalTableFunctionState {
  duckdb::ParquetReaderScanState scan;
  duckdb::idx_t row_group = 0;
  rowgroup::HashRooms hash_rooms;              ///< Of its builds.
  std::unique_ptr<RowGroupObserver> observer;  ///< Of the row group, where it is to be indexed.
  /// Of row groups that this task has read to their end. They become known when the task has ended
  /// well; a task that is dropped before drops them.
  std::vector<std::unique_ptr<rowgroup::RowGroupBuild>> sealed;
};

class PlainCopyFile;

/// Makes known what the task has built, but of files that were overwritten since.
void CommitIndexes(RowGroupLocalState& task, const RowGroupIndexing& indexing);

/// The engine's Parquet reader over one file of a set. Each row group is a task of its own:
/// TryInitializeScan hands it out (here is where other indexes can drop one), PrepareScan opens it,
/// Scan gives its rows. Errors name the file.
class RowGroupReader : public duckdb::ParquetReader {
 public:
  /// `copy`: what `file` opens where that is a copy; it lives as long as the reader.
  RowGroupReader(duckdb::ClientContext& context, const duckdb::OpenFileInfo& file,
                 const duckdb::ParquetOptions& options, const std::shared_ptr<RegisteredSet>& set,
                 std::unique_ptr<PlainCopyFile> copy = nullptr);
  /// Of a file of which no more than the outline is read: to ask RuledOut once its columns are
  /// mapped.
  RowGroupReader(duckdb::ClientContext& context, const duckdb::OpenFileInfo& file,
                 const duckdb::ParquetOptions& options, const std::shared_ptr<RegisteredSet>& set,
                 FileOutline outline);
  ~RowGroupReader() override;

  /// Whether the file is still the one outlined, and indexes say that it holds no row that is
  /// wanted. What was true once stays true.
  bool RuledOut();

  bool TryInitializeScan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& global,
                         duckdb::LocalTableFunctionState& local) override;
  void PrepareScan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& global,
                   duckdb::LocalTableFunctionState& local) override;
  duckdb::AsyncResult Scan(duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& global,
                           duckdb::LocalTableFunctionState& local,
                           duckdb::DataChunk& chunk) override;
  void FinishFile(duckdb::ClientContext& context,
                  duckdb::GlobalTableFunctionState& global) override;

  /// Asks, and where the set's size allows builds, row-group indexes for `targets` (see
  /// IndexTargets), which point into `conditions`.
  void UseIndexes(std::vector<IndexTarget> targets,
                  std::shared_ptr<const KnownConditions> conditions);
  /// Leaves out row groups of which the statistics say that one of these declared columns is never
  /// NULL. `places` and `projection` as for IndexTargets.
  void RequireNulls(const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& places,
                    const duckdb::vector<duckdb::ColumnIndex>& projection,
                    const std::vector<duckdb::idx_t>& columns);

 private:
  /// `before`: a file elsewhere, as it was before it was opened.
  RowGroupReader(duckdb::ClientContext& context, const duckdb::OpenFileInfo& file,
                 const duckdb::ParquetOptions& options, std::shared_ptr<RegisteredSet> set,
                 std::optional<rowgroup::FileIdentity> before,
                 std::unique_ptr<PlainCopyFile>&& copy, std::optional<FileOutline> outline);
  void Observe(duckdb::ClientContext& context, RowGroupLocalState& state);
  /// Whether the statistics of the row group alone rule it out.
  bool StatisticsRuleOut(RowGroupLocalState& state);
  /// Remembers what a later query need not read again.
  void KeepOutline();
  /// Whether what is known of the file's bytes says that none of the row group's rows are wanted.
  bool IndexesRuleOut(int32_t row_group);
  [[nodiscard]] bool HoldsNullsRequired(duckdb::idx_t row_group) const;
  /// What was opened, on a local disk; elsewhere what was there just before. nullopt: nobody can
  /// tell.
  std::optional<rowgroup::FileIdentity> identity_;
  std::optional<bool> opened_as_identified_;  ///< Where somebody had to know.
  std::optional<FileOutline> outline_;        ///< All that was read.
  bool ruled_out_ = false;
  std::vector<IndexTarget> targets_;
  std::shared_ptr<const KnownConditions> conditions_;
  std::vector<duckdb::idx_t> null_chunks_;  ///< Column chunks of which rows must hold NULL.
  std::shared_ptr<RegisteredSet> set_;
  std::unique_ptr<PlainCopyFile> copy_;
};

/// Rethrows what is in flight so that it names the file, and so that a damaged file never counts
/// as an internal error of the engine, which would end the whole database.
[[noreturn]] void RethrowForFile(const std::string& path);

}  // namespace ariadne::scan
