#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

namespace ariadne::engine {

/// The members `names` of JSON objects, one a row of `records`, as texts: strings as they are,
/// numbers with every digit that is written, `true` and `false`; NULL where there is null or no
/// such member. An array a name. Throws QueryError where one is a list or an object.
std::vector<std::shared_ptr<arrow::Array>> WrittenMembers(const arrow::ChunkedArray& records,
                                                          const std::vector<std::string>& names);

}  // namespace ariadne::engine
