#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <stdexcept>
#include <utility>

namespace ariadne::testing {

/// The value, or an exception that fails the test.
template <typename T>
T Get(arrow::Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().ToString());
  return result.MoveValueUnsafe();
}
inline void Do(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

}  // namespace ariadne::testing
