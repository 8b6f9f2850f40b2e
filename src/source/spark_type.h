#pragma once

#include <memory>

#include <arrow/type_fwd.h>

namespace ariadne::source {

/// The Arrow type that stands for what Spark reads `type` as: one of the types that `FromSparkJson`
/// gives (or null). uint32 becomes int64, uint64 decimal(20,0), large_utf8 and dictionaries utf8,
/// timestamps microseconds, list kinds list; nested types member by member. nullptr: Spark has no
/// such type.
std::shared_ptr<arrow::DataType> SparkType(const arrow::DataType& type);

}  // namespace ariadne::source
