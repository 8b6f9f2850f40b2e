#pragma once

#include <string>

namespace ariadne::engine {

enum class TableFormat { kParquet, kCsv, kTsv, kJson, kJsonLines };

/// Format by suffix, `.gz` left out. Throws InvalidArgument naming the suffixes that there are.
TableFormat FormatOf(const std::string& url);

/// A decoded URL from a decoded URL or a plain path, which may be relative.
std::string ToUrl(const std::string& name);

}  // namespace ariadne::engine
