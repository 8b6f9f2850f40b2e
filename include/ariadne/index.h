#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/operations.h"
#include "ariadne/options.h"

namespace ariadne {

namespace internal {
class IndexImpl;
}

/// Names and values of Spark's options for reading CSV or JSON files (docs/text-formats.md), such
/// as
/// {"header", "true"}. Names have no case.
using ReadOptions = std::vector<std::pair<std::string, std::string>>;

/// A kind of index and the column it is on.
struct IndexedColumn {
  enum class Kind {
    kRegular,   ///< The distinct values.
    kBloom,     ///< A Guava bloom filter of the values.
    kRange,     ///< Smallest and largest value.
    kComputed,  ///< As kRegular, of a Spark SQL expression.
    kTemporal,  ///< The distinct values, each with its newest timestamp.
    kExploded,  ///< As kRegular, of a field of the elements of an array column.
  };
  Kind kind = Kind::kRegular;
  /// The column; for kComputed and kExploded the name that queries use for the derived values.
  std::string column;
  /// False positive rate, for kBloom only.
  double fpr = 0.01;
  /// Spark SQL, for kComputed only.
  std::string expression;
  /// Path of the timestamp ("meta.updated_at"), for kTemporal only.
  std::string timestamp_column;
  /// The array column and the path of a field in its elements (empty: the elements themselves), for
  /// kExploded only.
  std::string array_column;
  std::string field_path;

