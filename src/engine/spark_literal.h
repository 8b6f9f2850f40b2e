#pragma once

#include "engine/spark_node.h"
#include "engine/spark_text.h"

namespace ariadne::engine {

/// A literal with Spark's type: integers the narrowest of int, bigint and decimal that holds them,
/// or as their suffix says (L, S, Y, F, D, BD), fractions decimals, exponents doubles. Throws
/// UnsupportedSpark for numbers, dates and timestamps that there are not.
SparkNodePtr BindLiteral(const SparkLiteral& literal);

}  // namespace ariadne::engine
