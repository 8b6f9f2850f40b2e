#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

namespace ariadne::query {

/// `first`, the schema of the first file, and the Hive partition columns of all `uris`. A partition
/// column gets the narrowest type that holds its value in every folder: int widens to bigint,
/// decimal or double, bigint to decimal, other mixtures are text, as in Spark.
std::shared_ptr<arrow::Schema> WithAllPartitionColumns(const std::shared_ptr<arrow::Schema>& first,
                                                       const std::vector<std::string>& uris);

}  // namespace ariadne::query
