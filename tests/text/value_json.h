#pragma once

#include <cstdint>

#include <arrow/type_fwd.h>
#include <nlohmann/json_fwd.hpp>

namespace ariadne::text {

/// A value as tests/text/spark/SparkTextRows.scala writes it. Entries of a map in order of keys.
nlohmann::json ValueJson(const arrow::Array& array, int64_t row);

/// The type of a schema in DDL as Spark has it: "a int, b array<struct<x:string>>".
std::shared_ptr<arrow::Schema> SchemaOfDdl(const std::string& ddl);

}  // namespace ariadne::text
