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
/// A name that is there already gets "_right", as often as needed: it comes from the right side,
/// and no file format but Spark's own frames holds two columns of one name.
Joined JoinLake(const internal::IndexImpl& index, const std::shared_ptr<arrow::Table>& keys,
                const JoinOptions& options);

}  // namespace ariadne::query
