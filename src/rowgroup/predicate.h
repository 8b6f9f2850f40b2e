#pragma once

#include <vector>

#include "rowgroup/value.h"

namespace ariadne::rowgroup {

/// What a row group is asked: whether it may hold a value for which this is true. NaN is greater
/// than every other double and equals itself, as in the engine.
struct Predicate {
  enum class Op {
    kIn,  ///< Equals one of `values`; of none: nothing does.
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kIsNull,
    kIsNotNull,
  };
  Op op = Op::kIn;
  std::vector<Value> values;  ///< One for comparisons, none for the NULL tests.
};

}  // namespace ariadne::rowgroup
