#include "cli/version.h"

namespace ariadne::cli {

const char* const kVersion = ARIADNE_VERSION;

}  // namespace ariadne::cli
