#pragma once

#include <string>
#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>

#include "ariadne/errors.h"

namespace ariadne::query {

/// Turns Arrow's failure into the error class `E`; `what` says what was tried, on what.
template <typename E = Error>
void Check(const arrow::Status& status, const std::string& what) {
  if (!status.ok()) throw E(what + ": " + status.message());
}

template <typename E = Error, typename T>
T Check(arrow::Result<T> result, const std::string& what) {
  if (!result.ok()) throw E(what + ": " + result.status().message());
  return std::move(result).MoveValueUnsafe();
}

}  // namespace ariadne::query
