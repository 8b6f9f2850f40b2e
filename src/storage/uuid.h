#pragma once

#include <string>

namespace ariadne::storage::internal {

/// A fresh random UUID (version 4), as text. Drawn from the system each time: a generator with
/// state would give a forked process the same identifiers as its parent. Throws StorageError.
std::string NewUuid();

}  // namespace ariadne::storage::internal
