#pragma once

#include <string>
#include <string_view>

namespace ariadne::index {

/// java.math.BigDecimal.toString of unscaled × 10^-scale: plain where the scale is not negative and
/// the adjusted exponent at least -6, else in scientific notation.
std::string JavaDecimalToString(std::string_view unscaled, int scale);

}  // namespace ariadne::index
