#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "engine/table_reader.h"
#include "scan/file_scan.h"
#include "scan/row_group_indexing.h"
#include "storage/object_store.h"

namespace ariadne::engine {

struct SessionOptions {
  int64_t memory_bytes = 0;  ///< DuckDB's memory_limit; past it, it spills.
  int threads = 0;
  std::string spill_folder;  ///< Empty: a fresh folder below the system's temporary one.
  /// Row-group indexes of the session's scans, over the session's own stores; nullptr: none.
  std::shared_ptr<const scan::RowGroupIndexing> row_groups;
};

/// A function of rows: gives an array with a value a row. Called from several threads at once.
using RowFunction =
    std::function<std::shared_ptr<arrow::Array>(const arrow::RecordBatch& arguments)>;

/// Turns the Status of reading a result into what Query would have thrown: Cancelled, FileNotFound
/// (a file to read is gone) or QueryError.
void ThrowIfFailed(const arrow::Status& status);

/// An embedded DuckDB: one database, one connection a query. Opened only where SQL runs, since it
/// takes tens of milliseconds. Its file system reads through `storage`. Thread-safe.
/// Errors of DuckDB become QueryError (Cancelled after a stop request, FileNotFound where a file of
/// a set is gone) with DuckDB's first line.
class Session {
 public:
  Session(const SessionOptions& options, std::shared_ptr<storage::Stores> stores);
  ~Session();

  /// Makes `SELECT * FROM {name}` read the files. Parquet: rows come row group by row group from
  /// DuckDB's reader, with projection and filters pushed in. CSV and JSON: as Spark reads them,
  /// with projection pushed in. Dropped with the session. Throws InvalidArgument for a format or a
  /// read option that is not supported, UnsupportedColumn for a type that a text cannot hold.
  void RegisterFiles(const std::string& name, std::shared_ptr<const scan::FileSet> files);
  /// What stands for files so registered in FROM where their rows' places are wanted too:
  /// as the view, with `file_index` (place in the set) and `file_row_number` (place in the file),
  /// unless the files have columns of these names. Neither is part of `*`.
  [[nodiscard]] static std::string ScanOf(const std::string& name);
  /// Makes `{name}(…)` in SQL call `function`, with a batch of columns of these types in this order
  /// (names and what Arrow calls inner fields are the engine's); it gives values of exactly
  /// `result`'s type. What it throws fails the query. Dropped with the session.
  void RegisterFunction(const std::string& name, const arrow::Schema& arguments,
                        const std::shared_ptr<arrow::Field>& result, RowFunction function);
  /// Makes an Arrow table a relation.
  void RegisterTable(const std::string& name, const std::shared_ptr<arrow::Table>& table);
  [[nodiscard]] scan::ScanMetrics Metrics(const std::string& name) const;

  /// Streams the result: memory stays within the session's limit whatever its size. Types as in
  /// ArrowSchema of the lake: timestamps with zone are timestamp[us, UTC].
  std::shared_ptr<arrow::RecordBatchReader> Query(const std::string& sql,
                                                  std::stop_token stop = {});
  /// Reads a Parquet, CSV or JSON file whole: engine::ReadTable.
  std::shared_ptr<arrow::Table> ReadTable(const std::string& url,
                                          const WrittenColumns& written = {},
                                          const std::string& delimiter = "");
  /// Writes a stream to a local or remote file by suffix: .parquet, .csv, .json
  /// (newline-delimited).
  static void WriteTable(const std::string& url, arrow::RecordBatchReader& rows,
                         const storage::Stores& stores);

  /// Quotes an identifier / a string literal for SQL.
  static std::string Quote(const std::string& identifier);
  static std::string Literal(const std::string& text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::engine
