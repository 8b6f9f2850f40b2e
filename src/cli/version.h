#pragma once

namespace ariadne::cli {

/// Release, e.g. "0.1.0"; the build takes it from CMakeLists.txt.
extern const char* const kVersion;

}  // namespace ariadne::cli
