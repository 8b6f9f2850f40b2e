#pragma once

#include <new>

#include <arrow/status.h>

namespace ariadne::text {

/// Builders of Arrow fail for want of memory alone.
inline void CheckBuilt(const arrow::Status& status) {
  if (!status.ok()) throw std::bad_alloc();
}

}  // namespace ariadne::text
