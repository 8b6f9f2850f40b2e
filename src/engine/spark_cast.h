#pragma once

#include <string>

#include "engine/spark_node.h"

namespace ariadne::engine {

/// CAST without ANSI: what cannot be converted is NULL, integers wrap. `node` itself where it has
/// the type. Throws UnsupportedSpark for pairs of types that Spark refuses or that are not
/// supported.
SparkNodePtr Cast(const SparkNodePtr& node, const SparkType& type);
/// TRY_CAST: as ANSI casts, NULL where those fail.
SparkNodePtr TryCast(const SparkNodePtr& node, const SparkType& type);

/// A type as a cast names it: "int", "decimal(10,2)". Throws UnsupportedSpark.
SparkType ParseSparkType(const std::string& text);

}  // namespace ariadne::engine
