#pragma once

#include <string>
#include <vector>

#include "engine/spark_node.h"

namespace ariadne::engine {

// Spark's implicit conversions of types, those of `spark.sql.ansi.enabled=false`.

bool IsNullType(const SparkType& type);
bool IsString(const SparkType& type);
bool IsBinary(const SparkType& type);
bool IsBoolean(const SparkType& type);
bool IsInteger(const SparkType& type);  ///< 8 to 64 bits.
bool IsFloating(const SparkType& type);
bool IsDecimal(const SparkType& type);
bool IsNumeric(const SparkType& type);
bool IsDate(const SparkType& type);
bool IsTimestamp(const SparkType& type);     ///< With or without a zone.
bool IsTimestampNtz(const SparkType& type);  ///< Without.
bool IsAtomic(const SparkType& type);
bool SameType(const SparkType& a, const SparkType& b);

int PrecisionOf(const SparkType& decimal);
int ScaleOf(const SparkType& decimal);
/// Both cut to 38.
SparkType BoundedDecimal(int precision, int scale);
/// Past 38 digits fractional digits are given up for whole ones, down to six.
SparkType AdjustedDecimal(int precision, int scale);
/// The decimal that holds every value of an integer type; the narrowest one for a literal.
SparkType DecimalOf(const SparkNode& node);
/// Holds the values of both.
SparkType WiderDecimal(const SparkType& a, const SparkType& b);

/// timestamp with zone, as Spark's TimestampType: microseconds, UTC.
SparkType TimestampType();

/// Spark's name of the type, "unknown" for NULL's.
std::string TypeName(const SparkType& type);

/// The type that values of all of them are given: of IF, CASE, COALESCE and IN. nullptr: none.
SparkType CommonType(const SparkNodes& nodes);
/// The type that two numbers, or NULL or alike types, meet in without loss; nullptr: none.
SparkType TightestType(const SparkType& a, const SparkType& b);

/// `node` with the type that a function wants, where Spark converts by itself: any atomic value to
/// a string; strings to numbers, dates, timestamps, binary; numbers among themselves; dates and
/// timestamps. Throws UnsupportedSpark naming `function`.
SparkNodePtr Coerce(const SparkNodePtr& node, const SparkType& wanted, const std::string& function);
/// The same for a function that takes one of several types: an exact one first, else the first that
/// fits.
SparkNodePtr CoerceToOneOf(const SparkNodePtr& node, const std::vector<SparkType>& wanted,
                           const std::string& function);

}  // namespace ariadne::engine
