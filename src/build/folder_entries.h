#pragma once

#include "build/plan.h"
#include "build/update.h"

namespace ariadne::build {

/// The JVM library tracks a folder or a glob as it was typed, and no row of an index ever stands
/// for it. Puts the files that such entries of the file list name in their place, looking only at
/// those jobs of the plan whose file was not found. True: some were replaced, so the plan is out of
/// date. Throws StorageError, LockTimeout.
bool ReplaceFolderEntries(const UpdateTarget& target, const Plan& plan);

}  // namespace ariadne::build
