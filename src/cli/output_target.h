#pragma once

#include <string>

#include "cli/command.h"

namespace ariadne::cli {

/// Throws InvalidArgument where rows written to `output` would replace a file of the lake, the keys
/// themselves or a part of the indexes, or stand where an index would take them for data; links to
/// folders are seen through.
void CheckOutput(const std::string& output, const std::string& keys_file, const Lake& lake,
                 const Index& index, const GlobalArguments& global);

}  // namespace ariadne::cli
