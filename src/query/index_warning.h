#pragma once

#include <string>

namespace ariadne::query {

/// Tells on standard error that a part of the index cannot be read. Said once for each text, since
/// every query would say it again.
void WarnOnce(const std::string& text);

}  // namespace ariadne::query
