#pragma once

#include <string>

#include "engine/spark_node.h"

namespace ariadne::engine {

/// Field of a struct, or of each struct of an array, by name without regard to case. NULL where the
/// struct is. Throws UnsupportedSpark.
SparkNodePtr FieldNode(const SparkNodePtr& of, const std::string& name);

/// Element of an array, counted from 0; NULL past its ends. Throws UnsupportedSpark.
SparkNodePtr ElementNode(const SparkNodePtr& of, const SparkNodePtr& index);

}  // namespace ariadne::engine
