#pragma once

#include "query/row_probe.h"

namespace ariadne::query {

/// Clears the rows of a temporal column that do not hold the newest version of any of the values.
/// Newest is the greatest timestamp over all rows of `masks`, NULL being older than any; of files
/// that tie it is the first by name (in canonical form), as a join takes the first row there. So
/// `masks` are all tracked files: what other columns rule out must not hide a newer version.
///
/// Rows of which nothing is known stay, and rule out no other: an older version counts as
/// superseded only by one that is known to be there.
void ProbeNewest(const ColumnAsk& ask, const ProbeSite& site, RowMasks& masks);

}  // namespace ariadne::query
