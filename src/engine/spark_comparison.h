#pragma once

#include "engine/spark_node.h"

namespace ariadne::engine {

/// Order of two values as Spark has it: -0.0 is 0.0, NaN is itself and greater than all else,
/// strings and binary by bytes. One a row; both columns have `type`.
class SparkOrder {
 public:
  /// Throws UnsupportedSpark for arrays, structs and maps.
  explicit SparkOrder(const SparkType& type);
  /// Negative, zero or positive. Neither value is NULL.
  int operator()(const arrow::Array& a, const arrow::Array& b, int64_t row) const {
    return compare_(a, b, row);
  }

 private:
  int (*compare_)(const arrow::Array& a, const arrow::Array& b, int64_t row) = nullptr;
};

}  // namespace ariadne::engine
