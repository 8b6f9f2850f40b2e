#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "build/computed_column.h"

namespace ariadne::engine {
class Session;
}

namespace ariadne::query {

/// The rows of the lake as a join sees them: with the columns that are derived, without the rows
/// that a newer version supersedes.
struct LakeRelation {
  struct Function {
    std::string name;  ///< Of the SQL function.
    std::shared_ptr<const build::ComputedColumn> expression;
    arrow::FieldVector arguments;
  };
  std::shared_ptr<arrow::Schema> schema;
  /// SELECT over `kLakeFiles` and `kKeys` (session_pool.h) that has the columns of `schema`, and
  /// some more.
  std::string sql;
  std::vector<Function> functions;  ///< That `sql` calls.
  /// Columns of `sql`, where it tells places: of the row's file among those that are read, and of
  /// the row in its file. No column of the lake is called so.
  std::string file_place;
  std::string row_place;
  bool keeps_newest = false;  ///< A temporal column is joined on.
};

/// SQL for what a path ("meta.updated_at") from a top-level column leads to, NULL where a struct on
/// the way is. Throws ColumnNotFound.
std::string PathSql(const std::string& path, const arrow::Schema& schema);

/// See JoinLake. `columns`: all that are declared; `files`: schema of the data files. Throws
/// UnsupportedColumn for an expression that cannot be computed here.
LakeRelation MakeLakeRelation(const std::vector<IndexedColumn>& columns, const arrow::Schema& files,
                              const JoinOptions& options);
/// All versions of the rows, with the derived columns that `named` names. `with_places`: and, under
/// `file_place` and `row_place`, beside `schema`, where a row lies. Throws as above.
LakeRelation MakeAllVersions(const std::vector<IndexedColumn>& columns, const arrow::Schema& files,
                             const std::vector<std::string>& named, bool with_places);

/// Makes the relation's functions known to the session.
void RegisterFunctions(const LakeRelation& lake, engine::Session& session);

}  // namespace ariadne::query
