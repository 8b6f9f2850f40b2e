#pragma once

#include <map>
#include <string>

#include "engine/spark_node.h"

namespace ariadne::engine {

/// How a function or an operator of SparkSyntax is typed and computed.
struct SparkFunction {
  static constexpr size_t kAnyNumber = SIZE_MAX;

  size_t least = 0;  ///< Fewest arguments.
  size_t most = 0;   ///< Most arguments, or kAnyNumber.
  /// Throws UnsupportedSpark for arguments that Spark refuses or that are not supported.
  SparkNodePtr (*bind)(const SparkNodes& arguments) = nullptr;
};

using SparkFunctions = std::map<std::string, SparkFunction>;

// One family each; `AllSparkFunctions` gathers them.
void AddArithmetic(SparkFunctions& functions);
void AddRounding(SparkFunctions& functions);
void AddComparisons(SparkFunctions& functions);
void AddConditions(SparkFunctions& functions);
void AddStrings(SparkFunctions& functions);
void AddSplit(SparkFunctions& functions);
void AddHashes(SparkFunctions& functions);
void AddDateParts(SparkFunctions& functions);
void AddDateTexts(SparkFunctions& functions);
void AddJson(SparkFunctions& functions);

const SparkFunctions& AllSparkFunctions();

/// Binds a call. Throws UnsupportedSpark naming a function that there is not and the number of
/// arguments that it takes.
SparkNodePtr BindCall(const std::string& name, const SparkNodes& arguments);

}  // namespace ariadne::engine
