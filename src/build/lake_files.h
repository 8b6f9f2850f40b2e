#pragma once

#include <string>
#include <vector>

#include "ariadne/options.h"
#include "storage/object_store.h"

namespace ariadne::build {

/// source::Expand without what the storage root `root` itself keeps: a root may lie in the lake.
/// Throws FileNotFound, also where nothing else is there; InvalidArgument.
std::vector<std::string> ExpandLake(const std::string& name, const storage::Stores& stores,
                                    const std::vector<PathMapping>& mappings,
                                    const storage::ObjectRef& root);

}  // namespace ariadne::build
