#pragma once

#include <string>

#include "ariadne/errors.h"
#include "storage/object_store.h"

namespace ariadne::storage {

/// What to do where a table of an index (IndexLayout) is damaged or has lost a file, as a sentence:
/// which folder to remove, and which command makes again what was in it. `folder`: the table's.
std::string HowToBuildAgain(const ObjectRef& folder);

/// What an error says, and where it is about a file that is damaged or gone, HowToBuildAgain.
std::string LossOf(const Error& error, const ObjectRef& folder);

}  // namespace ariadne::storage
