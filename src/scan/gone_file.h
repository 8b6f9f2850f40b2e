#pragma once

#include <string>

namespace ariadne::scan {

/// Key of the engine's errors that say that a file to read is not there: the engine carries no
/// error class of ours, but a map beside the text.
inline constexpr char kGoneFile[] = "ariadne_gone_file";

/// Throws an error of the engine with that key: `path` was tracked, and is gone.
[[noreturn]] void ThrowGone(const std::string& path);

}  // namespace ariadne::scan