  friend bool operator==(const IndexedColumn&, const IndexedColumn&) = default;
};
/// "regular", "bloom", "range", "computed", "temporal" or "exploded".
[[nodiscard]] const char* ToString(IndexedColumn::Kind kind);

/// A file that the index tracks.
struct TrackedFile {
  std::string uri;          ///< As stored in the file list.
  int64_t added_at_us = 0;  ///< Microseconds since the epoch, UTC.
  bool indexed = false;
};

/// What `AddFiles` did.
struct AddReport {
  int64_t added = 0;  ///< Files that were not tracked before.
  int64_t already_tracked = 0;
};

/// A file that an update could not index.
struct FailedFile {
  std::string uri;
  std::string error;
};

/// State of a running update, for a progress display.
struct UpdateProgress {
  int64_t files_done = 0;  ///< Indexed or failed so far.
  int64_t files_total = 0;
  int64_t bytes_done = 0;  ///< Of the data files.
  int64_t bytes_total = 0;
  const char* phase = "";  ///< "plan", "build", "consolidate"
};

struct UpdateOptions {
  /// Called from one thread at a time, at most some ten times a second, and at the end.
  std::function<void(const UpdateProgress&)> progress;
  /// A stop request ends the update at the next file boundary with Cancelled; what was staged
  /// stays and is consolidated by the next update.
  std::stop_token stop;
};

/// What `Update` did.
struct UpdateReport {
  int64_t files_indexed = 0;
  int64_t files_backfilled = 0;  ///< Indexed before, columns added now.
  std::vector<FailedFile> files_failed;
  int64_t batches = 0;
  int64_t bytes_indexed = 0;  ///< Sum of the sizes of the files indexed, in bytes.
  int64_t bytes_read = 0;     ///< Bytes that were read from the store.
  int64_t bytes_written = 0;
  double elapsed_ms = 0;
};

struct SyncOptions {
  /// Folder, glob or file that is the lake: its files that are not tracked are added, tracked files
  /// below it that are gone are dropped. Empty: only the tracked files themselves are looked at.
  std::string lake;
  /// Says what would be done and does nothing.
  bool dry_run = false;
  /// Of the update that a sync ends with.
  UpdateOptions update;
};

/// What `Sync` found, and did unless it was a dry run. URIs, each list sorted.
struct SyncReport {
  int64_t looked_at_us = 0;  ///< When the lake was looked at, microseconds since the epoch, UTC.
  std::vector<std::string> added;
  std::vector<std::string> vanished;  ///< Tracked or indexed, and not in the lake any more.
  std::vector<std::string>
      changed;  ///< Other bytes than were indexed, or not known to be the same.
  int64_t unchanged = 0;
  UpdateReport update;
};

/// Values asked of one column.
struct Probe {
  std::string column;
  /// Any Arrow array; converted exactly to the column's type. Strings are parsed as the column's
  /// type. NULLs match nothing. A value that the type cannot hold matches nothing; a value of the
  /// wrong kind is InvalidArgument.
  std::shared_ptr<arrow::Array> values;
};

/// Which index left how many files.
struct PruneStep {
  std::string column;
  std::string kind;  ///< As ToString(IndexedColumn::Kind).
  int64_t files_before = 0;
  int64_t files_after = 0;
};

/// Files that can hold the values asked for.
struct Located {
  std::vector<std::string> files;            ///< URIs as stored, sorted; un-indexed ones included.
  std::vector<std::string> unindexed_files;  ///< Tracked, not indexed, sorted.
  int64_t total_files = 0;                   ///< Tracked files.
  int64_t bytes = 0;                         ///< Size of `files`, in bytes (un-indexed ones too).
  int64_t total_bytes = 0;                   ///< Size of all tracked files whose size is known.
  int64_t index_bytes_read = 0;              ///< Read from the store to answer.
  int64_t requests = 0;                      ///< Requests to the store to answer.
  double elapsed_ms = 0;
  std::vector<PruneStep> steps;
};

/// Which side of the join the index is on decides what the join type means.
enum class JoinType { kInner, kLeft, kRight, kLeftSemi, kLeftAnti };

struct JoinOptions {
  std::vector<std::string> on;
  JoinType how = JoinType::kInner;
  /// false: the index is the left side (inner, left_semi, right).
  /// true: the keys are the left side (inner, left, left_semi, left_anti).
  bool keys_left = false;
  /// Columns of the lake to return beside the join columns, in this order; empty: all.
  std::vector<std::string> select;
  std::stop_token stop;
};

/// A joined stream and what was pruned to make it. Rows come in no particular order.
struct Joined {
  std::shared_ptr<arrow::RecordBatchReader> rows;
  Located located;
  /// How many of the files located are opened so far to read `rows`, from any thread; 0 when those
  /// are dropped.
  std::function<int64_t()> files_opened;
};

/// An index over the files of a lake.
///
/// A cheap handle: copies share state, every call works on the newest committed state, and all
/// const calls may run concurrently from any number of threads. Writers exclude each other, across
/// processes too, through the lake's locks.
class Index {
 public:
  explicit Index(std::shared_ptr<internal::IndexImpl> impl);

  [[nodiscard]] const std::string& name() const;
  /// Schema of the data files, as declared when the index was created.
  [[nodiscard]] std::shared_ptr<arrow::Schema> schema() const;
  /// "parquet", "csv" or "json"
  [[nodiscard]] std::string format() const;
  /// How CSV and JSON files are read, as Spark names it; as declared when the index was created.
  [[nodiscard]] const ReadOptions& read_options() const;
  [[nodiscard]] std::vector<IndexedColumn> columns() const;

  /// Declares an index on a top-level column, or under the name of derived values. The same
  /// declaration again is a no-op.
  /// Throws ColumnNotFound, IndexTypeConflict, UnsupportedColumn, InvalidArgument, LockTimeout.
  void AddIndex(const IndexedColumn& column);
  void AddRegular(const std::string& column);
  void AddBloom(const std::string& column, double fpr = 0.01);
  void AddRange(const std::string& column);
  /// Indexes the values of a Spark SQL expression over a row's columns under `name`, by which
  /// queries then call them. What the expression asks for beyond what is supported is named by
  /// UnsupportedColumn.
  void AddComputed(const std::string& name, const std::string& expression);
  /// Indexes a column whose values are keys of entities in several versions: of each key the row
  /// with the newest timestamp counts. `timestamp` may be a path into structs ("meta.updated_at").
  void AddTemporal(const std::string& column, const std::string& timestamp);
  /// Indexes a field of the elements of an array column under `as_column`; an empty path stands for
  /// the elements themselves.
  void AddExploded(const std::string& array_column, const std::string& field_path,
                   const std::string& as_column);

