#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "ariadne/options.h"
#include "query/index_state.h"
#include "rowgroup/index_service.h"
#include "rowgroup/row_group_options.h"

namespace ariadne::spark {

/// What a query asks of a column.
struct Condition {
  enum class Kind { kIn, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
  std::string column;
  Kind kind = Kind::kIn;
  /// One, but for kIn. Converted exactly to the column's type; NULLs are no values.
  std::shared_ptr<arrow::Array> values;
};

/// A file to read, by its name as stored. Bytes; -1: unknown.
using NamedFile = std::pair<std::string, int64_t>;

/// Rows to read of some files.
struct RowRequest {
  /// Of the files or derived, in the order of the result. Those exploded ones that are named repeat
  /// a row for each element.
  std::vector<std::string> columns;
  /// Temporal columns for which the result has, after all others, the timestamp of each row, as
  /// `_ariadne_version_0` and so on.
  std::vector<std::string> versions;
  /// The result has, after `columns`, the canonical name of the row's file (`_ariadne_file`) and
  /// the row's place in it (`_ariadne_row`).
  bool with_places = false;
  /// Only rows that in all columns `on` equal one of these; nullptr: all.
  std::shared_ptr<arrow::Table> keys;
  std::vector<std::string> on;
  /// SQL; empty: all rows.
  std::string where;
};

/// One index as a process sees it that does a part of a distributed update or query. Keeps what it
/// has opened for the next part. Thread-safe.
class IndexWorker {
 public:
  /// Throws as Lake and Lake::Open.
  IndexWorker(const std::string& root, const std::string& index, const Options& options,
              const rowgroup::RowGroupOptions& row_groups = {});
  ~IndexWorker();

  /// Visits the files of a share, see build::DistributedUpdate.
  [[nodiscard]] std::string BuildShare(const std::string& share, const std::stop_token& stop) const;

  /// Data files of which the index consists, and roughly how many files it tracks.
  struct Parts {
    std::vector<std::string> main_index;
    std::vector<std::string> file_list;
    int64_t files = 0;
    /// False: no file list, the rows of the main index are what is tracked.
    bool has_list = false;
  };
  [[nodiscard]] Parts ListParts() const;

  /// Files that can hold, in every probed column, one of its values, as Index::Locate; and beside
  /// them those that a join on a temporal column must see, since they hold newer versions. Columns
  /// `file` (as stored), `size` (bytes; -1: unknown), `superseding` (true for the latter).
  [[nodiscard]] std::shared_ptr<arrow::RecordBatch> Locate(const std::vector<Probe>& probes) const;
  /// Files that can hold rows of which all conditions are true, in all their versions. As Locate.
  [[nodiscard]] std::shared_ptr<arrow::RecordBatch> Select(
      const std::vector<Condition>& conditions) const;

  // Parts of a Locate. A part that a rewrite has replaced since it was listed is answered for by
  // the whole index, which is more than was asked and never less.

  /// The rows of these data files of the main index that may match: `key` (canonical name), `file`,
  /// `size`. A probe of a temporal column is answered right only over all of them.
  [[nodiscard]] std::shared_ptr<arrow::RecordBatch> Candidates(
      const std::vector<std::string>& parts, const std::vector<Probe>& probes) const;
  /// Every row of these data files of the main index: `key`.
  [[nodiscard]] std::shared_ptr<arrow::RecordBatch> Names(
      const std::vector<std::string>& parts) const;
  /// Entries of these data files of the file list: `key`, `file`.
  [[nodiscard]] std::shared_ptr<arrow::RecordBatch> Tracked(
      const std::vector<std::string>& parts) const;
  /// What stands in the file list and is no file of the main index: folders and globs expanded,
  /// sizes asked for. `key`, `file`, `size`.
  [[nodiscard]] std::shared_ptr<arrow::RecordBatch> Unindexed(
      const std::vector<std::string>& entries) const;

  /// Spark StructType JSON of the rows of a request.
  [[nodiscard]] std::string RowSchema(const RowRequest& request) const;
  /// Streams rows of files. Throws as Index::Join.
  [[nodiscard]] std::shared_ptr<arrow::RecordBatchReader> Read(const std::vector<NamedFile>& files,
                                                               const RowRequest& request,
                                                               std::stop_token stop) const;
  /// What the row-group indexes of this process have done so far; zeros where they are off.
  [[nodiscard]] rowgroup::StoreCounters RowGroupCounters() const;
  /// Values as those of the lake's column, one by one and exactly; NULL where one is none that its
  /// type can hold. Throws InvalidArgument for a value of the wrong kind.
  [[nodiscard]] std::shared_ptr<arrow::Array> ConvertKeys(
      const std::string& column, const std::shared_ptr<arrow::Array>& values) const;

 private:
  struct MainParts;
  MainParts LoadParts(const std::vector<std::string>& parts) const;
  [[nodiscard]] std::shared_ptr<arrow::Schema> RowArrowSchema(const RowRequest& request) const;

  std::shared_ptr<internal::LakeImpl> lake_;
  std::shared_ptr<internal::IndexImpl> index_;
  std::unique_ptr<rowgroup::IndexService> row_groups_;  ///< nullptr: off.
  std::unique_ptr<query::SessionPool> sessions_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const query::MainIndex> loaded_;  ///< What the last part was asked of.
};

}  // namespace ariadne::spark
