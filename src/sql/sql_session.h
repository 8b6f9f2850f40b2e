#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/options.h"
#include "rowgroup/row_group_options.h"
#include "sql/pruning_log.h"

namespace ariadne::sql {

/// SQL over a lake: an embedded database to which the root is attached as `lake`, the default one;
/// every index is a table of it. `memory` is there for tables and views of the session's own.
/// One query at a time: what one sets or prepares, the next one finds. A stream ends with the next
/// query.
class SqlSession {
 public:
  /// `row_groups`: which row-group indexes the session's queries build and use; faults of their
  /// table are told on standard error.
  SqlSession(const std::string& root, const Options& options,
             const rowgroup::RowGroupOptions& row_groups = {});
  ~SqlSession();

  /// Runs one or several statements in turn and streams the rows of the last. Throws QueryError,
  /// Cancelled; reads return ExecutionError, Cancelled. `rows_wanted`: a last statement that gives
  /// no rows, as CREATE VIEW, is not run; throws InvalidArgument.
  std::shared_ptr<arrow::RecordBatchReader> Query(const std::string& statements,
                                                  std::stop_token stop = {},
                                                  bool rows_wanted = false);
  /// Makes a copy of the table a relation of that name, which hides an index of the same name.
  /// Throws QueryError for types that the engine lacks.
  void AddTable(const std::string& name, const arrow::Table& table);
  /// Percent of the running query that is done, about; below 0: not known. Any thread may ask.
  [[nodiscard]] double Progress() const;
  /// What scans have read so far.
  [[nodiscard]] std::vector<ScanReport> Reports() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ariadne::sql