  /// Tracks files: paths, URIs, directories (all data files below) or globs, expanded now.
  /// Throws FileNotFound if one names nothing; then none was added.
  AddReport AddFiles(const std::vector<std::string>& paths);
  [[nodiscard]] std::vector<TrackedFile> Files() const;

  /// Indexes what is tracked and not indexed. Throws LockTimeout, Cancelled, StorageError; a file
  /// that cannot be read is reported, not thrown.
  UpdateReport Update(const UpdateOptions& options = {});

  /// Takes files out of the index and its file list; the data files stay. Any spelling of a name
  /// will do; names that the index does not know are reported and otherwise ignored. Throws
  /// LockTimeout, StorageError, InvalidArgument where no name is given.
  DeleteReport Delete(const std::vector<std::string>& files);
  /// Packs the small data files of the index's tables into few; answers stay the same. Throws
  /// LockTimeout, Cancelled, StorageError.
  CompactReport Compact(const CompactOptions& options = {});
  /// Removes what nothing refers to any more and no reader within the retention can need: data
  /// files of all tables, derived files, what crashes left. Throws InvalidArgument for a retention
  /// below 168 hours without `force`, LockTimeout, Cancelled, StorageError.
  VacuumReport Vacuum(const VacuumOptions& options = {});
  /// What the index holds in each column, sorted by column; empty before the first update.
  [[nodiscard]] std::vector<ColumnStatistics> Stats() const;
  /// Compares the lake with the index and makes the index follow: adds, drops and re-indexes files.
  /// A changed file counts as not indexed from the moment it is noticed. Throws FileNotFound where
  /// the lake holds no file at all, StorageError where none of the tracked files is there (as when
  /// a disk is not mounted), LockTimeout, Cancelled.
  SyncReport Sync(const SyncOptions& options = {});

  /// Files that can hold, in every probed column, one of its values. Throws ColumnNotFound for a
  /// column without an index, InvalidArgument, UnindexedFiles.
  [[nodiscard]] Located Locate(const std::vector<Probe>& probes) const;
  /// The same with the distinct values of `keys`' columns `on`.
  [[nodiscard]] Located Locate(const arrow::Table& keys, const std::vector<std::string>& on) const;

  /// Joins `keys` with the rows of the lake where all columns `on`, which both sides have by the
  /// same names, are equal.
  ///
  /// One of the columns `on` must be indexed at least: the indexed ones decide which files are
  /// read, the others are compared in the join alone.
  /// Each column of keys is first converted to the type of the lake's column, value by value and
  /// exactly, as `Probe::values` are: the double 1.0 and the text "1" find the integer 1; 1.5 finds
  /// no integer, nor 300 a tinyint; text that is no value of the type is InvalidArgument. NULL
  /// equals nothing, NaN equals NaN, -0.0 equals 0.0. Where the lake's column is a string, typed
  /// keys meet it as Spark would cast them to string: 7 as "7", never as "07" or "7.0", the double
  /// 7 as "7.0", decimal(4,2) 7 as "7.00", a date as "2024-02-29", a boolean as "true".
  ///
  /// Columns of the keys come back as they were given. With the index on the left, the join columns
  /// are the lake's (the keys' in a right join); a name that both sides have beside them gets
  /// "_right" at its second place. Throws as Locate, and UnsupportedJoin; reading the rows may fail
  /// with what Arrow's Status then says.
  [[nodiscard]] Joined Join(const std::shared_ptr<arrow::Table>& keys,
                            const JoinOptions& options) const;

 private:
  std::shared_ptr<internal::IndexImpl> impl_;
};

}  // namespace ariadne
