#include "engine/spark_functions.h"

namespace ariadne::engine {

const SparkFunctions& AllSparkFunctions() {
  static const SparkFunctions kFunctions = [] {
    SparkFunctions functions;
    AddArithmetic(functions);
    AddRounding(functions);
    AddComparisons(functions);
    AddConditions(functions);
    AddStrings(functions);
    AddSplit(functions);
    AddHashes(functions);
    AddDateParts(functions);
    AddDateTexts(functions);
    AddJson(functions);
    return functions;
  }();
  return kFunctions;
}

SparkNodePtr BindCall(const std::string& name, const SparkNodes& arguments) {
  const auto found = AllSparkFunctions().find(name);
  if (found == AllSparkFunctions().end()) {
    throw UnsupportedSpark("the function '" + name + "' is not supported");
  }
  const SparkFunction& function = found->second;
  if (arguments.size() < function.least || arguments.size() > function.most) {
    throw UnsupportedSpark("'" + name + "' does not take " + std::to_string(arguments.size()) +
                           " arguments");
  }
  return function.bind(arguments);
}

}  // namespace ariadne::engine
