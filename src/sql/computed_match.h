#pragma once

// Includes the engine's headers: for the sources of this part only.

#include <functional>
#include <string>

#include "duckdb/planner/expression.hpp"
#include "engine/spark_syntax.h"

namespace ariadne::sql {

/// The column that a reference names; empty where it is none of the data files.
using ColumnName = std::function<std::string(const duckdb::Expression& reference)>;

/// True if the engine's expression has, for every row, the value of the Spark expression. Only
/// functions on which both agree for all values are known: parts of dates, casts to date,
/// substring, left, length, and the remainder of integers. `utc`: the session's time zone is UTC
/// and its calendar Gregorian, in which computed columns are.
bool IsSameExpression(const duckdb::Expression& expression, const engine::SparkSyntax& spark,
                      bool utc, const ColumnName& column_name);

/// True for the year of a timestamp with time zone: the engine counts those before year 1 as years
/// BC, 1 and upwards, where Spark counts on below 1. IsSameExpression takes it as the same all the
/// same where nothing is made of it.
bool CountsYearsByEra(const duckdb::Expression& expression);

}  // namespace ariadne::sql
