#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "index/bounds_probe.h"
#include "query/lake_snapshot.h"
#include "query/row_probe.h"

namespace ariadne::query {

/// What a query asks of a row, as far as an index can judge it: conditions on indexed columns,
/// joined by AND and OR. What no index can judge is kAny. A condition is never true of NULL.
struct RowCondition {
  enum class Kind {
    kAny,     ///< May be true of any row.
    kNever,   ///< True of no row.
    kIn,      ///< The column's value is one of `values`.
    kWithin,  ///< It lies within `bounds`.
    kAnd,     ///< All of `parts`.
    kOr,      ///< One of `parts`.
  };
  Kind kind = Kind::kAny;
  std::string text;    ///< As the query has it, for reports.
  std::string column;  ///< Name of an indexed column; of kIn and kWithin.
  /// Of the column's type, NULLs are ignored.
  std::shared_ptr<arrow::Array> values;
  index::ValueBounds bounds;
  std::vector<RowCondition> parts;

  [[nodiscard]] bool can_prune() const { return kind != Kind::kAny; }
};

/// `a` and `b`: of kAnd where both say something.
RowCondition And(RowCondition a, RowCondition b);
/// One of `parts`; kAny if one of them is.
RowCondition Or(std::vector<RowCondition> parts);

/// What one condition left.
struct SelectionStep {
  std::string condition;  ///< As the query has it.
  std::string index;      ///< "regular index on tailnum"; of an OR all of its indexes.
  int64_t files_before = 0;
  int64_t files_after = 0;
};

/// Files of a snapshot that may hold rows which a query wants: rows of the main index, and all
/// tracked files that are not indexed.
struct FileSelection {
  RowMasks rows;
  std::vector<SelectionStep> steps;
};

FileSelection SelectAll(const LakeSnapshot& snapshot);

/// Clears the files of which the condition is true of no row. What cannot be read, or is not
/// indexed, stays. Of a temporal column only a key's newest version counts. Throws ColumnNotFound
/// where the condition names a column without an index.
void Narrow(const LakeSnapshot& snapshot, const RowCondition& condition, FileSelection& selection);

/// Files of the selection, each once.
int64_t CountFiles(const LakeSnapshot& snapshot, const FileSelection& selection);
/// The same to be scanned.
std::vector<scan::ScanFile> ScanFilesOf(const LakeSnapshot& snapshot,
                                        const FileSelection& selection);
/// Bytes of the selection's files, as far as they are known.
int64_t SizeOf(const LakeSnapshot& snapshot, const FileSelection& selection);

}  // namespace ariadne::query
