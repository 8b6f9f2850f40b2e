#pragma once

#include <string>

#include "cli/command.h"

namespace ariadne::cli {

// Throw InvalidArgument where rows written to `output` would replace what they must not, or where
// it lies in a folder that is not there. Links to folders are seen through.

/// A file that is there and that any index under the root tracks, or a part of the indexes.
void CheckOutput(const std::string& output, const Lake& lake, const GlobalArguments& global);
/// Those, the keys themselves, or, whatever links lead to it, a file of the joined index.
void CheckJoinOutput(const std::string& output, const std::string& keys_file, const Lake& lake,
                     const Index& index, const GlobalArguments& global);

}  // namespace ariadne::cli
