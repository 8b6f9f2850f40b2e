#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "source/file_uri.h"

namespace ariadne::source {

/// `schema` and the partition columns of `uri`, typed by Spark's inference (int, long, decimal,
/// double, date, timestamp, string, in this order). A column that the files have too keeps its
/// place and takes the partition's type, as in Spark.
std::shared_ptr<arrow::Schema> WithPartitionColumns(const std::shared_ptr<arrow::Schema>& schema,
                                                    std::string_view uri);

/// A partition value as a scalar of `type`, parsed as Spark's cast from string parses it,
/// timestamps in UTC. NULL where the folder says so. Throws InvalidFile, naming `uri`, for text
/// that is no such value.
std::shared_ptr<arrow::Scalar> PartitionScalar(const PartitionValue& value,
                                               const std::shared_ptr<arrow::DataType>& type,
                                               const std::string& uri);

}  // namespace ariadne::source
