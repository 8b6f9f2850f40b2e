#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "ariadne/index.h"
#include "query/index_state.h"

namespace ariadne::query {

/// See Index::Join. Columns of the result, as Spark's `join(df, usingColumns)` orders them:
///
/// 1. the join columns, once, from the side whose rows the join keeps: with the keys' types where
///    the keys are on the left or the join is a right one, else with the lake's;
/// 2. the other columns of the left side, 3. those of the right side; a semi or anti join has the
///    left side's alone. `select` limits the lake's.
///
/// The lake's columns are those of the files, then the computed ones, then those exploded ones that
/// `on` or `select` names: such a one repeats a row for each element, and drops a row without any;
/// several are combined each with each. Joined on a temporal column, of the lake's rows only the
/// newest of each key is there (of equal timestamps the first row of the first file by name, NULL
/// being the oldest); several temporal columns are each decided over all rows.
///
/// A name that is there already gets "_right", as often as needed: it comes from the right side,
/// and no file format but Spark's own frames holds two columns of one name.
Joined JoinLake(const internal::IndexImpl& index, const std::shared_ptr<arrow::Table>& keys,
                const JoinOptions& options);

}  // namespace ariadne::query
