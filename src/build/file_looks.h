#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "build/update.h"
#include "storage/object_store.h"

namespace ariadne::build {

/// What the store says of files now: nullopt where one is not there. `names`: as stored. A folder
/// is listed once where many of its files are asked for. Throws StorageError where the store does
/// not answer: an unknown file is not a missing one.
std::map<std::string, std::optional<storage::ObjectMeta>> LookAtFiles(
    const UpdateTarget& target, const std::set<std::string>& names);

}  // namespace ariadne::build
